// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Scenes of many bodies: which pairs clash by rules, the nearest two, rays, configurations of robots.

import { ARGUMENTS, call, check, Disposable, disposals, filled, floats, lastError, need, RECORDS, RESULTS, room, words } from "./module.js";
import { DualBvhError } from "./errors.js";
import { type DistanceResult, type Relation, type RelateResult, relationOf, RELATIONS } from "./pairs.js";
import type { ClosestPoint, RayHit } from "./points.js";
import { type Pose, poseCount, type Poses, sendPose, writePoses } from "./pose.js";
import * as rows from "./rows.js";
import type { Pair, Vector } from "./rows.js";
import type { Tree } from "./tree.js";

/** The rule of a pair of bodies. Without one the two must not meet, touching included. */
export interface Rule {
	/** The pair is never checked. */
	mayCollide?: boolean;
	/** Touching is no clash. */
	mayTouch?: boolean;
	/** Bodies less than this apart clash. */
	clearance?: number;
	/** Bodies at most this far apart touch. */
	touchGap?: number;
	/** Bodies that a translation by at most this length parts only touch. */
	touchOverlap?: number;
}

export interface BodyOptions {
	/** Bits of the groups that the body is in; by default 1. */
	group?: number;
	/** Bits of the groups that it is checked against; by default all. */
	mask?: number;
	/** The largest distance of its triangles from the true surface; it is added to the tolerances of rules. */
	sag?: number;
	/** The body is all points at most this far from its triangles. One whose corners coincide is a point, one with two that do a segment. */
	radius?: number;
}

export interface SceneOptions {
	/** Only pairs of which one is this body. */
	body?: number;
	/** The most steps for all pairs together. */
	maxWork?: number;
}

export interface Collision {
	a: number;
	b: number;
	/** A triangle of each that intersect. */
	pair: Pair;
}

export const CLASH_KINDS = ["HARD", "CONTAINMENT", "DUPLICATE", "TOUCH", "CLEARANCE", "UNDECIDABLE"] as const;
export type ClashKind = (typeof CLASH_KINDS)[number];

export interface Clash extends Collision {
	kind: ClashKind;
	/** With the tolerances of the rule, and without. */
	relation: Relation;
	exact: Relation;
	/** For CLEARANCE: the distance, and points at it. */
	distance: number;
	pointA: Vector;
	pointB: Vector;
	/** For a TOUCH by touchOverlap: a translation of b that parts the two. */
	separation: Vector;
}

export interface ConfigurationBatch {
	intersecting: Uint8Array;
	/** Two bodies that collide, a configuration. */
	bodies: Uint32Array;
	/** The least distance of two bodies where it was asked for and is within maxDistance; else -1. */
	distance: Float64Array;
	status: Uint8Array;
}

const NO_BODY = 0xffffffff;
const COLLISION = 4;
const CLASH = 17;

/** Bodies in one frame. Trees may be shared by bodies; the scene keeps them until it is disposed of. */
export class Scene extends Disposable {
	readonly #trees = new Map<number, Tree>();
	#checked = 0; // the value of `disposals` when all trees were last known to be there

	constructor() {
		super(call("web_scene_create"), "web_scene_destroy");
	}

	/** Adds a body and returns its number: the lowest that is free. */
	add(tree: Tree, pose?: Pose, options: BodyOptions = {}): number {
		const address = tree.address;
		const [at] = sendPose(pose);
		const { group = 0, mask = 0, sag = 0, radius = 0 } = options;
		if (sag > 0) need("web_local_depth"); // a query would ask it
		const body = call("web_scene_add", this.#address, address, at, group, mask, sag, radius) >>> 0;
		if (body === NO_BODY) throw lastError();
		this.#trees.set(body, tree);
		return body;
	}

	remove(body: number): void {
		check(call("web_scene_remove", this.#address, body));
		this.#trees.delete(body);
	}

	/** The numbers of the bodies, ascending. */
	get bodies(): number[] {
		return [...this.#trees.keys()].sort((a, b) => a - b);
	}

	tree(body: number): Tree {
		const tree = this.#trees.get(body);
		if (!tree) throw new DualBvhError(`the scene has no body ${body}`, "INVALID_ARGUMENT");
		return tree;
	}

	setPose(body: number, pose: Pose): void {
		this.setPoses([pose], [body]);
	}

	/** Moves bodies: those that are named, else all of them in ascending order. */
	setPoses(poses: Poses, bodies?: ArrayLike<number>): void {
		const [at, named, count] = this.#sendPoses(poses, bodies, 1);
		check(call("web_scene_set_poses", this.#address, named, at, count));
	}

	/** Sets the rule of all pairs that have no other. */
	setDefaultRule(rule: Rule): void {
		this.#setRule(NO_BODY, NO_BODY, rule);
	}

	/** Sets the rule of a body; null removes it. */
	setBodyRule(body: number, rule: Rule | null): void {
		this.#setRule(body, NO_BODY, rule);
	}

	/** Sets the rule of a pair, which takes precedence; null removes it. */
	setPairRule(a: number, b: number, rule: Rule | null): void {
		this.#setRule(a, b, rule);
	}

	/** Lists the pairs of bodies whose surfaces meet. */
	collide(options: SceneOptions = {}): Collision[] {
		return this.#list(false, 1, options, COLLISION, collisionOf);
	}

	/** True if the surfaces of any two bodies meet. */
	collides(options: SceneOptions = {}): boolean {
		return this.#list(false, 0, options, COLLISION, collisionOf).length > 0;
	}

	/** Lists the pairs that break their rule. */
	clashes(options: SceneOptions = {}): Clash[] {
		return this.#list(true, 1, options, CLASH, clashOf);
	}

	/** The two bodies that are closest to each other; undefined where none are within the limit. */
	distance(options: { limit?: number } = {}): (DistanceResult & { a: number; b: number }) | undefined {
		const out = room(RESULTS, 8 * (2 + rows.DISTANCE));
		check(call("web_scene_distance", this.#address, rows.length(options.limit, "limit"), out));
		const row = floats(out, 2 + rows.DISTANCE);
		if (!row[2]) return undefined;
		return {
			a: row[0]!,
			b: row[1]!,
			distance: row[3]!,
			pair: rows.pairAt(row, 4),
			pointA: rows.vectorAt(row, 6),
			pointB: rows.vectorAt(row, 9),
			between: rows.vectorAt(row, 12),
		};
	}

	/** relate() of two bodies, with the tolerances of their rule. */
	relate(a: number, b: number): RelateResult {
		const out = room(RESULTS, 8 * rows.RELATE);
		check(call("web_scene_relate", this.#address, a, b, out));
		return relationOf(floats(out, rows.RELATE));
	}

	/** The first hit of a ray on any body. */
	raycast(from: ArrayLike<number>, direction: ArrayLike<number>): (RayHit & { body: number }) | undefined {
		const at = room(ARGUMENTS, 48);
		floats(at, 6).set([from[0]!, from[1]!, from[2]!, direction[0]!, direction[1]!, direction[2]!]);
		const out = room(RESULTS, 48);
		check(call("web_scene_raycast", this.#address, at, out));
		const row = floats(out, 6);
		if (row[0] === NO_BODY) return undefined;
		return { body: row[0]!, triangle: row[1]!, t: row[2]!, point: rows.vectorAt(row, 3) };
	}

	/** The closest point of any body. */
	closestPoint(point: ArrayLike<number>, options: { limit?: number } = {}): (ClosestPoint & { body: number }) | undefined {
		const at = room(ARGUMENTS, 24);
		floats(at, 3).set([point[0]!, point[1]!, point[2]!]);
		const out = room(RESULTS, 48);
		check(call("web_scene_closest_point", this.#address, at, rows.length(options.limit, "limit"), out));
		const row = floats(out, 6);
		if (row[0] === NO_BODY) return undefined;
		return { body: row[0]!, triangle: row[1]!, distance: row[2]!, point: rows.vectorAt(row, 3) };
	}

	/**
	 * Asks about many configurations without moving anything: poses are those of the bodies that are named (else of all,
	 * ascending) in the first configuration, then in the second, and so on. With maxDistance also the least distance.
	 */
	collideBatch(poses: Poses, options: { bodies?: ArrayLike<number>; maxDistance?: number; keepErrors?: boolean } = {}): ConfigurationBatch {
		const bodyCount = options.bodies?.length ?? this.#trees.size;
		const [at, named, count] = this.#sendPoses(poses, options.bodies, bodyCount);
		const out = room(RESULTS, 40 * count + 8);
		const most = rows.length(options.maxDistance, "maxDistance");
		rows.checkBatch(call("web_scene_collide_batch", this.#address, named, bodyCount, at, count, most, out), options);
		const all = floats(out, 5 * count);
		return {
			intersecting: rows.column(Uint8Array, all, 5, 0),
			bodies: rows.column(Uint32Array, all, 5, 1, 2),
			distance: rows.column(Float64Array, all, 5, 3),
			status: rows.column(Uint8Array, all, 5, 4),
		};
	}

	// The address of the scene. A tree that has been disposed of while a body has it is an error.
	get #address(): number {
		if (this.#checked !== disposals) for (const tree of this.#trees.values()) void tree.address;
		this.#checked = disposals;
		return this.address;
	}

	// Returns the addresses of poses and bodies, and the number of sets of `bodyCount` poses.
	#sendPoses(poses: Poses, bodies: ArrayLike<number> | undefined, bodyCount: number): [at: number, bodies: number, count: number] {
		const count = poseCount(poses);
		if (bodyCount === 0 ? count > 0 : count % bodyCount !== 0)
			throw new DualBvhError(`${count} poses for ${bodyCount} bodies`, "INVALID_ARGUMENT");
		const at = room(ARGUMENTS, 128 * count + 4 * (bodies?.length ?? 0) + 8);
		writePoses(floats(at, 16 * count), poses);
		if (!bodies) return [at, 0, bodyCount === 0 ? 0 : count / bodyCount];
		words(at + 128 * count, bodies.length).set(bodies);
		return [at, at + 128 * count, bodyCount === 0 ? 0 : count / bodyCount];
	}

	#setRule(a: number, b: number, rule: Rule | null): void {
		const at = room(ARGUMENTS, 40);
		const { mayCollide = false, mayTouch = false, clearance = 0, touchGap = 0, touchOverlap = 0 } = rule ?? {};
		floats(at, 5).set([mayCollide ? 1 : 0, mayTouch ? 1 : 0, clearance, touchGap, touchOverlap]);
		check(call("web_scene_set_rule", this.#address, a, b, rule ? at : 0));
	}

	#list<T>(byRules: boolean, find: number, options: SceneOptions, width: number, make: (row: Float64Array) => T): T[] {
		const out = room(RESULTS, 24);
		const work = rows.length(options.maxWork, "maxWork");
		const body = options.body ?? NO_BODY;
		check(call("web_scene_collide", this.#address, byRules ? 1 : 0, find, body, work, out));
		const count = floats(out, 1)[0]!;
		const all = floats(filled(RECORDS), width * count);
		return Array.from({ length: count }, (_, i) => make(all.subarray(width * i, width * (i + 1))));
	}
}

function collisionOf(row: Float64Array): Collision {
	return { a: row[0]!, b: row[1]!, pair: rows.pairAt(row, 2) };
}

function clashOf(row: Float64Array): Clash {
	return {
		a: row[0]!,
		b: row[1]!,
		kind: CLASH_KINDS[row[2]!]!,
		relation: RELATIONS[row[3]!]!,
		exact: RELATIONS[row[4]!]!,
		distance: row[5]!,
		pair: rows.pairAt(row, 6),
		pointA: rows.vectorAt(row, 8),
		pointB: rows.vectorAt(row, 11),
		separation: rows.vectorAt(row, 14),
	};
}
