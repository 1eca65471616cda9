// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Random clashes of ten families among bodies that stand in the way: node clashes.mjs DUALBVH FOLDER [COUNT [SEED]]. Each is
// a page of its own, opened as a user would open it; A, B and the contact are counted by their colours in the picture. Prints
// the pages where one of the three is not to be seen, whose pictures stay in the folder, a line for each family, and a line
// of sums; fails where fewer than 95 % show all three.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";
import { commandOf } from "./command.mjs";
import { countHues } from "./png.mjs";

const { folder, make, gen } = commandOf(process.argv);
const count = Number(process.argv[4] ?? 500);
const seed = Number(process.argv[5] ?? 20261124);

const LEAST_BODY = 150; // pixels of 630 x 660 or so
const LEAST_CONTACT = 40;

// mulberry32
let random = seed >>> 0;
const uniform = (from, to) => {
	random = (random + 0x6d2b79f5) >>> 0;
	let t = Math.imul(random ^ (random >>> 15), random | 1);
	t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
	return from + ((to - from) * ((t ^ (t >>> 14)) >>> 0)) / 4294967296;
};
const among = (list) => list[Math.floor(uniform(0, list.length))];
const direction = () => {
	for (;;) {
		const v = [0, 1, 2].map(() => uniform(-1, 1));
		const length = Math.hypot(...v);
		if (length > 0.1 && length < 1) return v.map((x) => x / length);
	}
};
const turn = () => {
	const [x, y, z] = direction();
	const angle = uniform(0, Math.PI);
	const [s, c] = [Math.sin(angle), Math.cos(angle)];
	const d = 1 - c;
	return [[c + x * x * d, x * y * d - z * s, x * z * d + y * s], [y * x * d + z * s, c + y * y * d, y * z * d - x * s], [z * x * d - y * s, z * y * d + x * s, c + z * z * d]];
};
const upright = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
const about = (degrees) => {
	const [s, c] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
	return [[c, -s, 0], [s, c, 0], [0, 0, 1]];
};
const pose = (rows, at) => rows.flatMap((row, i) => [...row, at[i]]);
const body = (name, file, rows, at, scale = 1) => ({ name, file: `${file}.ply`, scale, pose: pose(rows, at) });

// Meshes by name, and the radius of a sphere round each.
const meshes = {
	ball: [["sphere"], 1],
	block: [["box", "--size", "2,1,1"], 1.2],
	cube: [["box"], 0.9],
	ring: [["torus"], 1.25],
	tube: [["pipe", "--length", "6", "--radius", "1", "--wall", "0.15"], 3.2],
	rod: [["pipe", "--length", "6", "--radius", "0.5", "--wall", "0.49"], 3.1],
	pin: [["pipe", "--length", "3", "--radius", "0.87", "--wall", "0.86"], 1.8],
	plate: [["box", "--size", "12,8,0.5"], 7.2],
	gear: [["gear"], 13],
	hand: [["hand"], 0.2],
	statue: [["statue"], 0.6],
	housing: [["pipe", "--length", "2.4", "--radius", "1", "--wall", "0.03"], 1.5],
};
for (const [name, [words]] of Object.entries(meshes)) gen(name, ...words);
const radius = (name, scale = 1) => meshes[name][1] * scale;

// Two bodies near each other: the try says how near, from 1 on downwards.
const near = (a, b, scaleA = 1, scaleB = 1) => (nearness) => {
	const way = direction().map((x) => x * nearness * uniform(0.5, 0.95) * (radius(a, scaleA) + radius(b, scaleB)));
	return [body("first", a, turn(), [0, 0, 0], scaleA), body("second", b, turn(), way, scaleB)];
};
const families = {
	gears: (nearness) => [
		body("first", "gear", about(uniform(0, 15)), [0, 0, 0]),
		body("second", "gear", about(uniform(0, 15)), [uniform(23, 25.5) * nearness, 0, uniform(-4, 4)]),
	],
	"pin in bore": (nearness) => [
		body("first", "tube", upright, [0, 0, 0]),
		body("second", "pin", upright, [0.04 / nearness, uniform(0, 0.04), uniform(-3, 3)], uniform(0.9, 0.97)),
	],
	balls: (nearness) => near("ball", "ball", 1, Math.exp(uniform(-3, 0)))(nearness),
	blocks: near("block", "cube"),
	rings: near("ring", "ring"),
	"pipes that cross": (nearness) => [
		body("first", "tube", upright, [0, 0, 0]),
		body("second", "rod", [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], [uniform(-1, 1), uniform(-1.4, 1.4) * nearness, uniform(-2, 2)]),
	],
	"hand and block": near("hand", "cube", 1, 0.3),
	"statue and ball": near("statue", "ball", 1, 0.2),
	"pin in a plate": (nearness) => [
		body("first", "plate", upright, [0, 0, 0]),
		body("second", among(["rod", "ball", "cube", "ring"]), turn(), [uniform(-5, 5), uniform(-3, 3), uniform(-1, 1) * nearness * 0.6], uniform(0.1, 0.5)),
	],
	"small in large": (nearness) => [
		body("first", among(["ball", "cube"]), turn(), [0, 0, 0], 10),
		body("second", among(["ball", "cube", "ring", "gear"].slice(0, 3)), turn(), direction().map((x) => x * 10 * uniform(0.4, 1) * nearness), uniform(0.3, 1)),
	],
};

// Plates and balls round the two, a pipe round all of it for every second one.
function occluders(pair) {
	const reach = Math.max(...pair.map((x) => radius(x.file.replace(".ply", ""), x.scale) + Math.hypot(x.pose[3], x.pose[7], x.pose[11])));
	const others = [];
	for (let i = Math.floor(uniform(3, 12)); i > 0; --i) {
		const size = reach * uniform(0.1, 0.6);
		const away = reach * uniform(1.1, 2.5) + size * 1.3;
		others.push(body(`other-${i}`, among(["cube", "ball", "block", "ring"]), turn(), direction().map((x) => x * away), size));
	}
	others.push(body("wall", "plate", turn(), direction().map((x) => x * reach * 2), reach / 8));
	if (uniform(0, 1) < 0.5) others.push(body("housing", "housing", turn(), [0, 0, 0], reach * 1.15));
	return others;
}

const pictureOf = (page) => JSON.parse(readFileSync(page, "utf8").match(/<script[^>]*id="picture"[^>]*>([^]*?)<\/script>/)[1]);

// Makes the page of a clashing pair; the number of its clash.
function makePage(family, file) {
	for (let nearness = 1; nearness > 0.02; nearness *= 0.8) {
		const pair = families[family](nearness);
		const scene = { schema: "dualbvh.scene/1", bodies: [...pair, ...occluders(pair)] };
		writeFileSync(`${folder}/scene.json`, JSON.stringify(scene));
		make("view", "scene.json", "-o", file, "--quiet");
		const { clashes, bodies } = pictureOf(`${folder}/${file}`);
		const names = (clash) => [clash.a, clash.b].map((i) => bodies[i].path).sort().join();
		const clash = clashes.findIndex((x) => names(x) === "first,second");
		if (clash >= 0) return clash;
	}
	throw new Error(`${family}: no clash found`);
}

const browser = await startBrowser();
const names = Object.keys(families);
const sums = new Map(names.map((name) => [name, { pages: 0, seen: 0 }]));
let mistaken = 0;
for (let i = 0; i < count; ++i) {
	const family = names[i % names.length];
	const file = `clash-${i}.html`;
	const clash = makePage(family, file);
	const { page, mistakes, context } = await openPage(browser, `${folder}/${file}`, { hash: `#clash=${clash}`, width: 1000, height: 700 });
	mistaken += mistakes.length > 0 ? 1 : 0;
	const counts = await page.evaluate(countHues);
	const sum = sums.get(family);
	++sum.pages;
	const isSeen = counts.a >= LEAST_BODY && counts.b >= LEAST_BODY && counts.contact >= LEAST_CONTACT;
	if (isSeen) ++sum.seen;
	if (isSeen) rmSync(`${folder}/${file}`);
	else {
		writeFileSync(`${folder}/clash-${i}.png`, await page.screenshot());
		console.log(`clash-${i}.html#clash=${clash} (${family}): ${JSON.stringify(counts)}`);
	}
	await context.close();
}
await browser.close();

let seen = 0;
for (const [name, sum] of sums) {
	seen += sum.seen;
	if (sum.pages > 0) console.log(`${name}: ${sum.seen} of ${sum.pages}`);
}
console.log(`${seen} of ${count} pages show A, B and the contact (${((100 * seen) / count).toFixed(1)} %, seed ${seed}); ${mistaken} complained`);
process.exit(seen >= 0.95 * count && mistaken === 0 ? 0 : 1);
