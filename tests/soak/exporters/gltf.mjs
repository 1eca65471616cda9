// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Writes assemblies as glTF by glTF-Transform and gltfpack, and says what glTF-Transform reads in them.
//
//   node gltf.mjs FORMAT FOLDER COUNT
//
// FOLDER/0.json and so on have {meshes: [{positions, indices}], nodes: [{name, parent, mesh, matrix}]}, of which the
// matrices are column-major. Each becomes FOLDER/0.glb, and what is read of that FOLDER/0.read.json: the corners of the
// triangles of each body in the world, by the name of its node.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Document, NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS, EXTMeshGPUInstancing, EXTMeshoptCompression, KHRDracoMeshCompression } from "@gltf-transform/extensions";
import { quantize } from "@gltf-transform/functions";
import { MeshoptDecoder, MeshoptEncoder } from "meshoptimizer";
import draco3d from "draco3dgltf";

const [format, folder, count] = process.argv.slice(2);
await MeshoptDecoder.ready;
await MeshoptEncoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
	"draco3d.decoder": await draco3d.createDecoderModule(),
	"draco3d.encoder": await draco3d.createEncoderModule(),
	"meshopt.decoder": MeshoptDecoder,
	"meshopt.encoder": MeshoptEncoder,
});

function decompose(m) {
	const scale = [0, 4, 8].map((k) => Math.hypot(m[k], m[k + 1], m[k + 2]));
	const r = (row, column) => m[4 * column + row] / scale[column];
	const w = Math.sqrt(Math.max(0, 1 + r(0, 0) + r(1, 1) + r(2, 2))) / 2;
	const sign = (a, b) => (a < b ? -1 : 1);
	const x = Math.sqrt(Math.max(0, 1 + r(0, 0) - r(1, 1) - r(2, 2))) / 2;
	const y = Math.sqrt(Math.max(0, 1 - r(0, 0) + r(1, 1) - r(2, 2))) / 2;
	const z = Math.sqrt(Math.max(0, 1 - r(0, 0) - r(1, 1) + r(2, 2))) / 2;
	const q = [x * sign(r(2, 1), r(1, 2)), y * sign(r(0, 2), r(2, 0)), z * sign(r(1, 0), r(0, 1)), w];
	const length = Math.hypot(...q);
	return { translation: [m[12], m[13], m[14]], rotation: q.map((c) => c / length), scale };
}

function makeDocument(assembly) {
	const document = new Document();
	const buffer = document.createBuffer();
	const accessor = (type, array) => document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
	const meshes = assembly.meshes.map((m) =>
		document.createMesh().addPrimitive(
			document
				.createPrimitive()
				.setAttribute("POSITION", accessor("VEC3", new Float32Array(m.positions)))
				.setIndices(accessor("SCALAR", new Uint32Array(m.indices))),
		),
	);
	const scene = document.createScene();
	const nodes = assembly.nodes.map((n) => document.createNode(n.name).setMatrix(n.matrix));
	assembly.nodes.forEach((n, i) => {
		(n.parent === null ? scene : nodes[n.parent]).addChild(nodes[i]);
		if (format !== "instanced") nodes[i].setMesh(meshes[n.mesh]);
	});
	if (format === "instanced") addInstances(document, assembly, meshes, nodes, accessor);
	return document;
}

// Each node gets one to four instances of its mesh, along a line.
function addInstances(document, assembly, meshes, nodes, accessor) {
	const extension = document.createExtension(EXTMeshGPUInstancing).setRequired(true);
	nodes.forEach((node, i) => {
		const n = 1 + (i % 4);
		const of = Array.from({ length: n }, (_, k) => decompose(assembly.nodes[(i + k) % nodes.length].matrix));
		node.setMesh(meshes[assembly.nodes[i].mesh]).setExtension(
			"EXT_mesh_gpu_instancing",
			extension
				.createInstancedMesh()
				.setAttribute("TRANSLATION", accessor("VEC3", new Float32Array(of.flatMap((t) => t.translation))))
				.setAttribute("ROTATION", accessor("VEC4", new Float32Array(of.flatMap((t) => t.rotation)))),
		);
	});
}

// The matrix of a turn and a move, column-major, from the numbers of the file: the quaternion is made of length 1.
function matrixOf(t, q) {
	const [x, y, z, w] = q.map((c) => c / Math.hypot(...q));
	return [
		1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
		2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
		2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
		...t, 1,
	];
}

function multiply(a, b) {
	return Array.from({ length: 16 }, (_, i) =>
		[0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (i % 4)] * b[4 * Math.floor(i / 4) + k], 0),
	);
}

function instancesOf(node) {
	const instanced = node.getExtension("EXT_mesh_gpu_instancing");
	if (!instanced) return [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]];
	const translations = instanced.getAttribute("TRANSLATION");
	const rotations = instanced.getAttribute("ROTATION");
	return Array.from({ length: translations.getCount() }, (_, i) =>
		matrixOf(translations.getElement(i, []), rotations.getElement(i, [])),
	);
}

// gltfpack hangs the mesh of a named node below it, on a node without a name.
function nameOf(node) {
	for (let at = node; at; at = at.getParentNode()) if (at.getName() !== "") return at.getName();
	return "";
}

function listBodies(document) {
	const bodies = {};
	for (const node of document.getRoot().listNodes()) {
		const mesh = node.getMesh();
		if (!mesh) continue;
		instancesOf(node).forEach((instance, i) => {
			const matrix = multiply(node.getWorldMatrix(), instance);
			const corners = [];
			for (const primitive of mesh.listPrimitives()) {
				const positions = primitive.getAttribute("POSITION");
				const indices = primitive.getIndices();
				for (let k = 0; k < indices.getCount(); ++k) {
					const p = positions.getElement(indices.getScalar(k), []);
					for (let row = 0; row < 3; ++row)
						corners.push(matrix[row] * p[0] + matrix[4 + row] * p[1] + matrix[8 + row] * p[2] + matrix[12 + row]);
				}
			}
			bodies[nameOf(node) + (i === 0 ? "" : `#${i + 1}`)] = corners;
		});
	}
	return bodies;
}

async function write(document, path) {
	if (format === "quantised") await document.transform(quantize({ quantizePosition: 12 }));
	if (format === "meshopt") {
		await document.transform(quantize({ quantizePosition: 14 }));
		document.createExtension(EXTMeshoptCompression).setRequired(true);
	}
	if (format === "draco") document.createExtension(KHRDracoMeshCompression).setRequired(true);
	if (!format.startsWith("gltfpack")) return io.write(path, document);
	await io.write(`${path}.in.glb`, document);
	const options = format === "gltfpack-c" ? ["-c"] : [];
	execFileSync("node", ["node_modules/gltfpack/cli.js", "-i", `${path}.in.glb`, "-o", path, "-kn", ...options]);
}

for (let i = 0; i < Number(count); ++i) {
	const path = `${folder}/${i}.glb`;
	await write(makeDocument(JSON.parse(readFileSync(`${folder}/${i}.json`, "utf8"))), path);
	writeFileSync(`${folder}/${i}.read.json`, JSON.stringify(listBodies(await io.read(path))));
}
