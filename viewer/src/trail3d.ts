// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The trail of what moves: each body as a ghost at places along its way.

import { type BufferGeometry, type Matrix4, Mesh, type Scene } from "three";
import { ghostMaterial } from "./ghosts";
import { Layer } from "./layer";

const MOST_PLACES = 24;
const MOST_TRIANGLES = 2000000; // in all

export class Trail {
	private readonly layer: Layer;
	private readonly material = ghostMaterial();

	constructor(scene: Scene) {
		this.layer = new Layer(scene, false);
		this.material.uniforms.density.value = 0.16;
	}

	get count(): number {
		return this.layer.objects.length;
	}

	// Frames are spread evenly from the first to the last one.
	show(frames: number, bodies: { geometry: BufferGeometry; at: (frame: number) => Matrix4 }[], colour: number): void {
		this.layer.clear();
		this.material.uniforms.colour.value.set(colour);
		const triangles = bodies.reduce((sum, { geometry }) => sum + (geometry.getIndex()?.count ?? 0) / 3, 0);
		const places = Math.min(frames, MOST_PLACES, Math.floor(MOST_TRIANGLES / Math.max(triangles, 1)));
		for (let i = 0; i < places; ++i)
			for (const { geometry, at } of bodies) {
				const mesh = new Mesh(geometry, this.material);
				mesh.matrixAutoUpdate = false;
				mesh.userData.sharesGeometry = true;
				mesh.matrix.copy(at(Math.round((i * (frames - 1)) / Math.max(places - 1, 1))));
				this.layer.add(mesh, 1);
			}
	}
}
