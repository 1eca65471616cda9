// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The two bodies: their meshes, as the files have them, and their trees.

import { auditMesh, type Mesh, parseMesh, Tree } from "dualbvh/single";
import { parseGlb, placed } from "dualbvh/glb";
import { Box3, TorusGeometry, TorusKnotGeometry, Vector3 } from "three";

export interface Body {
	name: string;
	mesh: Mesh;
	tree: Tree;
	box: Box3;
	isClosed: boolean;
}

function bodyOf(name: string, mesh: Mesh): Body {
	const tree = new Tree(mesh.positions, mesh.indices);
	const audit = auditMesh(mesh.positions, mesh.indices);
	return { name, mesh, tree, box: new Box3(new Vector3(...audit.min), new Vector3(...audit.max)), isClosed: audit.boundaryEdgeCount === 0 };
}

// All parts of a GLB as one mesh, each placed in the scene. Placing rounds.
function glbMesh(file: Uint8Array): Mesh {
	const positions: number[] = [];
	const indices: number[] = [];
	for (const part of parseGlb(file).map(placed)) {
		const first = positions.length / 3;
		for (const x of part.positions) positions.push(x);
		for (const index of part.indices) indices.push(first + index);
	}
	return { positions: Float64Array.from(positions), indices: Uint32Array.from(indices) };
}

export async function readBody(file: File): Promise<Body> {
	const bytes = new Uint8Array(await file.arrayBuffer());
	return bodyOf(file.name, /\.glb$/i.test(file.name) ? glbMesh(bytes) : parseMesh(bytes));
}

// What is there before a file is: a knot and a ring through it. Coordinates are put on a grid, so that the two sides of
// each seam, which differ by a rounding, are one.
export function examples(): [Body, Body] {
	const grid = (x: number): number => Math.round(x * 2 ** 20) / 2 ** 20;
	const meshOf = (geometry: TorusGeometry | TorusKnotGeometry, move: number): Mesh => ({
		positions: Float64Array.from(geometry.getAttribute("position").array, (x, i) => grid(i % 3 === 0 ? x + move : x)),
		indices: Uint32Array.from(geometry.getIndex()?.array ?? []),
	});
	return [
		bodyOf("a knot", meshOf(new TorusKnotGeometry(1, 0.32, 300, 32), -1)),
		bodyOf("a ring", meshOf(new TorusGeometry(0.7, 0.25, 40, 120), 0.85)),
	];
}
