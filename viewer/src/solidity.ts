// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Is a shape a closed body, and which way do its faces look? Closed: every directed edge is met by one that runs the
// other way. The sum of a hash of all edges, less that of their reverses, is 0 then, and hardly ever else.

import type { Shape } from "./picture";

export interface Solidity {
	isClosed: boolean;
	isInsideOut: boolean;
	volume: number; // that it encloses
}

const mix = (x: number, y: number): number => {
	let h = Math.imul(x ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(y + 0x7f4a7c15, 0xc2b2ae35);
	h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
	return h ^ (h >>> 13);
};

// Vertices at the same place count as one.
function hashesOf(positions: Float32Array): Int32Array {
	const bits = new Int32Array(positions.buffer, positions.byteOffset, positions.length);
	return Int32Array.from({ length: positions.length / 3 }, (_, i) => mix(mix(bits[3 * i], bits[3 * i + 1]), bits[3 * i + 2]));
}

function volumeOf({ positions, corners }: Shape): number {
	let volume = 0;
	for (let t = 0; t < corners.length; t += 3) {
		const [a, b, c] = [3 * corners[t], 3 * corners[t + 1], 3 * corners[t + 2]];
		volume +=
			positions[a] * (positions[b + 1] * positions[c + 2] - positions[b + 2] * positions[c + 1]) +
			positions[a + 1] * (positions[b + 2] * positions[c] - positions[b] * positions[c + 2]) +
			positions[a + 2] * (positions[b] * positions[c + 1] - positions[b + 1] * positions[c]);
	}
	return volume;
}

const known = new WeakMap<Shape, Solidity>();

export function solidityOf(shape: Shape): Solidity {
	const found = known.get(shape);
	if (found) return found;
	const hash = hashesOf(shape.positions);
	const { corners } = shape;
	let sum = 0;
	for (let k = 0; k < corners.length; ++k) {
		const a = hash[corners[k]];
		const b = hash[corners[k - (k % 3) + ((k + 1) % 3)]];
		sum = (sum + mix(a, b) - mix(b, a)) | 0;
	}
	const volume = volumeOf(shape) / 6;
	const made = { isClosed: sum === 0, isInsideOut: volume < 0, volume: Math.abs(volume) };
	known.set(shape, made);
	return made;
}
