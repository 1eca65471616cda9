// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Binary glTF (.glb): the triangles of all meshes, as the nodes of the scene place them.

import { DualBvhError } from "./errors.js";
import type { Mesh } from "./mesh.js";

export interface GlbPart extends Mesh {
	/** The name of the node, else of the mesh. */
	name: string;
	/** The matrix that takes the positions, as the file has them, into the scene: column-major, perhaps with a scale. */
	matrix: Float64Array;
}

interface Accessor {
	bufferView?: number;
	byteOffset?: number;
	componentType: number;
	count: number;
	type: string;
	sparse?: unknown;
	normalized?: boolean;
}
interface Gltf {
	scene?: number;
	scenes?: { nodes?: number[] }[];
	nodes?: { name?: string; mesh?: number; children?: number[]; matrix?: number[]; translation?: number[]; rotation?: number[]; scale?: number[] }[];
	meshes?: { name?: string; primitives: { attributes: Record<string, number>; indices?: number; mode?: number; extensions?: object }[] }[];
	accessors?: Accessor[];
	bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number; extensions?: object }[];
}

const malformed = (text: string): never => {
	throw new DualBvhError(text, "MALFORMED");
};
const refused = (text: string): never => {
	throw new DualBvhError(text, "UNKNOWN_FORMAT");
};
const at = <T>(list: T[] | undefined, index: number, what: string): T => list?.[index] ?? malformed(`there is no ${what} ${index}`);

const READ: Record<number, [bytes: number, get: (view: DataView, at: number) => number]> = {
	5121: [1, (view, at) => view.getUint8(at)],
	5123: [2, (view, at) => view.getUint16(at, true)],
	5125: [4, (view, at) => view.getUint32(at, true)],
	5126: [4, (view, at) => view.getFloat32(at, true)],
};

function chunks(file: Uint8Array): [json: Gltf, binary: Uint8Array] {
	const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
	if (file.length < 20 || view.getUint32(0, true) !== 0x46546c67) refused("the file does not begin as a .glb does");
	if (view.getUint32(4, true) !== 2) refused(`glTF of version ${view.getUint32(4, true)}`);
	const end = 20 + view.getUint32(12, true);
	if (end > file.length) throw new DualBvhError("the file ends before its JSON does", "TRUNCATED");
	const json = JSON.parse(new TextDecoder().decode(file.subarray(20, end))) as Gltf;
	const length = end + 8 <= file.length ? view.getUint32(end, true) : 0;
	if (end + 8 + length > file.length && length > 0) throw new DualBvhError("the file ends before its data do", "TRUNCATED");
	return [json, file.subarray(end + 8, end + 8 + length)];
}

// Reads an accessor as numbers, `width` an element.
function read(json: Gltf, binary: Uint8Array, index: number, width: number): number[] {
	const accessor = at(json.accessors, index, "accessor");
	if (accessor.sparse || accessor.bufferView === undefined || accessor.normalized) return refused("sparse or normalised positions");
	const view = at(json.bufferViews, accessor.bufferView, "buffer view");
	if (view.buffer !== 0 || view.extensions) return refused("data in another file, or compressed");
	const [size, get] = READ[accessor.componentType] ?? refused(`numbers of type ${accessor.componentType}`);
	const stride = view.byteStride ?? size * width;
	const begin = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
	if (accessor.count > 0 && begin + stride * (accessor.count - 1) + size * width > binary.length) malformed("an accessor leaves the data");
	const data = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
	const out: number[] = [];
	for (let i = 0; i < accessor.count; ++i) for (let k = 0; k < width; ++k) out.push(get(data, begin + stride * i + size * k));
	return out;
}

function matrixOf(node: NonNullable<Gltf["nodes"]>[number]): Float64Array {
	if (node.matrix) return Float64Array.from(node.matrix);
	const [x = 0, y = 0, z = 0, w = 1] = node.rotation ?? [];
	const [sx = 1, sy = 1, sz = 1] = node.scale ?? [];
	const [tx = 0, ty = 0, tz = 0] = node.translation ?? [];
	return Float64Array.of(
		...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)].map((v) => v * sx), 0,
		...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)].map((v) => v * sy), 0,
		...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)].map((v) => v * sz), 0,
		tx, ty, tz, 1,
	); // prettier-ignore
}

function product(a: Float64Array, b: Float64Array): Float64Array {
	const out = new Float64Array(16);
	for (let c = 0; c < 4; ++c)
		for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r]! += a[4 * k + r]! * b[4 * c + k]!;
	return out;
}

/** Reads the triangles of a .glb file: a part for each node that has a mesh. Compressed meshes are refused. */
export function parseGlb(bytes: ArrayBuffer | Uint8Array): GlbPart[] {
	const [json, binary] = chunks(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes));
	const parts: GlbPart[] = [];
	const visit = (index: number, above: Float64Array, depth: number) => {
		if (depth > 256) malformed("nodes lie in a circle");
		const node = at(json.nodes, index, "node");
		const matrix = product(above, matrixOf(node));
		if (node.mesh !== undefined) {
			const mesh = at(json.meshes, node.mesh, "mesh");
			const positions: number[] = [];
			const indices: number[] = [];
			for (const { attributes, indices: order, mode = 4, extensions } of mesh.primitives) {
				if (mode < 4) continue; // points and lines
				if (mode > 4 || extensions) refused("strips, fans or compressed primitives");
				const first = positions.length / 3;
				const own = read(json, binary, attributes.POSITION ?? malformed("a primitive without positions"), 3);
				const numbers = order === undefined ? Array.from({ length: own.length / 3 }, (_, i) => i) : read(json, binary, order, 1);
				for (const x of own) positions.push(x);
				for (const i of numbers) indices.push(first + i);
			}
			const name = node.name ?? mesh.name ?? `node ${index}`;
			if (indices.length > 0) parts.push({ name, matrix, positions: Float64Array.from(positions), indices: Uint32Array.from(indices) });
		}
		for (const child of node.children ?? []) visit(child, matrix, depth + 1);
	};
	const roots = json.scenes?.[json.scene ?? 0]?.nodes ?? json.nodes?.map((_, i) => i) ?? [];
	const unit = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
	for (const root of roots) visit(root, unit, 0);
	if (parts.length === 0) throw new DualBvhError("the file has no triangles", "EMPTY");
	return parts;
}

/** The vertices of a part where its matrix places them, scale included. */
export function placed(part: GlbPart): Mesh {
	const m = part.matrix;
	const out = new Float64Array(part.positions.length);
	for (let i = 0; i < out.length; i += 3) {
		const [x, y, z] = [part.positions[i]!, part.positions[i + 1]!, part.positions[i + 2]!];
		for (let r = 0; r < 3; ++r) out[i + r] = m[r]! * x + m[4 + r]! * y + m[8 + r]! * z + m[12 + r]!;
	}
	return { positions: out, indices: part.indices };
}
