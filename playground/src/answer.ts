// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The questions: a quick one while B moves, and deeper ones once it rests.

import { contactSegments, contacts, distance, type Interval, localDepth, type Mesh, overlap, penetrationDepth, relate } from "dualbvh/single";
import type { Body } from "./bodies";

// Steps of a search, so that each takes a second or two at most.
const MOST_WORK = 20000000;

export interface Answer {
	verdict: string;
	facts: [string, string][];
	meets: boolean;
	hasDepth: boolean; // the deeper questions have answers
	curves?: Float32Array; // two points a segment, in the frame of A
	gap?: [readonly number[], readonly number[]];
	solid?: Mesh; // what both have in common
	way?: readonly number[]; // a translation of B that frees it
}

const number = (x: number): string => Number(x.toPrecision(6)).toString();
const interval = ([lower, upper]: Interval): string => {
	const width = upper - lower;
	if (width <= 0.01 * upper) return number(Number((0.5 * (lower + upper)).toPrecision(width <= 1e-6 * upper ? 6 : 3)));
	return lower > 0 ? `${number(lower)} to ${number(upper)}` : `at most ${number(upper)}`;
};

const verdicts: Record<string, string> = {
	DISJOINT: "They are apart",
	TOUCHING: "They touch",
	OVERLAPPING: "They overlap",
	A_IN_B: "A is inside B",
	B_IN_A: "B is inside A",
	EQUAL: "They are the same body",
	UNDECIDABLE: "Not decidable: a surface is open where the other may be in it",
};

export function ask(a: Body, b: Body, pose: Float64Array): Answer {
	const begin = performance.now();
	const { relation, surfacesIntersect } = relate(a.tree, b.tree, pose);
	const answer: Answer = {
		verdict: verdicts[relation],
		facts: [],
		meets: relation !== "DISJOINT",
		hasDepth: relation !== "DISJOINT" && relation !== "TOUCHING" && relation !== "UNDECIDABLE",
	};
	if (surfacesIntersect) {
		const found = contacts(a.tree, b.tree, pose);
		answer.curves = contactSegments(found);
		answer.facts.push(["contact", `${found.records.length / 6} pairs of triangles`]);
	} else {
		const near = distance(a.tree, b.tree, pose);
		answer.facts.push([answer.meets ? "between surfaces" : "distance", number(near.distance)]);
		answer.gap = [near.pointA, near.pointB];
	}
	answer.facts.push(["found in", `${(performance.now() - begin).toFixed(2)} ms`]);
	return answer;
}

// What takes longer, one after the other, each a fact or none: open meshes have no volume, and a search may be too long.
export const deeper: ((a: Body, b: Body, pose: Float64Array, answer: Answer) => void)[] = [
	(a, b, pose, answer) => {
		const found = overlap(a.tree, b.tree, pose, { mesh: true, maxWork: MOST_WORK });
		if (found.reason === "DECIDED") tell(answer, "common volume", found.volume);
		if (found.mesh && found.mesh.indices.length > 0) answer.solid = found.mesh;
	},
	(a, b, pose, answer) => tell(answer, "depth", localDepth(a.tree, b.tree, pose, { relativeWidth: 5e-3, maxWork: MOST_WORK }).least),
	(a, b, pose, answer) => {
		const found = penetrationDepth(a.tree, b.tree, pose, { relativeWidth: 0.05, maxWork: MOST_WORK });
		tell(answer, "free after a move by", found.depth);
		if (Number.isFinite(found.depth[1])) answer.way = found.translation;
	},
];

function tell(answer: Answer, name: string, x: Interval): void {
	if (Number.isFinite(x[1])) answer.facts.push([name, interval(x)]);
}
