// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The overlap of two bodies: what they have in common, as a body and in figures.

import { call, check, floats, RESULTS, room, words } from "./module.js";
import type { Mesh } from "./mesh.js";
import type { PairOptions } from "./pairs.js";
import { type Pose, sendPoses } from "./pose.js";
import * as rows from "./rows.js";
import type { Interval, Vector } from "./rows.js";
import type { Tree } from "./tree.js";

/** Measures of the exact overlap, in the frame of A; all zero where there is no common volume. */
export interface OverlapMeasure {
	volume: Interval;
	/** Of the whole surface. */
	area: Interval;
	centroid: readonly [x: Interval, y: Interval, z: Interval];
	/** Corners of the bounding box. */
	min: readonly [x: Interval, y: Interval, z: Interval];
	max: readonly [x: Interval, y: Interval, z: Interval];
}

export const OVERLAP_KINDS = [
	"NONE",
	"TOUCHING",
	"PROTRUSION",
	"A_PIERCES_B",
	"B_PIERCES_A",
	"MUTUAL",
	"A_IN_B",
	"B_IN_A",
	"DUPLICATE",
	"UNDECIDED",
] as const;
export type OverlapKind = (typeof OVERLAP_KINDS)[number];

export const OVERLAP_REASONS = ["DECIDED", "OPEN", "SELF_INTERSECTION", "BUDGET", "ARITHMETIC"] as const;
export type OverlapReason = (typeof OVERLAP_REASONS)[number];

/** A connected part of the overlap. */
export interface OverlapComponent extends OverlapMeasure {
	kind: OverlapKind;
	/** A corner of it, rounded. */
	point: Vector;
	/** Its faces in the mesh, where that was asked for. */
	firstFace: number;
	faceCount: number;
}

export interface OverlapOptions extends PairOptions {
	/** Make the mesh of the overlap, too. */
	mesh?: boolean;
	/** The width of the volume's interval that is wanted, relative to its upper end; by default 1e-9. */
	relativeWidth?: number;
	/** Open surfaces are known to enclose nothing. */
	openHoldsNothing?: boolean;
}

export interface OverlapResult extends OverlapMeasure {
	kind: OverlapKind;
	/** Why it is UNDECIDED: the body (0: A, 1: B) is open, or intersects itself, at the triangles. */
	reason: OverlapReason;
	where?: { body: number; triangles: readonly [number, number] };
	components: OverlapComponent[];
	/** In the frame of A: closed, anticlockwise seen from outside. */
	mesh?: Mesh & {
		/** Two numbers a face: the body (0: A, 1: B) and the triangle that it lies on. */
		sources: Uint32Array;
	};
}

const MEASURE = 22;
const COMPONENT = 10 + MEASURE;

function measureOf(row: Float64Array, at: number): OverlapMeasure {
	const interval = (i: number): Interval => [row[at + 2 * i]!, row[at + 2 * i + 1]!];
	const vector = (i: number) => [interval(i), interval(i + 1), interval(i + 2)] as const;
	return { volume: interval(0), area: interval(1), centroid: vector(2), min: vector(5), max: vector(8) };
}

function componentOf(row: Float64Array): OverlapComponent {
	return {
		kind: OVERLAP_KINDS[row[0]!]!,
		point: rows.vectorAt(row, 5),
		firstFace: row[8]!,
		faceCount: row[9]!,
		...measureOf(row, 10),
	};
}

/** What do A and B have in common: volume, area, centroid, box, and as a mesh? Both trees need their topology. */
export function overlap(a: Tree, b: Tree, poseB?: Pose, options: OverlapOptions = {}): OverlapResult {
	const trees = [a.address, b.address] as const;
	const [poseA, pose] = sendPoses(options.poseA, [poseB]);
	const out = room(RESULTS, 8 * (8 + MEASURE));
	const flags = [rows.length(options.relativeWidth, "relativeWidth"), options.mesh ? 1 : 0, options.openHoldsNothing ? 1 : 0];
	check(call("web_overlap", trees[0], poseA, trees[1], pose, ...flags, rows.length(options.maxWork, "maxWork"), out));
	const row = floats(out, 8 + MEASURE).slice();
	const [kind, reason, body, triangle, other, count, vertexCount, faceCount] = row as unknown as number[];
	const list = room(RESULTS, 8 * COMPONENT * count! + 8);
	call("web_overlap_components", list);
	const all = floats(list, COMPONENT * count!);
	const components = Array.from({ length: count! }, (_, i) => componentOf(all.subarray(COMPONENT * i)));
	const isAt = reason === 1 || reason === 2;
	return {
		kind: OVERLAP_KINDS[kind!]!,
		reason: OVERLAP_REASONS[reason!]!,
		...(isAt ? { where: { body: body!, triangles: [triangle!, other!] as const } } : {}),
		...measureOf(row, 8),
		components,
		...(options.mesh ? { mesh: meshOf(vertexCount!, faceCount!) } : {}),
	};
}

function meshOf(vertexCount: number, faceCount: number): NonNullable<OverlapResult["mesh"]> {
	const at = room(RESULTS, 24);
	call("web_overlap_mesh", at);
	const [positions, indices, sources] = floats(at, 3) as unknown as [number, number, number];
	return {
		positions: floats(positions, 3 * vertexCount).slice(),
		indices: words(indices, 3 * faceCount).slice(),
		sources: words(sources, 2 * faceCount).slice(),
	};
}
