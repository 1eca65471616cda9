// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mark at each clash that is listed, so that all are seen at once; a click on one chooses it.

import { BufferAttribute, BufferGeometry, type Camera, Points, ShaderMaterial, Color, type Scene, Vector3 } from "three";
import type { Colours } from "./colours";
import { Layer } from "./layer";

const REACH = 9; // pixels from a mark that still choose it

// Round, with a rim.
export const dotMaterial = (): ShaderMaterial =>
	new ShaderMaterial({
		uniforms: { colour: { value: new Color() }, rim: { value: new Color() }, size: { value: 11 } },
		transparent: true,
		depthTest: false,
		vertexShader: `
			uniform float size;
			void main() {
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
				gl_PointSize = size;
			}`,
		fragmentShader: `
			uniform vec3 colour;
			uniform vec3 rim;
			void main() {
				float away = length( gl_PointCoord - 0.5 );
				if ( away > 0.5 ) discard;
				gl_FragColor = vec4( away < 0.34 ? colour : rim, 0.85 );
				#include <colorspace_fragment>
			}`,
	});

export class Markers {
	private readonly layer: Layer;
	private readonly material = dotMaterial();
	private places: Vector3[] = [];
	private clashes: number[] = [];

	constructor(scene: Scene) {
		this.layer = new Layer(scene, false);
	}

	show(clashes: number[], places: Vector3[], colours: Colours): void {
		this.layer.clear();
		this.clashes = clashes;
		this.places = places;
		if (clashes.length === 0) return;
		(this.material.uniforms.colour.value as Color).set(colours.overlap);
		(this.material.uniforms.rim.value as Color).set(colours.background);
		const geometry = new BufferGeometry();
		geometry.setAttribute("position", new BufferAttribute(new Float32Array(places.flatMap((x) => x.toArray())), 3));
		this.layer.add(new Points(geometry, this.material), 14);
	}

	// The clash whose mark is nearest to a pixel; undefined where none is near.
	at(x: number, y: number, width: number, height: number, camera: Camera): number | undefined {
		let best = REACH;
		let found: number | undefined;
		this.places.forEach((place, i) => {
			const seen = place.clone().project(camera);
			const away = Math.hypot(((seen.x + 1) / 2) * width - x, ((1 - seen.y) / 2) * height - y);
			if (seen.z < 1 && away < best) {
				best = away;
				found = this.clashes[i];
			}
		});
		return found;
	}
}
