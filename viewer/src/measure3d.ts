// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Measuring in the drawing: what a click takes hold of, and the line between two features.

import { type Camera, type Intersection, type Mesh, type Ray, type Scene, Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { creasesOf } from "./creases";
import { Layer } from "./layer";
import { dotMaterial, dotsAt } from "./markers3d";
import type { Feature } from "./measure";
import type { Shape } from "./picture";

const REACH = 11; // pixels from a vertex that still choose it; less from an edge

export interface Screen {
	x: number; // of the click
	y: number;
	width: number;
	height: number;
	camera: Camera;
}

function awayFrom(place: Vector3, screen: Screen): number {
	const seen = place.clone().project(screen.camera);
	if (seen.z > 1) return Infinity;
	return Math.hypot(((seen.x + 1) / 2) * screen.width - screen.x, ((1 - seen.y) / 2) * screen.height - screen.y);
}

// The point of an edge that is nearest to the ray, 0 to 1 along it.
function alongEdge(a: Vector3, b: Vector3, ray: Ray): number {
	const near = new Vector3();
	ray.distanceSqToSegment(a, b, undefined, near);
	const edge = b.clone().sub(a);
	const length = edge.lengthSq();
	return length > 0 ? Math.max(0, Math.min(1, near.sub(a).dot(edge) / length)) : 0;
}

// The crease edges of a shape and the triangle that was hit: a vertex near the click, else an edge, else the face itself.
export function snap(hit: Intersection, ray: Ray, shape: Shape, screen: Screen): Feature {
	const mesh = hit.object as Mesh;
	const body = mesh.userData.body as number;
	const triangle = hit.faceIndex as number;
	const at = (i: number): Vector3 => new Vector3().fromArray(shape.positions, 3 * i).applyMatrix4(mesh.matrix);
	const corners = [...shape.corners.subarray(3 * triangle, 3 * triangle + 3)];
	const creases = creasesOf(shape);
	// Nothing behind the surface that was hit, but for a few pixels round a convex corner.
	const pixel = (2 * hit.distance * Math.tan((17.5 * Math.PI) / 180)) / screen.height;
	const isHidden = (x: Vector3): boolean => x.distanceTo(ray.origin) > hit.distance + 2 * REACH * pixel;
	let best = REACH;
	let found: Feature | undefined;
	for (const vertex of new Set([...creases, ...corners])) {
		const place = at(vertex);
		const away = awayFrom(place, screen);
		if (away >= best || isHidden(place)) continue;
		best = away;
		found = { kind: "vertex", body, vertex };
	}
	if (found) return found;
	best = 0.8 * REACH;
	for (let k = 0; k < creases.length; k += 2) {
		const [from, to] = [creases[k], creases[k + 1]];
		const [a, b] = [at(from), at(to)];
		const along = alongEdge(a, b, ray);
		const place = a.lerp(b, along);
		const away = awayFrom(place, screen);
		if (away >= best || isHidden(place)) continue;
		best = away;
		found = { kind: "edge", body, from, to, along };
	}
	return found ?? { kind: "face", body, triangle, weights: weightsOf(hit.point, corners.map(at)) };
}

// The share of the second and third corner in a point of a triangle.
function weightsOf(point: Vector3, [a, b, c]: Vector3[]): [number, number] {
	const [ab, ac, ap] = [b.clone().sub(a), c.clone().sub(a), point.clone().sub(a)];
	const [d00, d01, d11] = [ab.dot(ab), ab.dot(ac), ac.dot(ac)];
	const [d20, d21] = [ap.dot(ab), ap.dot(ac)];
	const all = d00 * d11 - d01 * d01;
	return all > 0 ? [(d11 * d20 - d01 * d21) / all, (d00 * d21 - d01 * d20) / all] : [0, 0];
}

export class Measured3d {
	private readonly line = new LineMaterial({ linewidth: 3, depthTest: false, transparent: true });
	private readonly dots = dotMaterial();
	private readonly layer: Layer;
	middle?: Vector3; // of the line

	constructor(scene: Scene) {
		this.layer = new Layer(scene, false);
	}

	resize(width: number, height: number): void {
		this.line.resolution.set(width, height);
	}

	show(places: Vector3[], colour: number, rim: number): void {
		this.layer.clear();
		this.middle = places.length === 2 ? places[0].clone().lerp(places[1], 0.5) : undefined;
		if (places.length === 0) return;
		const numbers = places.flatMap((x) => x.toArray());
		this.line.color.set(colour);
		this.dots.uniforms.rim.value.set(rim);
		if (places.length === 2) {
			const geometry = new LineSegmentsGeometry();
			geometry.setPositions(numbers);
			this.layer.add(new LineSegments2(geometry, this.line), 15);
		}
		this.layer.add(dotsAt(places, this.dots, () => colour, () => 11), 16);
	}
}
