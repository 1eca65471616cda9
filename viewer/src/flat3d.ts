// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Drawing without WebGL: triangles by a depth buffer in memory, lines on top. Of ghosts every eighth pixel is drawn; the cut of
// a section is filled with the colour of its body.

import { type Color, Matrix4, type Mesh, type PerspectiveCamera, type Plane, Vector3 } from "three";

const LIGHT = [0.31, 0.54, 0.78]; // the direction to it, in the frame of the camera

export interface Line2d {
	points: [number, number][]; // pairs, in pixels
	colour: string;
	width: number;
}

// Of surfaces behind others, "shining" ones are drawn faint.
export type How = "solid" | "shining" | "ghost";

export interface Area2d {
	loops: [number, number][][]; // in pixels
	colour: string;
}

export class Flat3d {
	private readonly context: CanvasRenderingContext2D | null;
	private image = new ImageData(1, 1);
	private depth = new Float32Array(1);

	constructor(private readonly canvas: HTMLCanvasElement) {
		this.context = canvas.getContext("2d");
	}

	get works(): boolean {
		return this.context !== null;
	}

	begin(width: number, height: number, background: Color): void {
		if (this.image.width !== width || this.image.height !== height) {
			this.canvas.width = width;
			this.canvas.height = height;
			this.image = new ImageData(width, height);
			this.depth = new Float32Array(width * height);
		}
		new Uint32Array(this.image.data.buffer).fill(0xff000000 | this.packed(background, 1));
		this.depth.fill(0);
	}

	// As bytes of an image: red is the lowest.
	private packed(colour: Color, light: number): number {
		const [r, g, b] = colour.getHex().toString(16).padStart(6, "0").match(/../g)?.map((x) => Math.min(255, Math.round(light * Number.parseInt(x, 16)))) ?? [0, 0, 0];
		return r | (g << 8) | (b << 16);
	}

	// What is behind the plane is left out.
	mesh(mesh: Mesh, colour: Color, camera: PerspectiveCamera, how: How, plane?: Plane): void {
		const { width, height } = this.image;
		const seen = new Matrix4().multiplyMatrices(camera.matrixWorldInverse, mesh.matrix);
		const m = seen.elements;
		const position = mesh.geometry.getAttribute("position");
		const corners = mesh.geometry.getIndex()?.array ?? [];
		const [sx, sy] = [0.5 * width * camera.projectionMatrix.elements[0], 0.5 * height * camera.projectionMatrix.elements[5]];
		const v = new Float32Array(3 * position.count); // in the frame of the camera
		for (let i = 0; i < position.count; ++i) {
			const [x, y, z] = [position.getX(i), position.getY(i), position.getZ(i)];
			for (let k = 0; k < 3; ++k) v[3 * i + k] = m[k] * x + m[k + 4] * y + m[k + 8] * z + m[k + 12];
		}
		const shades = Uint32Array.from({ length: 65 }, (_, i) => this.packed(colour, 0.5 + (0.5 * i) / 64));
		const cut = plane?.clone().applyMatrix4(camera.matrixWorldInverse);
		const at = new Vector3();
		const side = (i: number): number => cut?.distanceToPoint(at.fromArray(v, i)) ?? 1;
		const onScreen = (x: number, y: number, z: number): number[] => [0.5 * width - (sx * x) / z, 0.5 * height + (sy * y) / z, -1 / z];
		for (let t = 0; t < corners.length; t += 3) {
			const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
			if (Math.max(v[a + 2], v[b + 2], v[c + 2]) > -camera.near) continue;
			const [ux, uy, uz] = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]];
			const [wx, wy, wz] = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
			const n = [uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx];
			const length = Math.hypot(...n);
			if (!(length > 0)) continue;
			const facing = n[0] * v[a] + n[1] * v[a + 1] + n[2] * v[a + 2] > 0 ? -1 : 1;
			const light = Math.max(0, (facing * (n[0] * LIGHT[0] + n[1] * LIGHT[1] + n[2] * LIGHT[2])) / length);
			const kept: number[][] = []; // of the triangle, in front of the plane
			[a, b, c].forEach((i, k, all) => {
				const j = all[(k + 1) % 3];
				const [from, to] = [side(i), side(j)];
				if (from >= 0) kept.push(onScreen(v[i], v[i + 1], v[i + 2]));
				if (from >= 0 === to >= 0) return;
				const part = from / (from - to);
				kept.push(onScreen(v[i] + part * (v[j] - v[i]), v[i + 1] + part * (v[j + 1] - v[i + 1]), v[i + 2] + part * (v[j + 2] - v[i + 2])));
			});
			for (let k = 2; k < kept.length; ++k) this.triangle(kept[0], kept[k - 1], kept[k], shades[Math.round(64 * light)], how);
		}
	}

	// Corners are pixels and the reciprocal of how far they are away, which is linear on the screen.
	private triangle(a: number[], b: number[], c: number[], colour: number, how: How): void {
		const { width, height, data } = this.image;
		const pixels = new Uint32Array(data.buffer);
		const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
		if (area === 0) return;
		const [x0, x1] = [Math.max(0, Math.ceil(Math.min(a[0], b[0], c[0]) - 0.5)), Math.min(width - 1, Math.floor(Math.max(a[0], b[0], c[0]) - 0.5))];
		const [y0, y1] = [Math.max(0, Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5)), Math.min(height - 1, Math.floor(Math.max(a[1], b[1], c[1]) - 0.5))];
		for (let y = y0; y <= y1; ++y)
			for (let x = x0; x <= x1; ++x) {
				const [px, py] = [x + 0.5, y + 0.5];
				const p = ((c[0] - b[0]) * (py - b[1]) - (c[1] - b[1]) * (px - b[0])) / area;
				const q = ((a[0] - c[0]) * (py - c[1]) - (a[1] - c[1]) * (px - c[0])) / area;
				if (p < 0 || q < 0 || p + q > 1) continue;
				const near = p * a[2] + q * b[2] + (1 - p - q) * c[2];
				const i = y * width + x;
				const isHidden = near * (how === "shining" ? 1.002 : 1) <= this.depth[i];
				if (isHidden && how !== "shining") continue;
				if (how === "ghost") {
					if (x % 4 === 0 && (y + (x & 4) / 4) % 2 === 0) pixels[i] = 0xff000000 | colour;
					continue;
				}
				// Half of either: the lowest bit of each byte is given up.
				pixels[i] = 0xff000000 | (isHidden ? ((colour >>> 1) & 0x7f7f7f) + ((pixels[i] >>> 1) & 0x7f7f7f) : colour);
				if (!isHidden) this.depth[i] = near;
			}
	}

	end(lines: Line2d[], areas: Area2d[]): void {
		if (!this.context) return;
		this.context.putImageData(this.image, 0, 0);
		for (const { loops, colour } of areas) {
			this.context.beginPath();
			for (const loop of loops) {
				loop.forEach(([x, y], i) => (i === 0 ? this.context?.moveTo(x, y) : this.context?.lineTo(x, y)));
				this.context.closePath();
			}
			this.context.fillStyle = colour;
			this.context.fill("evenodd");
			this.context.strokeStyle = "#000";
			this.context.lineWidth = 1;
			this.context.stroke();
		}
		for (const { points, colour, width } of lines) {
			this.context.strokeStyle = colour;
			this.context.lineWidth = width;
			this.context.lineCap = "round";
			this.context.beginPath();
			for (let i = 0; i + 1 < points.length; i += 2) {
				this.context.moveTo(...points[i]);
				this.context.lineTo(...points[i + 1]);
			}
			this.context.stroke();
		}
	}
}
