// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// What all packages are asked: a torus against a torus knot at poses whose distance or depth is known, and the stopwatch.

import * as THREE from "three";
import * as d from "dualbvh";

/** Distances between the meshes along the line of approach; below 0 the second one has been pushed on. */
export const GAPS = [1, 0.1, 1e-2, 1e-3, 1e-4, 1e-6, -1e-6, -1e-4, -1e-2, -0.1];

// Numbers in [0, 1), the same ones in each run.
function generator(seed) {
	return () => {
		seed = (seed ^ (seed << 13)) >>> 0;
		seed ^= seed >>> 17;
		seed = (seed ^ (seed << 5)) >>> 0;
		return seed / 2 ** 32;
	};
}

const meshOf = (geometry) => ({
	positions: Float64Array.from(geometry.attributes.position.array),
	indices: Uint32Array.from(geometry.index.array),
});

/** Two meshes, their trees, and `turns` rotations of the second one, each with a pose a gap. Needs init(). */
export function makeCases(turns) {
	const random = generator(12345);
	const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
	const geometryA = new THREE.TorusGeometry(1, 0.4, 158, 158);
	const geometryB = new THREE.TorusKnotGeometry(1, 0.3, 400, 62);
	const [meshA, meshB] = [meshOf(geometryA), meshOf(geometryB)];
	const treeA = new d.Tree(meshA.positions, meshA.indices);
	const treeB = new d.Tree(meshB.positions, meshB.indices);
	const poses = [];
	const one = new THREE.Vector3(1, 1, 1);
	while (poses.length < turns) {
		const turn = new THREE.Quaternion(gauss(), gauss(), gauss(), gauss()).normalize();
		const from = new THREE.Vector3(gauss(), gauss(), gauss()).normalize();
		const at = (way) => new THREE.Matrix4().compose(from.clone().multiplyScalar(way), turn, one);
		const motion = d.Motion.translation(at(8), from.clone().multiplyScalar(-8).toArray());
		const { verdict, upper } = d.timeOfImpact(treeA, treeB, motion);
		if (verdict === "CONTACT") poses.push(GAPS.map((gap) => at(8 * (1 - upper) + gap)));
	}
	return { geometryA, geometryB, meshA, meshB, treeA, treeB, poses };
}

/** Microseconds of a call: the best of some runs, each of which repeats it for `least` milliseconds. */
export function microseconds(call, runs = 5, least = 0.4) {
	let best = Infinity;
	for (let run = 0; run < runs; ++run) {
		const begin = performance.now();
		let count = 0;
		let passed;
		do {
			call();
			++count;
			passed = performance.now() - begin;
		} while (passed < least);
		best = Math.min(best, (1000 * passed) / count);
	}
	return best;
}

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
