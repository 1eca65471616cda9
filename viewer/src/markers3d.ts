// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A mark at each clash that is listed, so that all are seen at once; a click on one chooses it.

import { BufferAttribute, BufferGeometry, type Camera, Points, ShaderMaterial, Color, type Scene, Vector3 } from "three";
import type { Colours } from "./colours";
import { Layer } from "./layer";
import type { Picture } from "./picture";

const REACH = 9; // pixels from a mark that still choose it

// Round, with a rim.
export const dotMaterial = (): ShaderMaterial =>
	new ShaderMaterial({
		uniforms: { rim: { value: new Color() } },
		vertexColors: true,
		transparent: true,
		depthTest: false,
		vertexShader: `
			attribute float size;
			varying vec3 inner;
			void main() {
				inner = color;
				gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 );
				gl_PointSize = size;
			}`,
		fragmentShader: `
			varying vec3 inner;
			uniform vec3 rim;
			void main() {
				float away = length( gl_PointCoord - 0.5 );
				if ( away > 0.5 ) discard;
				gl_FragColor = vec4( away < 0.34 ? inner : rim, 0.85 );
				#include <colorspace_fragment>
			}`,
	});

// Dots at places, each of a colour and a size in pixels.
export function dotsAt(places: Vector3[], material: ShaderMaterial, colourOf: (i: number) => number, sizeOf: (i: number) => number): Points {
	const geometry = new BufferGeometry();
	const put = (name: string, items: number, numbers: number[]): void => {
		geometry.setAttribute(name, new BufferAttribute(new Float32Array(numbers), items));
	};
	put("position", 3, places.flatMap((x) => x.toArray()));
	put("color", 3, places.flatMap((_, i) => new Color(colourOf(i)).toArray()));
	put("size", 1, places.map((_, i) => sizeOf(i)));
	return new Points(geometry, material);
}

const knownWords = ["unchanged", "accepted", "ignored", "renamed", "improved"];

export class Markers {
	private readonly layer: Layer;
	private readonly material = dotMaterial();
	private places: Vector3[] = [];
	private clashes: number[] = [];

	constructor(scene: Scene) {
		this.layer = new Layer(scene, false);
	}

	// Deep overlaps have large marks; what was known before is grey.
	show(picture: Picture, clashes: number[], places: Vector3[], colours: Colours): void {
		this.layer.clear();
		this.clashes = clashes;
		this.places = places;
		if (clashes.length === 0) return;
		const depthOf = (i: number): number => picture.clashes[i].depth?.[1] ?? 0;
		const deepest = Math.max(...clashes.map(depthOf), Number.MIN_VALUE);
		(this.material.uniforms.rim.value as Color).set(colours.background);
		const colourOf = (k: number): number => (knownWords.includes(picture.clashes[clashes[k]].standing ?? "") ? colours.rest : colours.overlap);
		this.layer.add(dotsAt(places, this.material, colourOf, (k) => 9 + 7 * Math.sqrt(depthOf(clashes[k]) / deepest)), 14);
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
