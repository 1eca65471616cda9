// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Rows of doubles as the module writes them, and the arrays of a batch that are made of their columns. js/native/web.h
// says which columns a row has.

import { DualBvhError, type Status } from "./errors.js";
import { lastError, statusName } from "./module.js";

export const COLLIDE = 5;
export const DISTANCE = 15;
export const RELATE = 17;
export const TOI = 16;
export const RAY = 8;
export const CLOSEST = 7;

/** A triangle of A and a triangle of B, by their numbers in the order of the indices. */
export type Pair = readonly [a: number, b: number];
/** A lower and an upper bound of a value. */
export type Interval = readonly [lower: number, upper: number];
export type Vector = readonly [x: number, y: number, z: number];

export const pairAt = (row: Float64Array, at: number): Pair => [row[at]!, row[at + 1]!];
export const vectorAt = (row: Float64Array, at: number): Vector => [row[at]!, row[at + 1]!, row[at + 2]!];

/** Copies columns of rows into an array of their own: `width` columns from `at`. */
export function column<T extends Uint8Array | Uint32Array | Float64Array>(
	make: new (length: number) => T,
	rows: Float64Array,
	row: number,
	at: number,
	width = 1,
): T {
	const count = rows.length / row;
	const out = new make(count * width);
	for (let i = 0; i < count; ++i) for (let k = 0; k < width; ++k) out[i * width + k] = rows[i * row + at + k]!;
	return out;
}

export interface BatchOptions {
	/** Return results with the `status` of elements that are refused, in place of throwing the error of the first. */
	keepErrors?: boolean;
	/** The most steps for each element; see the header base.h. 10^6 take 5 to 100 ms. */
	maxWork?: number;
}

/** Throws the error of a batch, unless some elements failed and their statuses are wanted. @internal */
export function checkBatch(status: number, options: BatchOptions): void {
	if (status === 0) return;
	const error = lastError();
	if (!options.keepErrors || error.element < 0) throw error;
}

/** The names of the statuses of a batch that are not OK, by their index. */
export function failures(status: Uint8Array): Map<number, Status> {
	const out = new Map<number, Status>();
	status.forEach((code, i) => code !== 0 && out.set(i, statusName(code) as Status));
	return out;
}

/** Returns a number that must not be negative or NaN, or the default. @internal */
export function length(value: number | undefined, name: string, otherwise = 0): number {
	if (value === undefined) return otherwise;
	if (!(value >= 0)) throw new DualBvhError(`${name} is ${value}, and must be at least 0`, "INVALID_ARGUMENT");
	return value;
}
