// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Queries of two meshes, of which B may be at many poses. Answers are those of real arithmetic on the given doubles.

import { ARGUMENTS, call, check, desktop, filled, floats, LIST, RESULTS, room, words } from "./module.js";
import { Motion, type Pose, type Poses, sendPoses, writePose } from "./pose.js";
import * as rows from "./rows.js";
import type { BatchOptions, Interval, Pair, Vector } from "./rows.js";
import type { Tree } from "./tree.js";

export interface PairOptions {
	/** The placement of A; by default A stays where its vertices are. */
	poseA?: Pose;
	/** The most steps; a call that needs more throws BUDGET_SPENT. 10^6 take 5 to 100 ms. */
	maxWork?: number;
}
export type PairBatchOptions = PairOptions & BatchOptions;

type Asked = [rows: Float64Array, count: number];

// Asks about B at all poses; returns the rows, which are valid until the next call.
function ask(name: string, width: number, a: Tree, b: Tree, poses: Poses, options: PairBatchOptions, numbers: number[]): Asked {
	const trees = [a.address, b.address] as const;
	const [poseA, posesB, count] = sendPoses(options.poseA, poses);
	const out = room(RESULTS, 8 * width * count + 8);
	const work = rows.length(options.maxWork, "maxWork");
	rows.checkBatch(call(name, trees[0], poseA, trees[1], posesB, count, ...numbers, work, out), options);
	return [floats(out, width * count), count];
}

// Asks about B at one pose; returns the row, which is valid until the next call.
function one(name: string, a: Tree, b: Tree, pose: Pose, options: PairOptions, numbers: number[]): Float64Array {
	const desk = desktop();
	const at = desk.byteOffset;
	const { poseA, maxWork } = options;
	const isPlaced = poseA !== undefined && poseA !== null;
	if (isPlaced) writePose(desk, 0, poseA);
	writePose(desk, 16, pose);
	const work = rows.length(maxWork, "maxWork");
	check(call(name, a.address, isPlaced ? at : 0, b.address, at + 128, 1, ...numbers, work, at + 256));
	return desktop().subarray(32);
}

// ------------------------------------------------------------------------------------------------
// Collision

export interface CollideResult {
	/** True if two triangles share a point, however little. */
	intersecting: boolean;
	/** A pair of triangles that intersect. */
	pair?: Pair;
}

export interface PairsResult {
	intersecting: boolean;
	/** Two numbers a pair, of A and of B, sorted. */
	pairs: Uint32Array;
}

export interface CollideBatch {
	/** 1 where B at that pose intersects A. */
	intersecting: Uint8Array;
	/** Two numbers a pose: a pair of triangles that intersect. */
	pairs: Uint32Array;
	/** 0, or the reason why there is no answer: see failures(). */
	status: Uint8Array;
}

const ANY = 0;

/** Do the surfaces of A and B share a point? One inside the other, without a common point, is not a collision: relate(). */
export function collide(a: Tree, b: Tree, poseB?: Pose, options: PairOptions = {}): CollideResult {
	const row = one("web_collide", a, b, poseB, options, [ANY]);
	return row[0] ? { intersecting: true, pair: rows.pairAt(row, 1) } : { intersecting: false };
}

/** collide() for each of many poses of B. */
export function collideBatch(a: Tree, b: Tree, posesB: Poses, options: PairBatchOptions = {}): CollideBatch {
	const [all] = ask("web_collide", rows.COLLIDE, a, b, posesB, options, [ANY]);
	return {
		intersecting: rows.column(Uint8Array, all, rows.COLLIDE, 0),
		pairs: rows.column(Uint32Array, all, rows.COLLIDE, 1, 2),
		status: rows.column(Uint8Array, all, rows.COLLIDE, 4),
	};
}

function pairs(a: Tree, b: Tree, poseB: Pose, maxDistance: number, options: PairOptions): PairsResult {
	const trees = [a.address, b.address] as const;
	const [poseA, pose] = sendPoses(options.poseA, [poseB]);
	const out = room(RESULTS, 8 * rows.COLLIDE);
	const work = rows.length(options.maxWork, "maxWork");
	check(call("web_pairs", trees[0], poseA, trees[1], pose, maxDistance, work, out));
	const row = floats(out, rows.COLLIDE);
	return { intersecting: row[0] !== 0, pairs: words(filled(LIST), 2 * row[3]!).slice() };
}

/** Lists all pairs of triangles that intersect. */
export function collidePairs(a: Tree, b: Tree, poseB?: Pose, options: PairOptions = {}): PairsResult {
	return pairs(a, b, poseB, -1, options);
}

/** Does a mesh intersect itself, beyond the corners and edges that its triangles share? */
export function selfCollide(tree: Tree, options: { maxWork?: number } = {}): CollideResult {
	const out = room(RESULTS, 8 * rows.COLLIDE);
	check(call("web_self", tree.address, ANY, rows.length(options.maxWork, "maxWork"), out));
	const row = floats(out, rows.COLLIDE);
	return row[0] ? { intersecting: true, pair: rows.pairAt(row, 1) } : { intersecting: false };
}

/** Lists all pairs of triangles of one mesh that intersect beyond the corners and edges that they share. */
export function selfPairs(tree: Tree, options: { maxWork?: number } = {}): PairsResult {
	const out = room(RESULTS, 8 * rows.COLLIDE);
	check(call("web_self", tree.address, 1, rows.length(options.maxWork, "maxWork"), out));
	const row = floats(out, rows.COLLIDE);
	return { intersecting: row[0] !== 0, pairs: words(filled(LIST), 2 * row[3]!).slice() };
}

// ------------------------------------------------------------------------------------------------
// Clearance and distance

/** True if A and B are at most maxDistance apart, decided exactly. */
export function checkClearance(a: Tree, b: Tree, maxDistance: number, poseB?: Pose, options: PairOptions = {}): boolean {
	return one("web_clearance", a, b, poseB, options, [maxDistance])[0] !== 0;
}

/** checkClearance() for each of many poses of B; `intersecting` is 1 where they are within the distance. */
export function checkClearanceBatch(a: Tree, b: Tree, maxDistance: number, posesB: Poses, options: PairBatchOptions = {}): CollideBatch {
	const [all] = ask("web_clearance", rows.COLLIDE, a, b, posesB, options, [maxDistance]);
	return {
		intersecting: rows.column(Uint8Array, all, rows.COLLIDE, 0),
		pairs: rows.column(Uint32Array, all, rows.COLLIDE, 1, 2),
		status: rows.column(Uint8Array, all, rows.COLLIDE, 4),
	};
}

/** Lists all pairs of triangles that are at most maxDistance apart. */
export function clearancePairs(a: Tree, b: Tree, maxDistance: number, poseB?: Pose, options: PairOptions = {}): PairsResult {
	return pairs(a, b, poseB, rows.length(maxDistance, "maxDistance"), options);
}

export interface DistanceOptions extends PairOptions {
	/** The largest distance of interest: a larger one counts as not found. */
	limit?: number;
	/** Errors that are allowed, for speed: 0.01 for one per cent. */
	relativeError?: number;
	absoluteError?: number;
}

export interface DistanceResult {
	/** The distance, rounded up to the next double; 0 where the surfaces intersect. */
	distance: number;
	/** Two triangles at that distance. */
	pair: Pair;
	/** A point of each in the common frame. */
	pointA: Vector;
	pointB: Vector;
	/** From the point of A to that of B, with more correct digits than their difference. */
	between: Vector;
}

export interface DistanceBatch {
	/** Infinity where it exceeds the limit. */
	distance: Float64Array;
	pairs: Uint32Array;
	/** Three numbers a pose. */
	pointsA: Float64Array;
	pointsB: Float64Array;
	status: Uint8Array;
}

const errorsOf = (options: DistanceOptions) => [
	rows.length(options.limit, "limit"),
	rows.length(options.relativeError, "relativeError"),
	rows.length(options.absoluteError, "absoluteError"),
];

/** The distance of the surfaces of A and B; undefined where it exceeds options.limit. */
export function distance(a: Tree, b: Tree, poseB?: Pose, options?: DistanceOptions & { limit?: undefined }): DistanceResult;
export function distance(a: Tree, b: Tree, poseB: Pose, options: DistanceOptions): DistanceResult | undefined;
export function distance(a: Tree, b: Tree, poseB?: Pose, options: DistanceOptions = {}): DistanceResult | undefined {
	const row = one("web_distance", a, b, poseB, options, errorsOf(options));
	if (!row[0]) return undefined;
	return {
		distance: row[1]!,
		pair: rows.pairAt(row, 2),
		pointA: rows.vectorAt(row, 4),
		pointB: rows.vectorAt(row, 7),
		between: rows.vectorAt(row, 10),
	};
}

/** distance() for each of many poses of B. */
export function distanceBatch(a: Tree, b: Tree, posesB: Poses, options: DistanceOptions & BatchOptions = {}): DistanceBatch {
	const [all, count] = ask("web_distance", rows.DISTANCE, a, b, posesB, options, errorsOf(options));
	const found = rows.column(Float64Array, all, rows.DISTANCE, 1);
	for (let i = 0; i < count; ++i) if (all[rows.DISTANCE * i] === 0) found[i] = Infinity;
	return {
		distance: found,
		pairs: rows.column(Uint32Array, all, rows.DISTANCE, 2, 2),
		pointsA: rows.column(Float64Array, all, rows.DISTANCE, 4, 3),
		pointsB: rows.column(Float64Array, all, rows.DISTANCE, 7, 3),
		status: rows.column(Uint8Array, all, rows.DISTANCE, 14),
	};
}

// ------------------------------------------------------------------------------------------------
// Relation

/** The relations of two meshes as solids, by their numbers in a batch. */
export const RELATIONS = ["DISJOINT", "TOUCHING", "OVERLAPPING", "A_IN_B", "B_IN_A", "EQUAL", "UNDECIDABLE"] as const;
export type Relation = (typeof RELATIONS)[number];

export interface RelateOptions extends PairOptions {
	/** Meshes that are at most this far apart count as touching. */
	touchGap?: number;
	/** Meshes that a move by at most this length parts count as touching. */
	touchOverlap?: number;
	/** Open surfaces are known to enclose nothing: no relation is UNDECIDABLE. */
	openHoldsNothing?: boolean;
}

export interface RelateResult {
	relation: Relation;
	/** The relation without tolerances. */
	exact: Relation;
	/** The relation if open surfaces enclose nothing. */
	surfaceRelation: Relation;
	surfacesIntersect: boolean;
	/** Two triangles that intersect, where the surfaces do. */
	pair?: Pair;
	/** Where touchOverlap made it TOUCHING: a translation of B that parts the two. */
	separation?: Vector;
	/** True if the relation would differ with the other fill rule for A, or B. */
	ambiguousA: boolean;
	ambiguousB: boolean;
}

export interface RelateBatch {
	/** Numbers of RELATIONS. */
	relation: Uint8Array;
	exact: Uint8Array;
	surfacesIntersect: Uint8Array;
	status: Uint8Array;
}

const tolerancesOf = (options: RelateOptions) => [
	options.touchGap ?? 0,
	options.touchOverlap ?? 0,
	options.openHoldsNothing ? 1 : 0,
];

/** @internal */
export function relationOf(row: Float64Array): RelateResult {
	const separation = rows.vectorAt(row, 9);
	return {
		relation: RELATIONS[row[0]!]!,
		exact: RELATIONS[row[1]!]!,
		surfaceRelation: RELATIONS[row[2]!]!,
		surfacesIntersect: row[6] !== 0,
		...(row[6] ? { pair: rows.pairAt(row, 7) } : {}),
		...(separation.some((x) => x !== 0) ? { separation } : {}),
		ambiguousA: row[4] !== 0,
		ambiguousB: row[5] !== 0,
	};
}

/** Are A and B, as solids, disjoint, touching, overlapping, one inside the other, or equal? */
export function relate(a: Tree, b: Tree, poseB?: Pose, options: RelateOptions = {}): RelateResult {
	return relationOf(one("web_relate", a, b, poseB, options, tolerancesOf(options)));
}

/** relate() for each of many poses of B. */
export function relateBatch(a: Tree, b: Tree, posesB: Poses, options: RelateOptions & BatchOptions = {}): RelateBatch {
	const [all] = ask("web_relate", rows.RELATE, a, b, posesB, options, tolerancesOf(options));
	return {
		relation: rows.column(Uint8Array, all, rows.RELATE, 0),
		exact: rows.column(Uint8Array, all, rows.RELATE, 1),
		surfacesIntersect: rows.column(Uint8Array, all, rows.RELATE, 6),
		status: rows.column(Uint8Array, all, rows.RELATE, 16),
	};
}

// ------------------------------------------------------------------------------------------------
// Depth

export interface PenetrationOptions extends PairOptions {
	/** The translation leaves no common point at all. */
	strict?: boolean;
	/** The width of the bounds that is wanted, relative to the upper one; by default 0.01. */
	relativeWidth?: number;
}

export interface PenetrationResult {
	/** The length of the shortest translation that parts the interiors. */
	depth: Interval;
	/** A translation of B, in the frame of A, no longer than the upper bound. */
	translation: Vector;
	relation: Relation;
	/** True if the bounds are as close as was asked for. */
	reached: boolean;
}

/** How far must B be moved until the interiors of A and B are disjoint (penetration depth, by certified bounds)? */
export function penetrationDepth(a: Tree, b: Tree, poseB?: Pose, options: PenetrationOptions = {}): PenetrationResult {
	const numbers = [options.strict ? 1 : 0, rows.length(options.relativeWidth, "relativeWidth")];
	const row = one("web_penetration_depth", a, b, poseB, options, numbers);
	return {
		depth: [row[0]!, row[1]!],
		translation: rows.vectorAt(row, 2),
		relation: RELATIONS[row[5]!]!,
		reached: row[7] !== 0,
	};
}

/** The verdicts of localDepth(): whether the overlap is at most as deep as allowed. */
export const FIT_VERDICTS = ["NONE", "FIT", "CLASH", "UNDECIDED"] as const;
export type FitVerdict = (typeof FIT_VERDICTS)[number];

export interface LocalDepthOptions extends PairOptions {
	/** The depth that is a fit and no clash. */
	allowedDepth?: number;
	/** The width of the bounds that is wanted, relative to the upper one; by default 1e-3. */
	relativeWidth?: number;
}

export interface LocalDepthSide {
	/** The greatest distance of a common point from the other boundary. */
	depth: Interval;
	deepest: Vector;
	nearest: Vector;
	/** The unit vector from the deepest point to the nearest one of that boundary. */
	direction: Vector;
}

export interface LocalDepthResult {
	/** The distance from the boundary of B, and from that of A. */
	aInB: LocalDepthSide;
	bInA: LocalDepthSide;
	/** The smaller of the two: how deep material overlaps material. */
	least: Interval;
	verdict: FitVerdict;
	relation: Relation;
	reached: boolean;
}

function sideAt(row: Float64Array, at: number): LocalDepthSide {
	return {
		depth: [row[at]!, row[at + 1]!],
		deepest: rows.vectorAt(row, at + 2),
		nearest: rows.vectorAt(row, at + 5),
		direction: rows.vectorAt(row, at + 8),
	};
}

/** How deep does material of A and B overlap, at the deepest place? Press fits tolerate `least`. */
export function localDepth(a: Tree, b: Tree, poseB?: Pose, options: LocalDepthOptions = {}): LocalDepthResult {
	const numbers = [rows.length(options.relativeWidth, "relativeWidth"), rows.length(options.allowedDepth, "allowedDepth")];
	const row = one("web_local_depth", a, b, poseB, options, numbers);
	return {
		aInB: sideAt(row, 0),
		bInA: sideAt(row, 11),
		least: [row[22]!, row[23]!],
		verdict: FIT_VERDICTS[row[24]!]!,
		relation: RELATIONS[row[25]!]!,
		reached: row[26] !== 0,
	};
}

// ------------------------------------------------------------------------------------------------
// Time of impact

/** The verdicts of timeOfImpact(), by their numbers in a batch. */
export const TOI_VERDICTS = ["CLEAR", "CONTACT", "CLOSE", "UNDECIDED"] as const;
export type ToiVerdict = (typeof TOI_VERDICTS)[number];

export interface ToiOptions {
	/** The motion of A; by default A rests where its vertices are. */
	motionA?: Motion;
	/** The most by which the confirmed contact may be later than `time`; by default 2^-20 of the motion. */
	tolerance?: number;
	/** The time at which the search begins, 0 to 1. */
	start?: number;
	maxWork?: number;
}

export interface ToiResult {
	/** CLEAR: never. CONTACT: at `time`, confirmed by `upper`. CLOSE: nearer than rounding tells at `time`. */
	verdict: ToiVerdict;
	/** A time before which A and B do not touch. */
	time: number;
	/** A time at which collide() says that they do; Infinity where none is known. */
	upper: number;
	/** At `time`: two triangles, a point of each and a unit vector from A to B. */
	pair: Pair;
	pointA: Vector;
	pointB: Vector;
	normal: Vector;
}

export interface ToiBatch {
	/** Numbers of TOI_VERDICTS. */
	verdict: Uint8Array;
	time: Float64Array;
	upper: Float64Array;
	pairs: Uint32Array;
	pointsA: Float64Array;
	pointsB: Float64Array;
	normals: Float64Array;
	status: Uint8Array;
}

function askToi(a: Tree, b: Tree, motions: readonly Motion[], options: ToiOptions & BatchOptions): Float64Array {
	const size = 8 * Motion.LENGTH;
	const trees = [a.address, b.address] as const;
	const at = room(ARGUMENTS, size * (motions.length + 1));
	const numbers = floats(at, Motion.LENGTH * (motions.length + 1));
	if (options.motionA) numbers.set(options.motionA.numbers);
	motions.forEach((motion, i) => numbers.set(motion.numbers, Motion.LENGTH * (i + 1)));
	const out = room(RESULTS, 8 * rows.TOI * motions.length + 8);
	const fixed = options.motionA ? at : 0;
	const more = [options.tolerance ?? 0, options.start ?? 0, rows.length(options.maxWork, "maxWork")];
	const status = call("web_time_of_impact", trees[0], fixed, trees[1], at + size, motions.length, ...more, out);
	rows.checkBatch(status, options);
	return floats(out, rows.TOI * motions.length);
}

/** When do A and B, in motion, touch for the first time? The answer is about every time, not about samples. */
export function timeOfImpact(a: Tree, b: Tree, motionB: Motion, options: ToiOptions = {}): ToiResult {
	const row = askToi(a, b, [motionB], options);
	return {
		verdict: TOI_VERDICTS[row[0]!]!,
		time: row[1]!,
		upper: row[2]!,
		pair: rows.pairAt(row, 4),
		pointA: rows.vectorAt(row, 6),
		pointB: rows.vectorAt(row, 9),
		normal: rows.vectorAt(row, 12),
	};
}

/** timeOfImpact() for each of many motions of B. */
export function timeOfImpactBatch(a: Tree, b: Tree, motionsB: readonly Motion[], options: ToiOptions & BatchOptions = {}): ToiBatch {
	const all = askToi(a, b, motionsB, options);
	return {
		verdict: rows.column(Uint8Array, all, rows.TOI, 0),
		time: rows.column(Float64Array, all, rows.TOI, 1),
		upper: rows.column(Float64Array, all, rows.TOI, 2),
		pairs: rows.column(Uint32Array, all, rows.TOI, 4, 2),
		pointsA: rows.column(Float64Array, all, rows.TOI, 6, 3),
		pointsB: rows.column(Float64Array, all, rows.TOI, 9, 3),
		normals: rows.column(Float64Array, all, rows.TOI, 12, 3),
		status: rows.column(Uint8Array, all, rows.TOI, 15),
	};
}
