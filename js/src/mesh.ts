// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Meshes: arrays of positions and indices, and files.

import { ARGUMENTS, call, check, floats, lastError, RESULTS, room, words, bytes as view } from "./module.js";
import { DualBvhError } from "./errors.js";

export type Positions = Float32Array | Float64Array | readonly number[];
export type Indices = Uint32Array | Uint16Array | Uint8Array | readonly number[];

export interface Mesh {
	/** Three numbers a vertex. */
	positions: Float64Array;
	/** Three numbers of vertices a triangle. */
	indices: Uint32Array;
}

/** A mesh in the module's arguments: what every function that takes one begins with. @internal */
export function sendMesh(positions: Positions, indices: Indices | null | undefined): number[] {
	const isFloat = positions instanceof Float32Array;
	if (positions.length % 3 !== 0) throw new DualBvhError("positions have three numbers each", "INVALID_ARGUMENT");
	if (indices && indices.length % 3 !== 0) throw new DualBvhError("indices have three numbers a triangle", "INVALID_ARGUMENT");
	const size = 8 * Math.ceil((positions.length * (isFloat ? 4 : 8)) / 8);
	const at = room(ARGUMENTS, size + 4 * (indices?.length ?? 0) + 8);
	const numbers = floats(at, size / 8);
	if (isFloat) new Float32Array(numbers.buffer, at, positions.length).set(positions);
	else numbers.set(positions);
	if (!indices) return [at, positions.length / 3, isFloat ? 1 : 0, 0, 0];
	for (const index of indices instanceof Uint32Array ? [] : indices)
		if (!(Number.isInteger(index) && index >= 0)) throw new DualBvhError(`${index} is no number of a vertex`, "INDEX_RANGE");
	words(at + size, indices.length).set(indices);
	return [at, positions.length / 3, isFloat ? 1 : 0, at + size, indices.length / 3];
}

/** Copies a mesh out of the module, and frees it there. @internal */
export function takeMesh(address: number): Mesh {
	if (address === 0) throw lastError();
	const at = room(RESULTS, 32);
	call("web_mesh_view", address, at);
	const [positions, vertices, indices, triangles] = floats(at, 4) as unknown as [number, number, number, number];
	const mesh = { positions: floats(positions, 3 * vertices).slice(), indices: words(indices, 3 * triangles).slice() };
	call("web_mesh_destroy", address);
	return mesh;
}

const FORMATS = { auto: 0, stl: 1, obj: 3, ply: 4, off: 6 } as const;
export type MeshFormat = keyof typeof FORMATS;

export interface ParseOptions {
	/** By default what the content looks like. */
	format?: MeshFormat;
	/** Leave out polygons that cross or touch themselves, instead of refusing the file. */
	skipBadFaces?: boolean;
}

/** Reads the bytes of an STL, OBJ, PLY or OFF file. Polygons become triangles; triangle numbers follow the file. */
export function parseMesh(bytes: ArrayBuffer | Uint8Array, options: ParseOptions = {}): Mesh {
	const file = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
	const at = room(ARGUMENTS, file.length + 1);
	view(at, file.length).set(file);
	const { format = "auto", skipBadFaces = false } = options;
	return takeMesh(call("web_mesh_parse", at, file.length, FORMATS[format], skipBadFaces ? 1 : 0) >>> 0);
}

/** Facts and defects of a mesh; no defect keeps it from being used. */
export interface MeshAudit {
	vertexCount: number;
	/** Different coordinates among the vertices. */
	distinctVertexCount: number;
	unusedVertexCount: number;
	triangleCount: number;
	/** Triangles of zero area, decided exactly. */
	degenerateTriangleCount: number;
	/** Triangles with the three points of an earlier one. */
	duplicateTriangleCount: number;
	edgeCount: number;
	/** Edges with one triangle: holes. */
	boundaryEdgeCount: number;
	/** Edges with three or more triangles. */
	nonmanifoldEdgeCount: number;
	componentCount: number;
	closedComponentCount: number;
	orientedComponentCount: number;
	/** Corners of the bounding box of the vertices that triangles use. */
	min: [number, number, number];
	max: [number, number, number];
}

const COUNTS = [
	"vertexCount",
	"distinctVertexCount",
	"unusedVertexCount",
	"triangleCount",
	"degenerateTriangleCount",
	"duplicateTriangleCount",
	"edgeCount",
	"boundaryEdgeCount",
	"nonmanifoldEdgeCount",
	"componentCount",
	"closedComponentCount",
	"orientedComponentCount",
] as const;

/** Counts the defects of a mesh: is it watertight, manifold, oriented? */
export function auditMesh(positions: Positions, indices?: Indices | null): MeshAudit {
	const mesh = sendMesh(positions, indices);
	const at = room(RESULTS, 8 * 18);
	check(call("web_mesh_audit", ...mesh, at));
	const numbers = [...floats(at, 18)];
	const counts = Object.fromEntries(COUNTS.map((name, i) => [name, numbers[i]]));
	return { ...counts, min: numbers.slice(12, 15), max: numbers.slice(15) } as unknown as MeshAudit;
}
