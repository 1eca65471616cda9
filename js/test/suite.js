// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests of the package that node and a browser run alike: suite(check, d, extra) calls check(what, ok, more) for each.

import { ask, firstDifference, generator, makeBody, makeQuestions } from "./questions.js";

const at = (x, y = 0, z = 0) => Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1);
const same = (x, y) => JSON.stringify(x) === JSON.stringify(y);
const near = (x, y, e = 1e-12) => Math.abs(x - y) <= e;
const bytesOf = (text) => new TextEncoder().encode(text);

// A cube of side 2 about the origin, 12 triangles.
const CUBE = makeBody(generator(1), 1, false);
const OBJ = `${Array.from({ length: 8 }, (_, i) => `v ${[...CUBE.positions.slice(3 * i, 3 * i + 3)].join(" ")}`).join("\n")}\n${Array.from(
	{ length: 12 },
	(_, i) => `f ${[...CUBE.indices.slice(3 * i, 3 * i + 3)].map((v) => v + 1).join(" ")}`,
).join("\n")}\n`;

function thrown(f) {
	try {
		f();
	} catch (error) {
		return error;
	}
	return {};
}

function pairs(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const touching = d.collide(tree, tree, at(2));
	check("cubes that touch collide, and name a pair", touching.intersecting && touching.pair.length === 2);
	check("cubes a hair apart do not", same(d.collide(tree, tree, at(2 + 2 ** -40)), { intersecting: false }));
	check("no pose is the identity", d.relate(tree, tree).relation === "EQUAL");
	check("a matrix of three is a pose", d.collide(tree, tree, { elements: [...at(1)] }).intersecting);
	check("both poses count", d.distance(tree, tree, at(7), { poseA: at(3) }).distance === 2);
	check("touching is told from overlapping", d.relate(tree, tree, at(2)).relation === "TOUCHING" && d.relate(tree, tree, at(1)).relation === "OVERLAPPING");
	check("with a tolerance a gap is a touch", d.relate(tree, tree, at(2.5), { touchGap: 0.5 }).relation === "TOUCHING");
	const gap = d.distance(tree, tree, at(5, 0, 0));
	check("distance, with points at it", gap.distance === 3 && gap.pointA[0] === 1 && gap.pointB[0] === 4 && gap.between[0] === 3);
	check("a distance beyond the limit is none", d.distance(tree, tree, at(5), { limit: 2 }) === undefined);
	check("clearance of exactly the distance", d.checkClearance(tree, tree, 3, at(5)) && !d.checkClearance(tree, tree, 3 - 2 ** -50, at(5)));
	check("pairs within a clearance are at least two faces each", d.clearancePairs(tree, tree, 3, at(5)).pairs.length / 2 >= 4);
	check("a mesh does not intersect itself, and a doubled one does", !d.selfCollide(tree).intersecting);
	const doubled = new d.Tree(Float64Array.of(0, 0, 0, 2, 0, 0, 0, 2, 0, 0.5, 0.5, -1, 0.5, 0.5, 1, 0.6, 0.9, 1));
	check("self pairs", d.selfCollide(doubled).intersecting && same([...d.selfPairs(doubled).pairs], [0, 1]));
	const toi = d.timeOfImpact(tree, tree, d.Motion.translation(at(4), [-4, 0, 0]));
	check("time of impact", toi.verdict === "CONTACT" && toi.time <= 0.5 && near(toi.time, 0.5, 1e-6) && toi.upper >= 0.5);
	check("a motion that misses is clear", d.timeOfImpact(tree, tree, d.Motion.translation(at(4), [0, 9, 0])).verdict === "CLEAR");
	const half = d.Motion.between(at(4), at(0));
	check("the pose in the middle of a motion", same([...half.pose(0.5)], [...at(2)]));
	const batch = d.timeOfImpactBatch(tree, tree, [half, d.Motion.translation(at(9), [0, 1, 0])]);
	check("times of impact of many motions", d.TOI_VERDICTS[batch.verdict[0]] === "CONTACT" && d.TOI_VERDICTS[batch.verdict[1]] === "CLEAR");
	const move = d.separatingTranslation(tree, tree, at(1.5));
	check("a translation that separates", !move.disjoint && move.length >= 0.5 && move.length < 0.6, String(move.length));
	doubled.dispose();
	tree.dispose();
}

function contacts(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const found = d.contacts(tree, tree, at(1, 1, 1));
	const [line] = found.polylines;
	check("corners of cubes cross in one loop of length 6", found.polylines.length === 1 && line.closed && line.directed && near(line.length, 6));
	const segments = d.contactSegments(found);
	check("a loop has as many segments as points", segments.length === 6 * line.points.length);
	check("clusters have bounds", same(found.clusters[0].min, [0, 0, 0]) && same(found.clusters[0].max, [1, 1, 1]));
	const flat = d.contacts(tree, tree, at(2, 1, 0));
	check("faces that lie on each other share an area", near(flat.clusters[0].area, 2));
	check("each record names a pair of triangles", found.records.length / 6 === d.collidePairs(tree, tree, at(1, 1, 1)).pairs.length / 2);
	tree.dispose();
}

function overlaps(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const holds = ([lower, upper], value) => lower <= value && value <= upper && upper - lower <= 1e-3 * (value || 1);
	const found = d.overlap(tree, tree, at(1, 1, 1), { mesh: true });
	check("the overlap of two corners is a cube", found.kind === "PROTRUSION" && holds(found.volume, 1) && holds(found.area, 6) && holds(found.centroid[2], 0.5));
	check("its box", found.min.every((x) => holds(x, 0)) && found.max.every((x) => holds(x, 1)) && found.components.length === 1);
	const { mesh } = found;
	const audit = d.auditMesh(mesh.positions, mesh.indices);
	check("its mesh is closed, and names a triangle a face", audit.boundaryEdgeCount === 0 && mesh.sources.length / 2 === mesh.indices.length / 3);
	check("that of bodies that touch is empty", d.overlap(tree, tree, at(2)).kind === "TOUCHING" && d.overlap(tree, tree, at(2)).volume[1] === 0);
	const open = new d.Tree(CUBE.positions, CUBE.indices.slice(3));
	const undecided = d.overlap(tree, open, at(1, 1, 1));
	check("that of an open one is undecided", undecided.kind === "UNDECIDED" && undecided.reason === "OPEN" && undecided.where.body === 1);
	const depth = d.penetrationDepth(tree, tree, at(1.5));
	check("penetration depth", depth.depth[0] <= 0.5 && depth.depth[1] >= 0.5 && depth.depth[1] <= 0.51 && depth.reached);
	const moved = at(1.5 + depth.translation[0], depth.translation[1], depth.translation[2]);
	check("its translation parts the two", ["TOUCHING", "DISJOINT"].includes(d.relate(tree, tree, moved).relation));
	const local = d.localDepth(tree, tree, at(1.5), { allowedDepth: 0.6 });
	check("local depth", local.least[0] <= 0.5 && local.least[1] >= 0.25 && local.verdict === "FIT", JSON.stringify(local.least));
	check("a fit that is too tight", d.localDepth(tree, tree, at(1.5), { allowedDepth: 0.1 }).verdict === "CLASH");
	for (const t of [open, tree]) t.dispose();
}

function points(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const hit = d.raycast(tree, [0.25, 0.5, -5], [0, 0, 2]);
	check("a ray hits", hit.t === 2 && same(hit.point, [0.25, 0.5, -1]));
	check("a ray misses", d.raycast(tree, [3, 0, -5], [0, 0, 1]) === undefined);
	check("a posed mesh is hit", d.raycast(tree, [3, 0.5, -5], [0, 0, 1], { pose: at(3) }).t === 4);
	check("a segment ends", d.segmentCast(tree, [0.25, 0.5, -5], [0.25, 0.5, -2]) === undefined && d.isBlocked(tree, [0.25, 0.5, -5], [0.25, 0.5, 5]));
	check("all hits, in order", same(d.raycastAll(tree, [0.25, 0.5, -5], [0, 0, 1]).map((h) => h.t), [4, 6]));
	const rays = d.raycastBatch(tree, [0.25, 0.5, -5, 0, 0, 1, 9, 9, 9, 1, 0, 0]);
	check("many rays", same([...rays.intersects], [1, 0]) && same([...rays.t], [4, Infinity]));
	const closest = d.closestPoint(tree, [0.25, 0.5, 4]);
	check("the closest point", closest.distance === 3 && same(closest.point, [0.25, 0.5, 1]));
	check("none within a limit", d.closestPoint(tree, [0, 0, 4], { limit: 1 }) === undefined);
	const located = d.locatePointBatch(tree, [0, 0, 0, 1, 0, 0, 2, 0, 0]);
	check("inside, on the surface, outside", same([...located].map((i) => d.LOCATIONS[i]), ["INSIDE", "ON_SURFACE", "OUTSIDE"]));
	const shapes = [
		[{ kind: "sphere", centre: [3, 0, 0], radius: 2 }, true],
		[{ kind: "sphere", centre: [3, 0, 0], radius: 1.99 }, false],
		[{ kind: "aabb", min: [1, 1, 1], max: [2, 2, 2] }, true],
		[{ kind: "box", centre: [0, 0, 0], half: [0.5, 0.5, 0.5] }, false], // within, off the surface
		[{ kind: "obb", centre: [2, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1], half: [1, 1, 1] }, true],
		[{ kind: "ellipsoid", centre: [3, 0, 0], axes: [1, 0, 0, 0, 1, 0, 0, 0, 1], half: [2, 1, 1] }, true],
		[{ kind: "capsule", from: [3, -9, 0], to: [3, 9, 0], radius: 1 }, false],
		[{ kind: "plane", normal: [0, 0, 1], offset: 1 }, true],
	];
	for (const [shape, wanted] of shapes) check(`a ${shape.kind} and a cube`, d.collideShape(tree, shape) === wanted);
	check("triangles in a plane", d.collideShapeTriangles(tree, { kind: "plane", normal: [0, 0, 1], offset: 1 }).length === 10);
	tree.dispose();
}

function trees(check, d) {
	const tree = new d.Tree(Float32Array.from(CUBE.positions), Uint16Array.from(CUBE.indices));
	check("floats and short indices make the same tree", same([...tree.mesh().positions].sort(), [...CUBE.positions].sort()));
	check("the statistics", tree.stats.triangleCount === 12 && tree.stats.topology && near(tree.stats.sphere.radius, Math.sqrt(3), 1e-9));
	const bytes = tree.save();
	const copy = d.Tree.load(bytes);
	check("a saved tree is the same", same([...copy.save()], [...bytes]));
	copy.refit(CUBE.positions.map((x) => 2 * x), CUBE.indices);
	check("a refitted tree has moved", d.distance(copy, tree, at(7)).distance === 4);
	const fast = new d.Tree(CUBE.positions, CUBE.indices, { quality: "fast", topology: false });
	check("a fast tree answers the same", d.distance(fast, fast, at(7)).distance === 5);
	check("what needs topology says so", thrown(() => d.relate(fast, fast)).status === "NO_TOPOLOGY");
	for (const t of [tree, copy, fast]) t.dispose();
}

function meshes(check, d) {
	const obj = d.parseMesh(bytesOf(OBJ));
	check("OBJ", same([...obj.positions], [...CUBE.positions]) && same([...obj.indices], [...CUBE.indices]));
	const off = d.parseMesh(bytesOf("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"), { format: "off" });
	check("OFF, a polygon of which becomes triangles", off.indices.length === 6);
	const ply = d.parseMesh(
		bytesOf("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"),
	);
	check("PLY", same([...ply.indices], [0, 1, 2]));
	const stl = new Uint8Array(84 + 50);
	const view = new DataView(stl.buffer);
	view.setUint32(80, 1, true);
	[0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((x, i) => view.setFloat32(84 + 4 * i, x, true));
	check("STL", same([...d.parseMesh(stl).positions], [0, 0, 0, 1, 0, 0, 0, 1, 0]));
	const broken = thrown(() => d.parseMesh(bytesOf("v 0 0 0\nv 1 0 0\nv 0 1 x\nf 1 2 3\n")));
	check("a mistake is told by its line", broken.status === "MALFORMED" && broken.line === 3);
	check("garbage is no mesh", thrown(() => d.parseMesh(new Uint8Array(100))).status === "UNKNOWN_FORMAT");
	const audit = d.auditMesh(CUBE.positions, CUBE.indices.slice(3));
	check("an audit counts the edges of a hole", audit.boundaryEdgeCount === 3 && audit.triangleCount === 11 && same(audit.max, [1, 1, 1]));
}

function errors(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const scaled = at(1);
	scaled[0] = 2;
	const refused = thrown(() => d.collide(tree, tree, scaled));
	check("a scale is no pose", refused instanceof d.DualBvhError && refused.status === "NOT_RIGID" && /pose_b/.test(refused.message));
	check("orthonormalise mends it", same([...d.orthonormalise(scaled)], [...at(1)]));
	check("fifteen numbers are none", thrown(() => d.collide(tree, tree, at(1).slice(1))).status === "INVALID_ARGUMENT");
	const poses = Float64Array.from([...at(1), ...at(9), ...scaled, ...at(9)]);
	check("the first pose of a batch that is refused is named", thrown(() => d.collideBatch(tree, tree, poses)).element === 2);
	const kept = d.collideBatch(tree, tree, poses, { keepErrors: true });
	check("or the others have their answers", same([...kept.intersecting], [1, 0, 0, 0]) && same([...d.failures(kept.status)], [[2, "NOT_RIGID"]]));
	check("an index too large", thrown(() => new d.Tree(CUBE.positions, [0, 1, 8])).status === "INDEX_RANGE");
	check("an index below 0", thrown(() => new d.Tree(CUBE.positions, [0, 1, -1])).status === "INDEX_RANGE");
	check("not a number", thrown(() => new d.Tree([0, 0, NaN, 1, 0, 0, 0, 1, 0])).status === "NOT_FINITE");
	check("no triangle", thrown(() => new d.Tree([], [])).status === "EMPTY");
	check("a negative limit", thrown(() => d.distance(tree, tree, null, { limit: -1 })).status === "INVALID_ARGUMENT");
	check("a tree file that is none", thrown(() => d.Tree.load(bytesOf("no tree at all"))).status === "UNKNOWN_FORMAT");
	check("a budget", thrown(() => d.distance(tree, tree, at(2.5, 0.3, 0.1), { maxWork: 1 })).status === "BUDGET_SPENT");
	tree.dispose();
	tree.dispose();
	check("a tree after its end", thrown(() => d.collide(tree, tree)).status === "DISPOSED");
}

function scenes(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const scene = new d.Scene();
	const bodies = [scene.add(tree), scene.add(tree, at(1.5)), scene.add(tree, at(3.5)), scene.add(tree, at(20))];
	check("bodies are numbered", same(bodies, [0, 1, 2, 3]) && same(scene.bodies, bodies));
	check("the pairs that collide", same(scene.collide().map(({ a, b }) => [a, b]), [[0, 1], [1, 2]]));
	check("of one body", same(scene.collide({ body: 2 }).map(({ a, b }) => [a, b]), [[1, 2]]));
	check("clashes have a kind", same(scene.clashes().map(({ kind }) => kind), ["HARD", "TOUCH"]));
	scene.setDefaultRule({ mayTouch: true, clearance: 15 });
	scene.setPairRule(0, 1, { mayCollide: true });
	const clashes = scene.clashes();
	const rules = [
		[0, 2, "CLEARANCE", 1.5],
		[1, 2, "CLEARANCE", 0],
		[2, 3, "CLEARANCE", 14.5],
	];
	check("rules", same(clashes.map(({ a, b, kind, distance }) => [a, b, kind, distance]), rules), JSON.stringify(clashes));
	scene.setDefaultRule({});
	scene.setPoses([at(0), at(4), at(8), at(12)]);
	check("the nearest pair", scene.distance().distance === 2 && !scene.collides());
	const many = scene.collideBatch(Float64Array.from([...at(5), ...at(9)]), { bodies: [0], maxDistance: 5 });
	// Bodies 0 and 1 may collide by their rule.
	check("configurations", same([...many.intersecting], [0, 1]) && same([...many.bodies].slice(2), [0, 2]) && same([...many.distance], [1, 0]));
	check("the relation of two", scene.relate(0, 1).relation === "DISJOINT");
	scene.remove(1);
	check("a body that is gone", same(scene.bodies, [0, 2, 3]) && thrown(() => scene.setPose(1, at(0))).status === "INVALID_ARGUMENT");
	tree.dispose();
	check("a tree that is gone", thrown(() => scene.collide()).status === "DISPOSED");
	scene.dispose();
}

function scenePoints(check, d) {
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const scene = new d.Scene();
	for (const x of [0, 4, 8, 12]) scene.add(tree, at(x));
	check("a ray of a scene", scene.raycast([8, 0.2, 0.1].map((x, i) => x + (i === 2 ? -5 : 0)), [0, 0, 1]).body === 2);
	check("a point of a scene", scene.closestPoint([12, 0, 4]).body === 3 && scene.closestPoint([12, 0, 40], { limit: 1 }) === undefined);
	scene.dispose();
	tree.dispose();
}

function memory(check, d) {
	const body = makeBody(generator(5), 24, true);
	const build = () => new d.Tree(body.positions, body.indices, { topology: false }).dispose();
	build();
	const before = d.memoryBytes();
	for (let i = 0; i < 50; ++i) build();
	check("trees that are disposed of give their memory back", d.memoryBytes() === before, `${before} bytes, then ${d.memoryBytes()}`);
	d.trim();
	const tree = new d.Tree(body.positions, body.indices);
	check("after trim() calls go on", d.collide(tree, tree, at(0.5)).intersecting);
	tree.dispose();
}

// A glTF of one triangle, under a node that is moved and scaled.
function makeGlb(change = (x) => x) {
	const binary = new Uint8Array(44);
	const view = new DataView(binary.buffer);
	[0, 0, 0, 1, 0, 0, 0, 1, 0].forEach((x, i) => view.setFloat32(4 * i, x, true));
	[0, 1, 2].forEach((x, i) => view.setUint16(36 + 2 * i, x, true));
	const json = JSON.stringify(
		change({
			asset: { version: "2.0" },
			scenes: [{ nodes: [0] }],
			nodes: [{ children: [1], translation: [0, 0, 5] }, { name: "part", mesh: 0, scale: [2, 2, 2], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] }],
			meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
			accessors: [
				{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3" },
				{ bufferView: 1, componentType: 5123, count: 3, type: "SCALAR" },
			],
			bufferViews: [
				{ buffer: 0, byteLength: 36 },
				{ buffer: 0, byteOffset: 36, byteLength: 6 },
			],
			buffers: [{ byteLength: 44 }],
		}),
	);
	const text = bytesOf(json.padEnd(4 * Math.ceil(json.length / 4)));
	const file = new Uint8Array(12 + 8 + text.length + 8 + binary.length);
	const out = new DataView(file.buffer);
	[0x46546c67, 2, file.length, text.length, 0x4e4f534a].forEach((x, i) => out.setUint32(4 * i, x, true));
	file.set(text, 20);
	[binary.length, 0x004e4942].forEach((x, i) => out.setUint32(20 + text.length + 4 * i, x, true));
	file.set(binary, 28 + text.length);
	return file;
}

function glb(check, { parseGlb, placed }) {
	const [part] = parseGlb(makeGlb());
	const moved = placed(part).positions;
	check("a .glb: names, and nodes that turn, scale and move", part.name === "part" && [0, 0, 5, 0, 2, 5, -2, 0, 5].every((x, i) => near(moved[i], x, 1e-7)));
	const bad = (change) => thrown(() => parseGlb(makeGlb(change))).status;
	check("a .glb that ends early", thrown(() => parseGlb(makeGlb().slice(0, 400))).status === "TRUNCATED");
	check("an accessor beyond the data", bad((g) => ((g.accessors[0].count = 99), g)) === "MALFORMED");
	check("nodes in a circle", bad((g) => ((g.nodes[1].children = [0]), g)) === "MALFORMED");
	check("compressed positions", bad((g) => ((g.meshes[0].primitives[0].extensions = {}), g)) === "UNKNOWN_FORMAT");
}

function three(check, d, THREE, { BoundsTree, contactGeometry, poseOf, scaleOf, treeOfGeometry }) {
	const geometry = new THREE.TorusKnotGeometry(1, 0.3, 64, 12);
	const other = new THREE.BoxGeometry(1, 1, 1);
	geometry.boundsTree = new BoundsTree(geometry);
	const place = (x, scale = 1) => new THREE.Matrix4().compose(new THREE.Vector3(x, 0, 0), new THREE.Quaternion().setFromEuler(new THREE.Euler(0.3, 0.2, 0.1)), new THREE.Vector3(scale, scale, scale));
	check("boundsTree.intersectsGeometry", geometry.boundsTree.intersectsGeometry(other, place(1.5)) && !geometry.boundsTree.intersectsGeometry(other, place(4)));
	check("a scaled matrix", geometry.boundsTree.intersectsGeometry(other, place(4, 6)));
	const target2 = {};
	const found = geometry.boundsTree.closestPointToGeometry(other, place(4), {}, target2);
	const back = target2.point.clone().applyMatrix4(place(4));
	check("boundsTree.closestPointToGeometry", near(found.point.distanceTo(back), found.distance, 1e-9) && found.distance > 1);
	check("beyond maxThreshold", geometry.boundsTree.closestPointToGeometry(other, place(4), {}, {}, 0, 1) === null);
	check("boundsTree.closestPointToPoint", near(geometry.boundsTree.closestPointToPoint(new THREE.Vector3(9, 0, 0)).point.x, found.point.x, 1));
	check("boundsTree.intersectsBox", geometry.boundsTree.intersectsBox(new THREE.Box3(new THREE.Vector3(-9, -9, -9), new THREE.Vector3(9, 9, 9))) && !geometry.boundsTree.intersectsBox(new THREE.Box3(new THREE.Vector3(8, 8, 8), new THREE.Vector3(9, 9, 9))));
	const mesh = new THREE.Mesh(other);
	mesh.position.set(1, 0, 0);
	mesh.scale.setScalar(2);
	const tree = treeOfGeometry(other, { scale: scaleOf(mesh) });
	check("an object's scale and pose", tree.stats.box.half[0] > 0.99 && poseOf(mesh)[12] === 1 && poseOf(mesh)[0] === 1);
	const knot = treeOfGeometry(geometry);
	const lines = contactGeometry(d.contacts(knot, tree, poseOf(mesh)));
	check("contacts as lines", lines.getAttribute("position").count > 10 && lines.getAttribute("position").count % 2 === 0);
	geometry.boundsTree.dispose();
}

async function pool(check, d, { Pool }) {
	const q = makeQuestions(4);
	const a = new d.Tree(q.a.positions, q.a.indices);
	const workers = await Pool.create({ size: 2 });
	const b = await workers.build(q.b.positions, q.b.indices);
	const equal = (x, y) => Object.keys(y).every((name) => same([...x[name]], [...y[name]]));
	check("two workers collide as one", equal(await workers.collideBatch(a, b, q.poses), d.collideBatch(a, b, q.poses)));
	check("and measure distances", equal(await workers.distanceBatch(a, b, q.poses, { poseA: at(0.5) }), d.distanceBatch(a, b, q.poses, { poseA: at(0.5) })));
	check("and relate", equal(await workers.relateBatch(a, b, q.poses), d.relateBatch(a, b, q.poses)));
	check("and cast rays", equal(await workers.raycastBatch(a, q.rays), d.raycastBatch(a, q.rays)));
	check("and find closest points", equal(await workers.closestPointBatch(a, q.points), d.closestPointBatch(a, q.points)));
	const motions = Array.from({ length: 9 }, (_, i) => d.Motion.translation(at(3, i / 8), [-4, 0, 0]));
	const motionA = d.Motion.translation(null, [0, 1, 0]);
	check("and times of impact", equal(await workers.timeOfImpactBatch(a, b, motions, { motionA }), d.timeOfImpactBatch(a, b, motions, { motionA })));
	check("an empty batch", (await workers.collideBatch(a, b, new Float64Array(0))).intersecting.length === 0);
	const poses = q.poses.slice();
	poses[16 * 41] = 7;
	const error = await workers.collideBatch(a, b, poses).catch((e) => e);
	check("an error names the element of the whole", error.status === "NOT_RIGID" && error.element === 41, String(error));
	await workers.forget(a);
	check("a tree that was forgotten is sent again", equal(await workers.collideBatch(a, b, q.poses), d.collideBatch(a, b, q.poses)));
	workers.dispose();
	a.dispose();
	b.dispose();
}

/** Runs all tests. `native` has the native library's answers to makeQuestions(seed), by seed. */
export async function suite(check, d, { THREE, threeHelper, poolModule, glbModule, native = {} } = {}) {
	for (const part of [pairs, contacts, overlaps, points, trees, meshes, errors, scenes, scenePoints, memory]) part(check, d);
	for (const [seed, answers] of Object.entries(native)) {
		const questions = makeQuestions(Number(seed));
		const mine = ask(d, questions);
		const where = firstDifference(mine, answers, questions.count);
		check(`the native library's answers to the questions of seed ${seed}`, where < 0, `number ${where}: ${mine[where]}, natively ${answers[where]}`);
	}
	if (glbModule) glb(check, glbModule);
	if (THREE) three(check, d, THREE, threeHelper);
	if (poolModule) await pool(check, d, poolModule);
}

/** Runs what "dualbvh/core" has, and asks for what it lacks. */
export function coreSuite(check, d) {
	for (const part of [pairs, contacts, scenes]) part(check, d);
	const tree = new d.Tree(CUBE.positions, CUBE.indices);
	const scene = new d.Scene();
	const lacking = { "a file of a tree": () => tree.save(), "a ray": () => scene.raycast([0, 0, 0], [0, 0, 1]), "a sag": () => scene.add(tree, null, { sag: 0.1 }) };
	for (const [what, ask] of Object.entries(lacking)) {
		const error = thrown(ask);
		check(`the core has no ${what.slice(2)}`, error.status === "LEFT_OUT", String(error));
	}
	scene.dispose();
	tree.dispose();
}
