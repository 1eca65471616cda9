// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bodies that are not selected: transparent, or as boxes while the camera of a slow machine moves.

import {
	type Box3,
	BufferAttribute,
	BufferGeometry,
	Color,
	DoubleSide,
	LineBasicMaterial,
	LineSegments,
	Matrix4,
	type Mesh,
	type Scene,
	ShaderMaterial,
} from "three";
import { addEdges, Layer } from "./layer";

// Surfaces are faint where seen at a right angle and denser at their rim, the narrower the higher the power, so that bodies
// behind many ghosts stay visible.
export const ghostMaterial = (power = 2): ShaderMaterial =>
	new ShaderMaterial({
		uniforms: { colour: { value: new Color() }, density: { value: 0.3 }, power: { value: power } },
		clipping: true,
		transparent: true,
		depthWrite: false,
		side: DoubleSide,
		vertexShader: `
			varying vec3 seen;
			#include <clipping_planes_pars_vertex>
			void main() {
				vec4 mvPosition = modelViewMatrix * vec4( position, 1.0 );
				seen = mvPosition.xyz;
				#include <clipping_planes_vertex>
				gl_Position = projectionMatrix * mvPosition;
			}`,
		fragmentShader: `
			uniform vec3 colour;
			uniform float density;
			uniform float power;
			varying vec3 seen;
			#include <clipping_planes_pars_fragment>
			void main() {
				#include <clipping_planes_fragment>
				vec3 normal = normalize( cross( dFdx( seen ), dFdy( seen ) ) );
				float rim = 1.0 - abs( dot( normal, normalize( seen ) ) );
				gl_FragColor = vec4( colour, density * ( 0.18 + 0.82 * pow( rim, power ) ) );
				#include <colorspace_fragment>
			}`,
	});

// Boxes in place of ghosts, where even fewer pixels are too slow.
export class GhostBoxes {
	private readonly layer: Layer;
	private readonly hidden: Mesh[] = []; // meanwhile

	constructor(scene: Scene) {
		this.layer = new Layer(scene, true);
	}

	get areShown(): boolean {
		return this.hidden.length > 0;
	}

	show(ghosts: Mesh[], colour: number): void {
		if (this.areShown) return;
		this.hidden.push(...ghosts);
		const corners: number[] = [];
		for (const mesh of this.hidden) {
			mesh.visible = false;
			const { geometry } = mesh;
			if (!geometry.boundingBox) geometry.computeBoundingBox();
			const { min, max } = geometry.boundingBox as Box3;
			const matrix = new Matrix4().makeScale(...max.clone().sub(min).multiplyScalar(0.5).toArray());
			matrix.setPosition(min.clone().add(max).multiplyScalar(0.5)).premultiply(mesh.matrix);
			addEdges(matrix, corners);
		}
		if (corners.length === 0) return;
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
		this.layer.add(new LineSegments(geometry, new LineBasicMaterial({ color: colour, transparent: true, opacity: 0.35 })), 0);
	}

	remove(): void {
		for (const mesh of this.hidden) mesh.visible = true;
		this.hidden.length = 0;
		this.layer.clear();
	}
}
