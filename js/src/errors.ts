// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The error that every call throws.

export type Status =
	| "INVALID_ARGUMENT" // an argument is missing or outside its range
	| "OUT_OF_MEMORY"
	| "LIMIT" // the input is larger than the library handles
	| "NOT_FINITE" // a number is NaN or infinite
	| "NOT_RIGID" // the matrix of a pose is too far from a rotation
	| "INDEX_RANGE" // a triangle names a vertex that does not exist
	| "EMPTY" // the mesh has no triangles
	| "IO"
	| "UNKNOWN_FORMAT"
	| "MALFORMED" // the file breaks the rules of its format
	| "TRUNCATED" // the file ends before what it promises
	| "INVARIANT"
	| "NO_TOPOLOGY" // the tree was built with topology: false, and this query needs it
	| "BUDGET_SPENT" // maxWork was spent before the answer was known
	| "CANCELLED"
	| "NOT_READY" // init() has not been awaited
	| "LEFT_OUT" // the module is that of "dualbvh/core", which lacks the function
	| "DISPOSED"; // the object has been disposed of

/** A call that failed: `status` says how, `message` is a sentence that names the argument and the rule. */
export class DualBvhError extends Error {
	override readonly name = "DualBvhError";
	/**
	 * @param status the kind of failure
	 * @param element index of the vertex, triangle, pose or ray concerned; -1 where there is none
	 * @param line line of the text file that is wrong, from 1; 0 where there is none
	 * @param byte offset into the file, from 0; -1 where there is none
	 */
	constructor(
		message: string,
		readonly status: Status,
		readonly element = -1,
		readonly line = 0,
		readonly byte = -1,
	) {
		super(message);
	}
}
