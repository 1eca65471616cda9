// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The packages that are measured. Each entry makes of the cases what it needs, once, and returns the questions that it can
// answer: collide(pose) to a boolean, distance(pose) to a number, build() to nothing.

import * as THREE from "three";
import * as d from "dualbvh";

const floatsOf = (mesh) => Float32Array.from(mesh.positions);

async function dualbvh({ meshA, treeA, treeB }) {
	const positions = floatsOf(meshA);
	const build = (options) => () => new d.Tree(positions, meshA.indices, options).dispose();
	return {
		collide: (pose) => d.collide(treeA, treeB, pose).intersecting,
		distance: (pose) => d.distance(treeA, treeB, pose).distance,
		builds: { "": build({}), "without topology": build({ topology: false }), fast: build({ topology: false, quality: "fast" }) },
		isFast: true,
	};
}

async function threeMeshBvh({ geometryA, geometryB }) {
	const { AVERAGE, CENTER, MeshBVH, SAH } = await import("three-mesh-bvh");
	geometryA.boundsTree = new MeshBVH(geometryA);
	geometryB.boundsTree = new MeshBVH(geometryB);
	const build = (strategy) => () => void new MeshBVH(geometryA.clone(), { strategy });
	return {
		collide: (pose) => geometryA.boundsTree.intersectsGeometry(geometryB, pose),
		distance: (pose) => geometryA.boundsTree.closestPointToGeometry(geometryB, pose).distance,
		builds: { CENTER: build(CENTER), AVERAGE: build(AVERAGE), SAH: build(SAH) },
	};
}

async function rapierOf(kind, { meshA, meshB }) {
	const { default: R } = await import("@dimforge/rapier3d-compat");
	await R.init();
	const world = new R.World({ x: 0, y: 0, z: 0 });
	const describe = (mesh) => R.ColliderDesc.trimesh(floatsOf(mesh), mesh.indices);
	const place = new THREE.Vector3();
	const turn = new THREE.Quaternion();
	const scale = new THREE.Vector3();
	const take = (pose) => pose.decompose(place, turn, scale);
	if (kind === "shapes") {
		const [a, b] = [meshA, meshB].map((mesh) => new R.TriMesh(floatsOf(mesh), mesh.indices));
		const origin = { x: 0, y: 0, z: 0 };
		return { collide: (pose) => (take(pose), a.intersectsShape(origin, { ...origin, w: 1 }, b, place, turn)) };
	}
	const [a, b] = [meshA, meshB].map((mesh) => world.createCollider(describe(mesh)));
	const collide = (pose) => {
		take(pose);
		b.setTranslation(place);
		b.setRotation(turn);
		const contact = a.contactCollider(b, 0);
		return contact !== null && contact.distance <= 0;
	};
	return { collide, builds: { "": () => void world.createCollider(describe(meshA)) } };
}

async function manifold({ meshA, meshB }) {
	const M = await (await import("manifold-3d")).default();
	M.setup();
	const solid = (mesh) => {
		const welded = new M.Mesh({ numProp: 3, vertProperties: floatsOf(mesh), triVerts: mesh.indices });
		welded.merge();
		return new M.Manifold(welded);
	};
	const [a, b] = [solid(meshA), solid(meshB)];
	const collide = (pose) => {
		const moved = b.transform([...pose.elements]);
		const common = a.intersect(moved);
		const meets = !common.isEmpty();
		common.delete();
		moved.delete();
		return meets;
	};
	return { collide, builds: { "": () => solid(meshA).delete() } };
}

// Jolt collides no mesh with a mesh, so that only its build is measured.
async function jolt({ meshA }) {
	const J = await (await import("jolt-physics/wasm-compat")).default();
	const build = () => {
		const [vertices, triangles] = [new J.VertexList(), new J.IndexedTriangleList()];
		vertices.resize(meshA.positions.length / 3);
		triangles.resize(meshA.indices.length / 3);
		for (let i = 0; i < meshA.positions.length / 3; ++i) [vertices.at(i).x, vertices.at(i).y, vertices.at(i).z] = meshA.positions.slice(3 * i, 3 * i + 3);
		for (let i = 0; i < meshA.indices.length; ++i) triangles.at(Math.floor(i / 3)).set_mIdx(i % 3, meshA.indices[i]);
		const result = new J.MeshShapeSettings(vertices, triangles, new J.PhysicsMaterialList()).Create();
		if (result.HasError()) throw new Error(result.GetError().c_str());
	};
	return { builds: { "with its lists": build } };
}

export const PACKAGES = {
	dualbvh,
	"three-mesh-bvh": threeMeshBvh,
	"rapier, contactCollider( 0 )": (cases) => rapierOf("colliders", cases),
	"rapier, intersectsShape()": (cases) => rapierOf("shapes", cases),
	"manifold-3d": manifold,
	jolt,
};
