// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Contacts: along which curves and regions two meshes meet.

import { call, check, floats, RESULTS, room, words } from "./module.js";
import { DualBvhError } from "./errors.js";
import type { PairOptions } from "./pairs.js";
import { type Pose, sendPoses } from "./pose.js";
import * as rows from "./rows.js";
import type { Vector } from "./rows.js";
import type { Tree } from "./tree.js";

export type ContactKind = "point" | "segment" | "polygon";

/** A chain of segments; its points are indices into `points`. A closed one also has a step from the last to the first. */
export interface Polyline {
	points: Uint32Array;
	length: number;
	/** A curve where surfaces cross, or the boundary of a region where they lie on each other. */
	kind: "curve" | "boundary";
	closed: boolean;
	/** True if it runs anticlockwise round what of A is inside B, seen from outside A. */
	directed: boolean;
	cluster: number;
}

/** A connected part of the contact. */
export interface Cluster {
	min: Vector;
	max: Vector;
	/** The sum of the lengths of its polylines. */
	length: number;
	/** The sum of the areas of its polygons. */
	area: number;
	contactCount: number;
	pointCount: number;
	polylineCount: number;
}

/** The contacts of A and B, in the frame in which A's vertices were given. */
export interface Contacts {
	/** Three numbers a point, each the exact one rounded once. */
	points: Float64Array;
	/** Six numbers a pair of triangles: of A, of B, kind (0 point, 1 segment, 2 polygon), first corner, corners, cluster. */
	records: Uint32Array;
	/** Indices into points: the corners of the contacts. */
	corners: Uint32Array;
	polylines: Polyline[];
	clusters: Cluster[];
}

const RECORD = 6;
const POLYLINE = 7;
const CLUSTER = 11;

// Fills room by an export and copies it.
function list<T extends Float64Array | Uint32Array>(name: string, view: (at: number, count: number) => T, count: number): T {
	const at = room(RESULTS, 8 * count + 8);
	call(name, at);
	return view(at, count).slice() as T;
}

/** Finds all contacts of A and B. Both trees need their topology. */
export function contacts(a: Tree, b: Tree, poseB?: Pose, options: PairOptions = {}): Contacts {
	const trees = [a.address, b.address] as const;
	const [poseA, pose] = sendPoses(options.poseA, [poseB]);
	const out = room(RESULTS, 48);
	check(call("web_contacts", trees[0], poseA, trees[1], pose, rows.length(options.maxWork, "maxWork"), out));
	const [contactCount, cornerCount, pointCount, lineCount, pathCount, clusterCount] = floats(out, 6) as unknown as number[];
	const points = list("web_contact_positions", floats, 3 * pointCount!);
	const records = list("web_contact_records", words, RECORD * contactCount!);
	const indices = list("web_contact_indices", words, cornerCount! + pathCount!);
	const lines = list("web_contact_polylines", floats, POLYLINE * lineCount!);
	const clusters = list("web_contact_clusters", floats, CLUSTER * clusterCount!);
	return {
		points,
		records,
		corners: indices.slice(0, cornerCount),
		polylines: Array.from({ length: lineCount! }, (_, i) => polyline(lines.subarray(POLYLINE * i), indices.subarray(cornerCount))),
		clusters: Array.from({ length: clusterCount! }, (_, i) => cluster(clusters.subarray(CLUSTER * i))),
	};
}

function polyline(row: Float64Array, path: Uint32Array): Polyline {
	return {
		points: path.slice(row[0], row[0]! + row[1]!),
		length: row[2]!,
		kind: row[3] === 0 ? "curve" : "boundary",
		cluster: row[4]!,
		closed: row[5] !== 0,
		directed: row[6] !== 0,
	};
}

function cluster(row: Float64Array): Cluster {
	return {
		min: rows.vectorAt(row, 0),
		max: rows.vectorAt(row, 3),
		length: row[6]!,
		area: row[7]!,
		contactCount: row[8]!,
		pointCount: row[9]!,
		polylineCount: row[10]!,
	};
}

/** Returns the polylines as pairs of points, six numbers a segment: what three's LineSegments draws, in the frame of A. */
export function contactSegments(found: Contacts): Float32Array {
	const steps = found.polylines.reduce((sum, line) => sum + line.points.length - (line.closed ? 0 : 1), 0);
	const out = new Float32Array(6 * steps);
	let at = 0;
	const put = (point: number) => {
		out.set(found.points.subarray(3 * point, 3 * point + 3), at);
		at += 3;
	};
	for (const { points, closed } of found.polylines) {
		for (let i = 0; i + 1 < points.length; ++i) {
			put(points[i]!);
			put(points[i + 1]!);
		}
		if (closed) {
			put(points[points.length - 1]!);
			put(points[0]!);
		}
	}
	if (at !== out.length) throw new DualBvhError("a polyline without points", "INVARIANT");
	return out;
}

export interface Separation {
	/** True if A and B are disjoint as they are; the rest is 0 then. */
	disjoint: boolean;
	/** A translation of B, in the frame of A, after which the two have no common point. */
	translation: Vector;
	/** Its length: an upper bound of the shortest one. */
	length: number;
}

/** Finds a translation of B that parts the two solids (minimum translation vector, penetration depth): an upper bound. */
export function separatingTranslation(a: Tree, b: Tree, poseB?: Pose, options: PairOptions = {}): Separation {
	const trees = [a.address, b.address] as const;
	const [poseA, pose] = sendPoses(options.poseA, [poseB]);
	const out = room(RESULTS, 40);
	check(call("web_separating_translation", trees[0], poseA, trees[1], pose, rows.length(options.maxWork, "maxWork"), out));
	const row = floats(out, 5);
	return { disjoint: row[0] !== 0, translation: rows.vectorAt(row, 1), length: row[4]! };
}
