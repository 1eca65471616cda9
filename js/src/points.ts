// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of one mesh: rays, segments, points and shapes. Many take three or six numbers each in one array.

import { call, check, filled, floats, lastError, LIST, RESULTS, room, bytes, words } from "./module.js";
import { DualBvhError } from "./errors.js";
import { type Pose, sendPose } from "./pose.js";
import * as rows from "./rows.js";
import type { BatchOptions, Vector } from "./rows.js";
import type { Tree } from "./tree.js";

export interface PointOptions {
	/** The placement of the mesh. */
	pose?: Pose;
}

export interface RayHit {
	triangle: number;
	/** The parameter of the hit: from + t direction; 0 to 1 on a segment. */
	t: number;
	point: Vector;
}

export interface RayBatch {
	/** 1 where the ray hits. */
	intersects: Uint8Array;
	triangles: Uint32Array;
	/** Infinity where nothing is hit. */
	t: Float64Array;
	points: Float64Array;
	status: Uint8Array;
}

const CLOSEST = 2;
const ANY = 0;

type Numbers = ArrayLike<number>;

// Sends a pose and numbers of `width` an element; returns both addresses and the number of elements.
function send(pose: Pose, numbers: Numbers, width: number): [pose: number, at: number, count: number] {
	if (numbers.length % width !== 0)
		throw new DualBvhError(`each element has ${width} numbers, and ${numbers.length} is no multiple of it`, "INVALID_ARGUMENT");
	const [placed, at] = sendPose(pose, 8 * numbers.length);
	floats(at, numbers.length).set(numbers);
	return [placed, at, numbers.length / width];
}

const two = (from: Numbers, to: Numbers) => [from[0]!, from[1]!, from[2]!, to[0]!, to[1]!, to[2]!];

function cast(tree: Tree, numbers: Numbers, isSegment: boolean, find: number, options: PointOptions & BatchOptions): Float64Array {
	const address = tree.address;
	const [pose, at, count] = send(options.pose, numbers, 6);
	const out = room(RESULTS, 8 * rows.RAY * count + 8);
	rows.checkBatch(call("web_raycast", address, pose, at, count, isSegment ? 1 : 0, find, out), options);
	return floats(out, rows.RAY * count);
}

function firstHit(row: Float64Array): RayHit | undefined {
	return row[0] ? { triangle: row[1]!, t: row[2]!, point: rows.vectorAt(row, 3) } : undefined;
}

function rayBatch(all: Float64Array): RayBatch {
	const t = rows.column(Float64Array, all, rows.RAY, 2);
	for (let i = 0; i < t.length; ++i) if (all[rows.RAY * i] === 0) t[i] = Infinity;
	return {
		intersects: rows.column(Uint8Array, all, rows.RAY, 0),
		triangles: rows.column(Uint32Array, all, rows.RAY, 1),
		t,
		points: rows.column(Float64Array, all, rows.RAY, 3, 3),
		status: rows.column(Uint8Array, all, rows.RAY, 7),
	};
}

/** The first hit of the ray from + t direction, t >= 0. */
export function raycast(tree: Tree, from: Numbers, direction: Numbers, options: PointOptions = {}): RayHit | undefined {
	return firstHit(cast(tree, two(from, direction), false, CLOSEST, { pose: options.pose }));
}

/** The first hit of a segment. */
export function segmentCast(tree: Tree, from: Numbers, to: Numbers, options: PointOptions = {}): RayHit | undefined {
	return firstHit(cast(tree, two(from, to), true, CLOSEST, { pose: options.pose }));
}

/** Does the segment hit anything? Cheaper than its first hit: line of sight. */
export function isBlocked(tree: Tree, from: Numbers, to: Numbers, options: PointOptions = {}): boolean {
	return cast(tree, two(from, to), true, ANY, { pose: options.pose })[0] !== 0;
}

/** raycast() for many rays: six numbers each, from and direction. */
export function raycastBatch(tree: Tree, rays: Numbers, options: PointOptions & BatchOptions = {}): RayBatch {
	return rayBatch(cast(tree, rays, false, CLOSEST, options));
}

/** segmentCast() for many segments: six numbers each, from and to. */
export function segmentCastBatch(tree: Tree, segments: Numbers, options: PointOptions & BatchOptions = {}): RayBatch {
	return rayBatch(cast(tree, segments, true, CLOSEST, options));
}

/** All hits of a ray, one for each triangle that is hit, by t. */
export function raycastAll(tree: Tree, from: Numbers, direction: Numbers, options: PointOptions = {}): RayHit[] {
	const address = tree.address;
	const [pose, at] = send(options.pose, two(from, direction), 6);
	const count = call("web_raycast_all", address, pose, at, 0);
	if (count < 0) throw lastError();
	const all = floats(filled(LIST), 5 * count);
	return Array.from({ length: count }, (_, i) => ({
		triangle: all[5 * i]!,
		t: all[5 * i + 1]!,
		point: rows.vectorAt(all, 5 * i + 2),
	}));
}

// ------------------------------------------------------------------------------------------------
// Points

export interface ClosestPoint {
	/** The distance, rounded up to the next double. */
	distance: number;
	point: Vector;
	/** Of equally close triangles the lowest. */
	triangle: number;
}

export interface ClosestPointBatch {
	/** Infinity beyond the limit. */
	distance: Float64Array;
	points: Float64Array;
	triangles: Uint32Array;
	status: Uint8Array;
}

export interface ClosestPointOptions extends PointOptions {
	/** The largest distance of interest. */
	limit?: number;
}

function closest(tree: Tree, points: Numbers, options: ClosestPointOptions & BatchOptions): Float64Array {
	const address = tree.address;
	const [pose, at, count] = send(options.pose, points, 3);
	const out = room(RESULTS, 8 * rows.CLOSEST * count + 8);
	rows.checkBatch(call("web_closest_point", address, pose, at, count, rows.length(options.limit, "limit"), out), options);
	return floats(out, rows.CLOSEST * count);
}

/** The point of the mesh that is closest to a point; undefined beyond options.limit. */
export function closestPoint(tree: Tree, point: Numbers, options: ClosestPointOptions = {}): ClosestPoint | undefined {
	const row = closest(tree, [point[0]!, point[1]!, point[2]!], { pose: options.pose, limit: options.limit });
	return row[0] ? { triangle: row[1]!, distance: row[2]!, point: rows.vectorAt(row, 3) } : undefined;
}

/** closestPoint() for many points, three numbers each. */
export function closestPointBatch(tree: Tree, points: Numbers, options: ClosestPointOptions & BatchOptions = {}): ClosestPointBatch {
	const all = closest(tree, points, options);
	const found = rows.column(Float64Array, all, rows.CLOSEST, 2);
	for (let i = 0; i < found.length; ++i) if (all[rows.CLOSEST * i] === 0) found[i] = Infinity;
	return {
		distance: found,
		points: rows.column(Float64Array, all, rows.CLOSEST, 3, 3),
		triangles: rows.column(Uint32Array, all, rows.CLOSEST, 1),
		status: rows.column(Uint8Array, all, rows.CLOSEST, 6),
	};
}

/** Where a point may be, by its number in a batch. UNDECIDABLE: within the box of surfaces that are open. */
export const LOCATIONS = ["OUTSIDE", "ON_SURFACE", "INSIDE", "UNDECIDABLE"] as const;
export type Location = (typeof LOCATIONS)[number];

/** locatePoint() for many points: numbers of LOCATIONS. */
export function locatePointBatch(tree: Tree, points: Numbers, options: PointOptions = {}): Uint8Array {
	const address = tree.address;
	const [pose, at, count] = send(options.pose, points, 3);
	const out = room(RESULTS, count + 8);
	check(call("web_locate", address, pose, at, count, out));
	return bytes(out, count).slice();
}

/** Is a point inside the mesh, outside, or on its surface? */
export function locatePoint(tree: Tree, point: Numbers, options: PointOptions = {}): Location {
	return LOCATIONS[locatePointBatch(tree, [point[0]!, point[1]!, point[2]!], options)[0]!]!;
}

// ------------------------------------------------------------------------------------------------
// Shapes

/** A solid shape, or a plane. Axes are three unit vectors, one after the other. */
export type Shape =
	| { kind: "sphere"; centre: Numbers; radius: number }
	| { kind: "aabb"; min: Numbers; max: Numbers }
	| { kind: "box"; centre: Numbers; half: Numbers }
	| { kind: "obb"; centre: Numbers; axes: Numbers; half: Numbers }
	| { kind: "ellipsoid"; centre: Numbers; axes: Numbers; half: Numbers }
	| { kind: "capsule"; from: Numbers; to: Numbers; radius: number }
	/** All x with normal . x = offset; the half-space is what is below it, too. */
	| { kind: "plane" | "halfSpace"; normal: Numbers; offset: number };

const KINDS = ["sphere", "aabb", "box", "obb", "ellipsoid", "capsule", "plane", "halfSpace"];

// The numbers of a shape in the order of its structure in C.
function numbersOf(shape: Shape): number[] {
	const list = (numbers: Numbers, count = 3) => {
		if (numbers.length !== count) throw new DualBvhError(`a ${shape.kind} with ${numbers.length} numbers for ${count}`, "INVALID_ARGUMENT");
		return Array.from(numbers);
	};
	switch (shape.kind) {
		case "sphere":
			return [...list(shape.centre), shape.radius];
		case "aabb":
			return [...list(shape.min), ...list(shape.max)];
		case "box":
			return [...list(shape.centre), ...list(shape.half)];
		case "obb":
		case "ellipsoid":
			return [...list(shape.centre), ...list(shape.axes, 9), ...list(shape.half)];
		case "capsule":
			return [...list(shape.from), ...list(shape.to), shape.radius];
		case "plane":
		case "halfSpace":
			return [...list(shape.normal), shape.offset];
	}
}

function askShape(tree: Tree, shape: Shape, find: number, options: PointOptions): Float64Array {
	const address = tree.address;
	const numbers = numbersOf(shape);
	const [pose, at] = send(options.pose, numbers, 1);
	const out = room(RESULTS, 24);
	check(call("web_collide_shape", address, pose, KINDS.indexOf(shape.kind), at, numbers.length, find, out));
	return floats(out, 3);
}

/** Does the surface of the mesh have a point in the shape? */
export function collideShape(tree: Tree, shape: Shape, options: PointOptions = {}): boolean {
	return askShape(tree, shape, ANY, options)[0] !== 0;
}

/** Lists the triangles that have a point in the shape. */
export function collideShapeTriangles(tree: Tree, shape: Shape, options: PointOptions = {}): Uint32Array {
	const count = askShape(tree, shape, 1, options)[2]!;
	return words(filled(LIST), count).slice();
}
