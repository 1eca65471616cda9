// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Measurements that node and a page make alike.

import * as d from "dualbvh";
import { Pool } from "dualbvh/pool";
import { GAPS, makeCases, median, microseconds } from "./cases.mjs";
import { PACKAGES } from "./packages.mjs";

let cases;
let truth; // by turn and gap: verdict and distance

export async function prepare(turns) {
	await d.init();
	cases = makeCases(turns);
	const { treeA, treeB, poses } = cases;
	truth = poses.map((row) => row.map((pose) => [d.collide(treeA, treeB, pose).intersecting, d.distance(treeA, treeB, pose).distance]));
	const plain = (mesh) => [mesh.positions.length / 3, mesh.indices.length / 3, ...mesh.positions, ...mesh.indices];
	return { meshes: [...plain(cases.meshA), ...plain(cases.meshB)], poses: poses.flatMap((row) => row.map((pose) => [...pose.elements])) };
}

/** One pose, as js/bench/native.c answers it: microseconds of collide and of distance, verdict and distance. */
export function askOne(index) {
	const { treeA, treeB, poses } = cases;
	const pose = poses[Math.floor(index / GAPS.length)][index % GAPS.length];
	const times = [d.collide, d.distance].map((query) => microseconds(() => query(treeA, treeB, pose), 1));
	return [...times, Number(d.collide(treeA, treeB, pose).intersecting), d.distance(treeA, treeB, pose).distance];
}

// A row for a question: medians by gap, all times, and the number of answers that are wrong.
function askAll(poses, ask, isWrong, isFast) {
	const times = [];
	let wrong = 0;
	poses.forEach((row, turn) =>
		row.forEach((pose, gap) => {
			if (isWrong(ask(pose), truth[turn][gap])) ++wrong;
			times.push(isFast ? microseconds(() => ask(pose)) : microseconds(() => ask(pose), 2, 0));
		}),
	);
	return { medians: GAPS.map((_, gap) => median(times.filter((_, i) => i % GAPS.length === gap))), times, wrong, count: times.length };
}

/** What a package answers, and how fast. Distances of slow packages are asked at few turns. */
export async function measure(name) {
	const { collide, distance, builds = {}, isFast = false } = await PACKAGES[name](cases);
	const out = { builds: {} };
	if (collide) out.collide = askAll(cases.poses, collide, (meets, [right]) => meets !== right, isFast);
	if (distance) out.distance = askAll(isFast ? cases.poses : cases.poses.slice(0, 3), distance, (far, [, right]) => Math.abs(far - right) > 1e-12, isFast);
	for (const [how, build] of Object.entries(builds)) out.builds[how] = microseconds(build, 7, 0) / 1000;
	return out;
}

/** Milliseconds of a batch of distances by this thread, and by pools of one worker and of two, in alternate runs. */
export async function measurePool(count = 4000, rounds = 5) {
	const { treeA, treeB, poses } = cases;
	const all = new Float64Array(16 * count);
	for (let i = 0; i < count; ++i) all.set(poses[i % poses.length][(7 * i) % GAPS.length].elements, 16 * i);
	const pools = [await Pool.create({ size: 1 }), await Pool.create({ size: 2 })];
	const ways = [() => d.distanceBatch(treeA, treeB, all), ...pools.map((pool) => () => pool.distanceBatch(treeA, treeB, all))];
	const best = ways.map(() => Infinity);
	for (let round = 0; round <= rounds; ++round) {
		for (const [i, way] of ways.entries()) {
			const begin = performance.now();
			await way();
			if (round > 0) best[i] = Math.min(best[i], performance.now() - begin); // the first one sends the trees
		}
	}
	for (const pool of pools) pool.dispose();
	return best;
}

/** Milliseconds to compile one of the package's modules: the best and the median. */
export async function measureCompilation(file, runs = 9) {
	const url = new URL(`./node_modules/dualbvh/dist/${file}`, import.meta.url);
	const isNode = globalThis.process !== undefined;
	const plain = new Uint8Array(isNode ? await (await import("node:fs/promises")).readFile(url) : await (await fetch(url)).arrayBuffer());
	const times = [];
	for (let run = 0; run < runs; ++run) {
		// A custom section without a name, which differs from run to run: engines keep what they compiled by its bytes.
		const section = Uint8Array.of(0, 2, 0, run);
		const module = new Uint8Array(plain.length + section.length);
		module.set(plain);
		module.set(section, plain.length);
		const begin = performance.now();
		await WebAssembly.compile(module);
		times.push(performance.now() - begin);
	}
	return [Math.min(...times), median(times)];
}
