// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Distances between two features that a user picks: a vertex, a point of an edge or of a face. A feature is a reference
// into the mesh of a body, so that it goes with the body, and stays the same in a link.

import type { Picture, Shape, Vec } from "./picture";
import { intervalText, lengthText, type Unit } from "./units";

export type Feature =
	| { kind: "vertex"; body: number; vertex: number }
	| { kind: "edge"; body: number; from: number; to: number; along: number }
	| { kind: "face"; body: number; triangle: number; weights: [number, number] };

// A feature in the frame of the files. `direction`: of an edge, or the normal of a face. `error`: how far the drawing may
// be from the vertices of the file.
export interface Place {
	feature: Feature;
	point: Vec;
	direction?: Vec;
	error: number;
}

const round = (x: number): number => Number(x.toPrecision(7));

export function featureText(f: Feature): string {
	if (f.kind === "vertex") return `v.${f.body}.${f.vertex}`;
	if (f.kind === "edge") return `e.${f.body}.${f.from}.${f.to}.${Math.round(1e6 * f.along)}`;
	return `f.${f.body}.${f.triangle}.${Math.round(1e6 * f.weights[0])}.${Math.round(1e6 * f.weights[1])}`;
}

// Undefined: no such feature is in the picture.
export function readFeature(text: string, picture: Picture): Feature | undefined {
	const [kind, ...words] = text.split(".");
	const [body, x, y, z] = words.map(Number);
	if (![body, x].every(Number.isInteger) || !picture.bodies[body] || x < 0) return undefined;
	const { positions, corners } = picture.shape(picture.bodies[body].shape);
	const isVertex = (i: number): boolean => Number.isInteger(i) && i >= 0 && 3 * i < positions.length;
	if (kind === "v" && isVertex(x)) return { kind: "vertex", body, vertex: x };
	if (kind === "e" && isVertex(x) && isVertex(y) && Number.isInteger(z)) return { kind: "edge", body, from: x, to: y, along: z / 1e6 };
	if (kind === "f" && 3 * x < corners.length && Number.isInteger(y) && Number.isInteger(z)) return { kind: "face", body, triangle: x, weights: [y / 1e6, z / 1e6] };
	return undefined;
}

const minus = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a: Vec): Vec => {
	const length = Math.hypot(...a) || 1;
	return [a[0] / length, a[1] / length, a[2] / length];
};
const mix = (points: Vec[], weights: number[]): Vec => [0, 1, 2].map((k) => points.reduce((sum, p, i) => sum + weights[i] * p[k], 0)) as Vec;

// A vertex where its body stands, in doubles.
function vertexAt(shape: Shape, pose: ArrayLike<number>, i: number): Vec {
	const x = [0, 1, 2].map((k) => shape.lower[k] + shape.positions[3 * i + k]);
	return [0, 4, 8].map((r) => pose[r] * x[0] + pose[r + 1] * x[1] + pose[r + 2] * x[2] + pose[r + 3]) as Vec;
}

// The page has each coordinate as a whole multiple of a step, then as a float, and computes with it in doubles.
function errorOf(shape: Shape, at: Vec): number {
	let most = 0;
	for (const x of shape.positions) most = Math.max(most, x);
	const far = Math.max(...at.map(Math.abs), ...shape.lower.map(Math.abs));
	return Math.sqrt(3) * (0.5 * shape.step + 2 ** -24 * most) + 2 ** -48 * (far + most);
}

export function placeOf(feature: Feature, picture: Picture, frame: number, joints: number[]): Place {
	const { body } = feature;
	const shape = picture.shape(picture.bodies[body].shape);
	const pose = picture.poseAt(body, frame, joints);
	const at = (i: number): Vec => vertexAt(shape, pose, i);
	const made = (point: Vec, direction?: Vec): Place => ({ feature, point, direction, error: errorOf(shape, point) });
	if (feature.kind === "vertex") return made(at(feature.vertex));
	if (feature.kind === "edge") {
		const [a, b] = [at(feature.from), at(feature.to)];
		return made(mix([a, b], [1 - feature.along, feature.along]), unit(minus(b, a)));
	}
	const [a, b, c] = [0, 1, 2].map((k) => at(shape.corners[3 * feature.triangle + k]));
	const [v, w] = feature.weights;
	return made(mix([a, b, c], [1 - v - w, v, w]), unit(cross(minus(b, a), minus(c, a))));
}

const PARALLEL = 1e-4; // the sine of the largest angle between directions that count as parallel

// What can be told of two places: the name of a length or an angle, and its value.
export function tellMeasured(a: Place, b: Place, length: Unit): [string, string][] {
	const way = minus(b.point, a.point);
	const error = a.error + b.error;
	const text = (x: number, more = 0): string => intervalText([Math.max(0, x - error - more), x + error + more], length);
	const facts: [string, string][] = [["Distance", text(Math.hypot(...way))]];
	facts.push(["along x, y, z", way.map((x) => lengthText(round(x), length)).join(", ")]);
	const first = a.direction ? a : b;
	const other = first === a ? b : a;
	if (!first.direction) return facts;
	const sine = other.direction ? Math.hypot(...cross(first.direction, other.direction)) : 0;
	const sideways = Math.hypot(...cross(way, first.direction));
	const upright = Math.abs(dot(way, first.direction));
	const kinds = `${first.feature.kind} ${other.feature.kind}`;
	if (kinds === "face face" && sine < PARALLEL) facts.push(["Between the planes", text(upright, sine * sideways)]);
	else if (kinds === "face vertex") facts.push(["Vertex to plane", text(upright)]);
	else if (kinds === "edge edge" && sine < PARALLEL) facts.push(["Between the edges", text(sideways, sine * upright)]);
	else if (kinds === "edge vertex") facts.push(["Vertex to line", text(sideways)]);
	else if (other.direction) {
		const between = (180 / Math.PI) * Math.asin(Math.min(1, sine));
		const isMixed = first.feature.kind !== other.feature.kind; // an edge and a face: the angle to the plane
		facts.push(["Angle", `${Number((isMixed ? 90 - between : between).toPrecision(5))}°`]);
	}
	return facts;
}
