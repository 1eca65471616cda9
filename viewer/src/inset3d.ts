// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A small picture of the whole beside one that looks closely, with a frame round what the large one shows. It is drawn when
// the camera rests.

import { PerspectiveCamera, Points, type Scene, Vector3, type WebGLRenderer, WebGLRenderTarget } from "three";

const WIDTH = 168;
const HEIGHT = 126;
const CLOSE = 0.45; // of the distance from which all is seen: nearer ones need the inset
const SLOW = 400; // ms: a machine that takes longer MOST_SLOW times in a row goes without
const MOST_SLOW = 4;

// Targets of renderers hold light, pictures of pages what screens show of it (sRGB).
const shown = Uint8ClampedArray.from({ length: 256 }, (_, i) => {
	const x = i / 255;
	return 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
});

export class Inset {
	private readonly target = new WebGLRenderTarget(WIDTH, HEIGHT, { samples: 4 });
	private readonly camera = new PerspectiveCamera(35, WIDTH / HEIGHT);
	private readonly pixels = new Uint8Array(4 * WIDTH * HEIGHT);
	private slow = 0;

	constructor(private readonly canvas: HTMLCanvasElement) {
		canvas.width = WIDTH;
		canvas.height = HEIGHT;
	}

	// All of the scene is within `radius` of its origin; `main` looks at `middle`.
	show(scene: Scene, renderer: WebGLRenderer, main: PerspectiveCamera, middle: Vector3, radius: number): void {
		const away = main.position.clone().sub(middle);
		const whole = (1.1 * radius) / Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
		this.canvas.hidden = this.slow >= MOST_SLOW || away.length() > CLOSE * whole;
		if (this.canvas.hidden) return;
		const begin = performance.now();
		const half = away.length() * Math.tan((0.5 * main.fov * Math.PI) / 180);
		this.camera.up.copy(main.up);
		this.camera.position.copy(away.setLength(whole));
		this.camera.near = 0.5 * (whole - radius);
		this.camera.far = 2 * (whole + radius);
		this.camera.lookAt(0, 0, 0);
		this.camera.updateProjectionMatrix();
		this.camera.updateMatrixWorld();
		const dots = scene.children.filter((x) => x instanceof Points && x.visible); // as large as on the page: too large here
		for (const x of dots) x.visible = false;
		renderer.setRenderTarget(this.target);
		renderer.render(scene, this.camera);
		for (const x of dots) x.visible = true;
		renderer.readRenderTargetPixels(this.target, 0, 0, WIDTH, HEIGHT, this.pixels);
		renderer.setRenderTarget(null);
		const seen = middle.clone().project(this.camera);
		const size = Math.max(4, (0.5 * HEIGHT * half) / (whole * Math.tan((0.5 * this.camera.fov * Math.PI) / 180)));
		this.put(0.5 * WIDTH * (1 + seen.x), 0.5 * HEIGHT * (1 - seen.y), size, size * main.aspect);
		this.slow = performance.now() - begin > SLOW ? this.slow + 1 : 0;
	}

	private put(x: number, y: number, halfHeight: number, halfWidth: number): void {
		const context = this.canvas.getContext("2d");
		if (!context) return;
		const image = context.createImageData(WIDTH, HEIGHT);
		for (let row = 0; row < HEIGHT; ++row)
			for (let i = 0; i < 4 * WIDTH; ++i) {
				const value = this.pixels[4 * WIDTH * (HEIGHT - 1 - row) + i]; // the lowest row comes first
				image.data[4 * WIDTH * row + i] = i % 4 === 3 ? 255 : shown[value];
			}
		context.putImageData(image, 0, 0);
		for (const [colour, width] of [["#ffffff", 4], ["#d0202e", 2]] as const) {
			context.strokeStyle = colour;
			context.lineWidth = width;
			context.strokeRect(x - halfWidth, y - halfHeight, 2 * halfWidth, 2 * halfHeight);
		}
	}
}
