// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The picture that the command put into the page: schema dualbvh.picture/2, docs/design/pictures.md.

import { compose, type Link, placeLinks } from "./kinematics";

export type Vec = [number, number, number];
type Range = [number, number]; // first byte and count, or first entry and count

export interface Clash {
	id: string;
	kind: string;
	a: number;
	b: number;
	sentence: string;
	standing?: string;
	point: Vec;
	size: number;
	middle?: Vec; // of what both boxes have in common
	view?: Vec; // the direction to the eye
	pair?: [number, number];
	witness?: [Vec, Vec];
	distance?: number;
	move?: Vec;
	type?: string; // of an overlap: protrusion, piercing, envelope, ...
	depth?: [number, number]; // certified intervals
	volume?: [number, number];
	deepest?: [Vec, Vec]; // the deepest point, and the point of the other surface that is nearest to it
	group?: number;
	frame?: number;
	places?: Range;
	lines?: Range;
	regions?: Range;
	solid?: number; // the shape of the overlap, in the frame of the picture
	contacts_left_out?: boolean;
	counts: boolean; // for the exit status of the command
}

// Is one body of the clash wholly in the other one?
export const isWhole = ({ kind, type }: Clash): boolean => kind === "containment" || kind === "duplicate" || type === "envelope";

export interface Place {
	lower: Vec;
	upper: Vec;
	length: number;
	area: number;
}

interface PackedShape {
	corners: Range;
	positions: Range;
	vertices: number;
	triangles: number;
	whole: number;
	lower: Vec;
	step: number;
}

export interface Body {
	path: string;
	file?: string;
	shape: number;
	pose: number[]; // the rows of [R|t]
	link?: number; // of a robot, which carries it
	local?: number[]; // its pose on the link
}

interface PackedTree {
	body: number;
	count: number;
	total: number;
	depth: number;
	nodes: Range;
	volumes: Range;
}

interface Packed {
	schema: string;
	version: string;
	title: string;
	metres?: number;
	complete: boolean; // false: the first note says what was left out
	lower: Vec;
	upper: Vec;
	triangles: { drawn: number; whole: number; simplified_bodies: number };
	notes: string[];
	shapes: PackedShape[];
	bodies: Body[];
	groups: string[];
	clashes: Clash[];
	places: Place[];
	points: Range;
	point_count: number;
	lines: Range;
	regions: Range;
	time_name?: string;
	frames?: Range;
	tracks?: { body: number; poses: Range }[];
	links?: Link[];
	joint_values?: Range; // a double for each link, frame by frame
	trees: PackedTree[];
	review?: string; // the review file of a run that was compared with an earlier one
	bytes: number;
}

export interface Shape {
	positions: Float32Array; // from `lower` on
	corners: Uint32Array;
	lower: Vec;
	step: number; // of coordinates
	simplified: boolean;
}

export interface Line {
	points: Float64Array; // three a point
	place: number;
	closed: boolean;
	boundary: boolean;
	step: number; // its points are rounded to multiples of it
}

export interface Tree {
	body: number;
	count: number;
	total: number;
	depth: number;
	nodes: Uint32Array; // level, parent, triangles, visited
	volumes: Float32Array; // sphere 4; box and ellipsoid: centre 3, axes 9, half 3
}

export interface Frame {
	time: number;
	distance: number; // NaN: not known
	state: number; // 0 clear, 1 clashing, 2 unknown
}

export interface Picture extends Omit<Packed, "links"> {
	links: Link[]; // none where there is no robot
	shape: (index: number) => Shape;
	line: (index: number) => Line;
	region: (index: number) => { points: Float64Array; place: number };
	allFrames: Frame[];
	moving: number[]; // bodies
	// `joints`: a number for each link, in place of those of the frame.
	poseAt: (body: number, frame: number, joints?: number[]) => ArrayLike<number>;
	jointsAt: (frame: number) => Float64Array;
	tree: (index: number) => Tree;
	json: Packed;
}

async function inflate(base64: string): Promise<ArrayBuffer> {
	const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return new Response(stream).arrayBuffer();
}

// Numbers of seven bits a byte, the lowest first; signed ones are folded: 0, -1, 1, -2, ...
class Varints {
	constructor(
		private readonly bytes: Uint8Array,
		public at: number,
	) {}

	next(): number {
		let value = 0;
		let factor = 1;
		for (;;) {
			const byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
			if (byte < 128) return value;
			factor *= 128;
		}
	}

	nextSigned(): number {
		const folded = this.next();
		return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
	}
}

// Corners say how far they lie back, 0 being a vertex that is new.
function unpack(bytes: Uint8Array, packed: PackedShape): Shape {
	const from = new Varints(bytes, packed.corners[0]);
	const corners = new Uint32Array(3 * packed.triangles);
	let used = 0;
	for (let i = 0; i < corners.length; ++i) {
		const back = from.next();
		corners[i] = back === 0 ? used++ : used - back;
	}
	const positions = new Float32Array(3 * packed.vertices);
	from.at = packed.positions[0];
	for (let k = 0; k < 3; ++k) {
		let last = 0;
		for (let i = 0; i < packed.vertices; ++i) {
			last += from.nextSigned();
			positions[3 * i + k] = last * packed.step;
		}
	}
	return { positions, corners, lower: packed.lower, step: packed.step, simplified: packed.triangles < packed.whole };
}

// Points of contacts, clash by clash: how many, the exponent of their step, the differences of each coordinate.
function unpackPoints(bytes: Uint8Array, { points: [begin, size], point_count: total, lower }: Packed): { points: Float64Array; stepAt: (point: number) => number } {
	const from = new Varints(bytes, begin);
	const points = new Float64Array(3 * total);
	const steps: [number, number][] = []; // first point, step
	let first = 0;
	while (from.at < begin + size) {
		const count = from.next();
		const step = 2 ** from.nextSigned();
		for (let k = 0; k < 3; ++k) {
			let last = 0;
			for (let i = first; i < first + count; ++i) {
				last += from.nextSigned();
				points[3 * i + k] = lower[k] + last * step;
			}
		}
		steps.push([first, step]);
		first += count;
	}
	return { points, stepAt: (point) => steps.filter(([begins]) => begins <= point).at(-1)?.[1] ?? 0 };
}

// Poses of the bodies that links carry. Those of all bodies are asked one after the other.
function robotOf(links: Link[], bodies: Body[]): (body: number, values: ArrayLike<number>) => number[] {
	let last: ArrayLike<number> = [];
	let poses: number[][] = [];
	return (body, values) => {
		if (values !== last) poses = placeLinks(links, values);
		last = values;
		const { link, local, pose } = bodies[body];
		return link === undefined || !local ? pose : compose(poses[link], local);
	};
}

export async function readPicture(): Promise<Picture> {
	const text = (id: string): string => document.getElementById(id)?.textContent ?? "";
	const packed = text("packed-picture").trim(); // of pages with many clashes
	const json = JSON.parse(packed === "" ? text("picture") : new TextDecoder().decode(await inflate(packed))) as Packed;
	const data = await inflate(text("arrays").trim());
	const bytes = new Uint8Array(data);
	const doubles = (range: Range): Float64Array => new Float64Array(data, range[0], range[1] / 8);
	const counts = (range: Range): Uint32Array => new Uint32Array(data, range[0], range[1] / 4);
	const { points, stepAt } = unpackPoints(bytes, json);
	const lines = counts(json.lines);
	const regions = counts(json.regions);
	const shapes: (Shape | undefined)[] = [];
	const allFrames: Frame[] = [];
	if (json.frames) {
		const frames = doubles(json.frames);
		for (let i = 0; i < frames.length; i += 3) allFrames.push({ time: frames[i], distance: frames[i + 1], state: frames[i + 2] });
	}
	const links = json.links ?? [];
	const numbers = json.joint_values ? doubles(json.joint_values) : new Float64Array();
	const values = allFrames.map((_, i) => numbers.subarray(i * links.length, (i + 1) * links.length));
	const carried = robotOf(links, json.bodies);
	const carriedBodies = json.bodies.flatMap(({ link }, i) => (link === undefined ? [] : [i]));
	const tracks = new Map((json.tracks ?? []).map((track) => [track.body, doubles(track.poses)]));
	return {
		...json,
		json,
		allFrames,
		shape: (i) => (shapes[i] ??= unpack(bytes, json.shapes[i])),
		line: (i) => ({
			points: points.subarray(3 * lines[4 * i], 3 * (lines[4 * i] + lines[4 * i + 1])),
			place: lines[4 * i + 2],
			closed: (lines[4 * i + 3] & 1) !== 0,
			boundary: (lines[4 * i + 3] & 2) !== 0,
			step: stepAt(lines[4 * i]),
		}),
		region: (i) => ({
			points: points.subarray(3 * regions[3 * i], 3 * (regions[3 * i] + regions[3 * i + 1])),
			place: regions[3 * i + 2],
		}),
		links,
		jointsAt: (frame) => values[frame],
		moving: [...tracks.keys(), ...carriedBodies],
		poseAt: (body, frame, joints = []) =>
			json.bodies[body].link !== undefined && values.length > 0
				? carried(body, joints.length > 0 ? joints : values[frame])
				: (tracks.get(body)?.subarray(12 * frame, 12 * frame + 12) ?? json.bodies[body].pose),
		tree: (i) => {
			const { body, count, total, depth, nodes, volumes } = json.trees[i];
			return {
				body,
				count,
				total,
				depth,
				nodes: counts(nodes),
				volumes: new Float32Array(data, volumes[0], volumes[1] / 4),
			};
		},
	};
}
