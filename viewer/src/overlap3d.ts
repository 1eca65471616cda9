// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap of the two bodies of a clash, in red: faint where other surfaces are in front of it.

import { BufferAttribute, BufferGeometry, DoubleSide, GreaterDepth, Mesh, MeshLambertMaterial, type Scene, type Vector3 } from "three";
import type { Colours } from "./colours";
import { Layer } from "./layer";
import type { Picture } from "./picture";
import type { State } from "./state";

export class OverlapSolid {
	private readonly seen = new MeshLambertMaterial({ flatShading: true, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 });
	private readonly hidden = new MeshLambertMaterial({
		flatShading: true,
		side: DoubleSide,
		transparent: true,
		opacity: 0.45,
		depthFunc: GreaterDepth,
		depthWrite: false,
	});
	private readonly layer: Layer;
	solid?: Mesh; // that is drawn

	constructor(
		scene: Scene,
		private readonly picture: Picture,
		private readonly place: (x: ArrayLike<number>) => Vector3,
	) {
		this.layer = new Layer(scene, false);
	}

	// A section shows it itself, in the plane.
	show(state: State, colours: Colours): void {
		this.layer.clear();
		this.solid = undefined;
		const solid = this.picture.clashes[state.clash]?.solid;
		if (solid === undefined || state.section) return;
		const shape = this.picture.shape(solid);
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(shape.positions, 3));
		geometry.setIndex(new BufferAttribute(shape.corners, 1));
		for (const material of [this.hidden, this.seen]) {
			material.color.set(colours.overlap);
			const mesh = new Mesh(geometry, material);
			mesh.position.copy(this.place(shape.lower));
			mesh.updateMatrix();
			this.solid = mesh;
			this.layer.add(mesh, material === this.hidden ? 8 : 0);
		}
	}
}
