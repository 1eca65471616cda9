// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Questions whose answers must be the same bits in the package and in the native library. Inputs are made without
// functions that engines round differently.

/** Numbers from 0 to 1, a multiple of 2^-20 each (an xorshift generator). */
export function generator(seed) {
	let x = seed >>> 0 || 1;
	return () => {
		x ^= x << 13;
		x >>>= 0;
		x ^= x >>> 17;
		x ^= x << 5;
		x >>>= 0;
		return (x >>> 12) / 2 ** 20;
	};
}

/** A closed surface: a cube of side 2 size whose faces are n by n squares, pushed out to a bumpy ball where `round`. */
export function makeBody(random, n, round, size = 1) {
	const vertices = new Map();
	const positions = [];
	const indices = [];
	const vertex = (p) => {
		const key = p.join();
		if (!vertices.has(key)) {
			vertices.set(key, positions.length / 3);
			const [x, y, z] = p.map((v) => (2 * v) / n - 1);
			const scale = round ? (size * (0.75 + random() / 4)) / Math.sqrt(x * x + y * y + z * z) : size;
			positions.push(x * scale, y * scale, z * scale);
		}
		return vertices.get(key);
	};
	for (let axis = 0; axis < 3; ++axis)
		for (const side of [0, n])
			for (let i = 0; i < n; ++i)
				for (let j = 0; j < n; ++j) {
					const at = (u, v) => {
						const p = [0, 0, 0];
						p[axis] = side;
						p[(axis + 1) % 3] = u;
						p[(axis + 2) % 3] = v;
						return vertex(p);
					};
					const quad = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
					if (side === 0) quad.reverse();
					indices.push(quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]);
				}
	return { positions: Float64Array.from(positions), indices: Uint32Array.from(indices) };
}

/** A pose by a random quaternion; every third has no turn, so that faces lie on each other. */
export function makePose(random, i) {
	const q = i % 3 === 0 ? [0, 0, 0, 1] : [random() - 0.5, random() - 0.5, random() - 0.5, random() - 0.5];
	const size = Math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) || 1;
	const [x, y, z, w] = (size === 1 ? [0, 0, 0, 1] : q).map((v) => v / size);
	const near = () => (i % 3 === 0 ? Math.round(random() * 16) / 8 : random() * 2);
	return [
		...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0],
		...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0],
		...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0],
		...[near(), near(), near(), 1],
	];
}

const PAIR_ROW = 12; // the last is a time of impact, which is promised within a tolerance
const TIME_TOLERANCE = 2 ** -18;

export function makeQuestions(seed, count = 60) {
	const random = generator(seed);
	const a = makeBody(random, 6, false);
	const b = makeBody(random, 7, seed % 2 === 0, [1, 1, 0.5, 0.25][seed % 4]);
	const poses = Float64Array.from({ length: count }, (_, i) => i).reduce((all, i) => (all.set(makePose(random, i), 16 * i), all), new Float64Array(16 * count));
	const rays = Float64Array.from({ length: 6 * count }, (_, i) => (i % 6 < 3 ? 6 * random() - 3 : Math.round(8 * random()) / 4 - 1));
	const points = Float64Array.from({ length: 3 * count }, (_, i) => (i % 9 < 3 ? Math.round(12 * random()) / 4 - 1.5 : 3 * random() - 1.5));
	return { a, b, poses, rays, points, count };
}

/** The questions as js/test/native.c reads them. */
export function toBytes({ a, b, poses, rays, points, count }) {
	const mesh = ({ positions, indices }) => [positions.length / 3, indices.length / 3, ...positions, ...indices];
	return Float64Array.from([...mesh(a), ...mesh(b), count, count, count, ...poses, ...rays, ...points]);
}

/** The package's answers, in the rows of js/test/native.c. */
export function ask(d, { a, b, poses, rays, points, count }) {
	const treeA = new d.Tree(a.positions, a.indices);
	const treeB = new d.Tree(b.positions, b.indices);
	const out = [];
	const verdicts = d.collideBatch(treeA, treeB, poses);
	const distances = d.distanceBatch(treeA, treeB, poses);
	const relations = d.relateBatch(treeA, treeB, poses);
	for (let i = 0; i < count; ++i) {
		const pose = poses.subarray(16 * i, 16 * i + 16);
		const { pairs, intersecting } = d.collidePairs(treeA, treeB, pose);
		const contacts = d.contacts(treeA, treeB, pose);
		const toi = d.timeOfImpact(treeA, treeB, d.Motion.translation(pose, [-4, 1, 0.5]));
		let sum = 0;
		for (let k = 0; k < contacts.points.length; k += 3)
			sum += contacts.points[k] + contacts.points[k + 1] + contacts.points[k + 2];
		if (intersecting !== Boolean(verdicts.intersecting[i])) throw new Error(`pose ${i}: two verdicts`);
		out.push(Number(intersecting), pairs.length / 2, pairs[0] ?? 0, pairs[1] ?? 0, distances.distance[i], relations.relation[i]);
		out.push(contacts.records.length / 6, contacts.points.length / 3, contacts.polylines.length, sum);
		out.push(Number(toi.verdict === "CLEAR"), toi.time);
	}
	const hits = d.raycastBatch(treeA, rays);
	for (let i = 0; i < count; ++i) out.push(hits.intersects[i], hits.t[i], hits.triangles[i]);
	const closest = d.closestPointBatch(treeA, points);
	const locations = d.locatePointBatch(treeA, points);
	for (let i = 0; i < count; ++i)
		out.push(closest.distance[i], closest.triangles[i], ...closest.points.subarray(3 * i, 3 * i + 3), locations[i]);
	treeA.dispose();
	treeB.dispose();
	return Float64Array.from(out);
}

/** Returns the index of the first answer that differs, -1 where there is none. */
export function firstDifference(x, y, count) {
	if (x.length !== y.length) return Math.min(x.length, y.length);
	const [p, q] = [x, y].map((numbers) => new BigUint64Array(numbers.buffer, numbers.byteOffset, numbers.length));
	const isTime = (i) => i < PAIR_ROW * count && i % PAIR_ROW === PAIR_ROW - 1;
	return p.findIndex((bits, i) => (isTime(i) ? !(Math.abs(x[i] - y[i]) <= TIME_TOLERANCE) : bits !== q[i]));
}
