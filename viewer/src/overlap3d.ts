// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap of the two bodies of a clash, in red: faint where other surfaces are in front of it, and in stripes where it is
// most of one body, whose own colour is seen between them.

import { BufferAttribute, BufferGeometry, DoubleSide, GreaterDepth, Mesh, MeshLambertMaterial, type Scene, type Vector3 } from "three";
import type { Colours } from "./colours";
import { Layer } from "./layer";
import { isWhole, type Picture } from "./picture";
import { solidityOf } from "./solidity";
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
	private readonly stripes = { value: 0 }; // pixels from one to the next; 0: none
	private readonly layer: Layer;
	solid?: Mesh; // that is drawn

	constructor(
		scene: Scene,
		private readonly picture: Picture,
		private readonly place: (x: ArrayLike<number>) => Vector3,
	) {
		this.layer = new Layer(scene, false);
		for (const material of [this.seen, this.hidden])
			material.onBeforeCompile = (shader) => {
				shader.uniforms.stripes = this.stripes;
				shader.fragmentShader = `uniform float stripes;\n${shader.fragmentShader}`.replace(
					"#include <clipping_planes_fragment>",
					"#include <clipping_planes_fragment>\nif ( stripes > 0.0 && fract( ( gl_FragCoord.x + gl_FragCoord.y ) / stripes ) < 0.6 ) discard;",
				);
			};
	}

	// A section shows it itself, in the plane.
	show(state: State, colours: Colours): void {
		this.layer.clear();
		this.solid = undefined;
		const clash = this.picture.clashes[state.clash];
		const solid = clash?.solid;
		if (solid === undefined || state.section) return;
		const shape = this.picture.shape(solid);
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(shape.positions, 3));
		geometry.setIndex(new BufferAttribute(shape.corners, 1));
		const volumes = [clash.a, clash.b].map((body) => solidityOf(this.picture.shape(this.picture.bodies[body].shape)).volume);
		const hidesBody = isWhole(clash) || solidityOf(shape).volume > 0.5 * Math.min(...volumes);
		this.stripes.value = hidesBody ? 10 * Math.min(window.devicePixelRatio, 2) : 0;
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
