// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Trees, which all queries take.

import { ARGUMENTS, bytes as view, call, check, Disposable, floats, lastError, RESULTS, filled, room } from "./module.js";
import { type Indices, type Mesh, type Positions, sendMesh, takeMesh } from "./mesh.js";

export interface TreeOptions {
	/**
	 * Keep what tells inside from outside; relate(), locatePoint(), contacts() and separatingTranslation() need it.
	 * Default true. Without it a tree builds faster and is smaller.
	 */
	topology?: boolean;
	/** "fast" builds some four times faster, and queries take two to four times as long. */
	quality?: "best" | "fast";
	/** The rule by which closed surfaces enclose points. */
	fill?: "nonzero" | "even-odd";
	/** Which long triangles are divided among nodes; no answer depends on it. */
	fragments?: "few" | "chosen" | "all" | "none";
}

const FRAGMENTS = { few: 0, chosen: 1, all: 2, none: 3 };

export interface TreeStats {
	triangleCount: number;
	/** Memory of the tree in bytes. */
	bytes: number;
	topology: boolean;
	/** The box around the mesh: its centre, three unit axes, and half its sides, ascending. */
	box: { centre: Float64Array; axes: Float64Array; half: Float64Array };
	/** The smallest sphere around the mesh. */
	sphere: { centre: Float64Array; radius: number };
}

/** The bounding volume hierarchy over one mesh, which it copies. */
export class Tree extends Disposable {
	/**
	 * Builds a tree.
	 *
	 * @param positions three numbers a vertex
	 * @param indices three numbers of vertices a triangle; without it, vertices 3i, 3i + 1, 3i + 2 are triangle i
	 * @throws DualBvhError NOT_FINITE, INDEX_RANGE, EMPTY, LIMIT, OUT_OF_MEMORY
	 */
	constructor(positions: Positions, indices?: Indices | null, options?: TreeOptions);
	/** @internal */
	constructor(address: number);
	constructor(positions: Positions | number, indices?: Indices | null, options: TreeOptions = {}) {
		if (typeof positions === "number") {
			super(positions, "web_tree_destroy");
			return;
		}
		const { topology = true, quality = "best", fill = "nonzero", fragments = "few" } = options;
		const mesh = sendMesh(positions, indices);
		const flags = [topology ? 1 : 0, fill === "even-odd" ? 1 : 0, quality === "fast" ? 1 : 0, FRAGMENTS[fragments]];
		super(call("web_tree_build", ...mesh, ...flags), "web_tree_destroy");
	}

	/** Reads a .dbvh file, as save() or the command `dualbvh build` writes it: some thirty times faster than building. */
	static load(bytes: ArrayBuffer | Uint8Array): Tree {
		const file = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
		const at = room(ARGUMENTS, file.length + 1);
		view(at, file.length).set(file);
		return new Tree(call("web_tree_parse", at, file.length));
	}

	/** Returns the bytes of a .dbvh file, the same on every machine. */
	save(): Uint8Array {
		const count = call("web_tree_write", this.address) >>> 0;
		if (count === 0) throw lastError();
		return view(filled(RESULTS), count).slice();
	}

	/** Moves the vertices: the same triangles in the same order, elsewhere. Some ten times cheaper than a new tree. */
	refit(positions: Positions, indices?: Indices | null): void {
		check(call("web_tree_refit", this.address, ...sendMesh(positions, indices)));
	}

	/** The triangles that the tree was built from, in their order. */
	mesh(): Mesh {
		return takeMesh(call("web_tree_mesh", this.address) >>> 0);
	}

	get stats(): TreeStats {
		const at = room(RESULTS, 8 * 22);
		call("web_tree_stats", this.address, at);
		const numbers = floats(at, 22).slice();
		return {
			triangleCount: numbers[0]!,
			bytes: numbers[1]!,
			topology: numbers[2] !== 0,
			box: { centre: numbers.slice(3, 6), axes: numbers.slice(6, 15), half: numbers.slice(15, 18) },
			sphere: { centre: numbers.slice(18, 21), radius: numbers[21]! },
		};
	}
}
