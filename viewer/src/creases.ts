// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The edges that make the form of a part readable: where two triangles meet at more than 25 degrees, where more than two
// meet, and borders.

import type { Shape } from "./picture";

const COSINE = Math.cos((25 * Math.PI) / 180);
export const MOST_TRIANGLES = 400000; // of a shape; the edges of larger ones take too long to find

function normalsOf({ positions, corners }: Shape): Float32Array {
	const normals = new Float32Array(corners.length);
	for (let t = 0; t < corners.length; t += 3) {
		const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
		const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
		const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
		const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
		const length = Math.hypot(x, y, z) || 1;
		normals[t] = x / length;
		normals[t + 1] = y / length;
		normals[t + 2] = z / length;
	}
	return normals;
}

const known = new WeakMap<Shape, Uint32Array>();

// Two vertices an edge.
export function creasesOf(shape: Shape): Uint32Array {
	const found = known.get(shape) ?? findCreases(shape);
	known.set(shape, found);
	return found;
}

function findCreases(shape: Shape): Uint32Array {
	const { corners } = shape;
	if (corners.length > 3 * MOST_TRIANGLES) return new Uint32Array(0);
	const normals = normalsOf(shape);
	const first = new Map<number, number>(); // by edge: a corner of the first triangle, -1 once it is told
	const vertices = shape.positions.length / 3;
	const edges: number[] = [];
	for (let k = 0; k < corners.length; ++k) {
		const t = k - (k % 3);
		const [a, b] = [corners[k], corners[t + ((k + 1) % 3)]];
		const key = Math.min(a, b) * vertices + Math.max(a, b);
		const other = first.get(key);
		if (other === undefined) first.set(key, t);
		else if (other >= 0) {
			const cosine = normals[t] * normals[other] + normals[t + 1] * normals[other + 1] + normals[t + 2] * normals[other + 2];
			if (cosine < COSINE) edges.push(a, b);
			first.set(key, -1);
		} else edges.push(a, b);
	}
	for (const [key, t] of first) if (t >= 0) edges.push(Math.floor(key / vertices), key % vertices);
	return Uint32Array.from(edges);
}
