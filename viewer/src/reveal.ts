// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Does one body of a clash hide the other from the camera? Both are drawn small, alone and together, and their pixels
// counted.

import { type Camera, Color, DoubleSide, Mesh, MeshBasicMaterial, Scene, WebGLRenderTarget, type WebGLRenderer } from "three";

const WIDTH = 96;
const HEIGHT = 72;
const LEAST = 0.15; // the share of a body's pixels that has to be seen

export class Cover {
	private readonly scene = new Scene();
	private readonly target = new WebGLRenderTarget(WIDTH, HEIGHT);
	private readonly red = new MeshBasicMaterial({ color: 0xff0000, side: DoubleSide });
	private readonly green = new MeshBasicMaterial({ color: 0x00ff00, side: DoubleSide });
	private readonly pixels = new Uint8Array(4 * WIDTH * HEIGHT);

	constructor() {
		this.scene.background = new Color(0x000000);
	}

	// The one that hides the other.
	find(a: Mesh, b: Mesh, camera: Camera, renderer: WebGLRenderer): Mesh | undefined {
		const copies = [a, b].map((mesh, i) => {
			const copy = new Mesh(mesh.geometry, i === 0 ? this.red : this.green);
			copy.matrixAutoUpdate = false;
			copy.matrix.copy(mesh.matrix);
			return copy;
		});
		const count = (...drawn: Mesh[]): [number, number] => {
			this.scene.clear();
			this.scene.add(...drawn);
			renderer.setRenderTarget(this.target);
			renderer.render(this.scene, camera);
			renderer.readRenderTargetPixels(this.target, 0, 0, WIDTH, HEIGHT, this.pixels);
			const seen: [number, number] = [0, 0];
			for (let i = 0; i < this.pixels.length; i += 4) for (const k of [0, 1]) if (this.pixels[i + k] > 100) ++seen[k];
			return seen;
		};
		const [allA] = count(copies[0]);
		const [, allB] = count(copies[1]);
		const [seenA, seenB] = count(...copies);
		renderer.setRenderTarget(null);
		if (allB > 0 && seenB < LEAST * allB) return a;
		return allA > 0 && seenA < LEAST * allA ? b : undefined;
	}
}
