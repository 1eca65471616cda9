// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Pages of fourteen kinds, and what they cost: node kinds.mjs DUALBVH FOLDER [ROBOT] [FIREFOX]. ROBOT is the folder of
// arm.urdf, FIREFOX the program: pictures by it, too. Pictures of each page stay in the folder: on a desk, dark, on a phone
// upright and lying, and printed. The table has the bytes of each page, the heap of its programs once all is drawn, and the
// time to the first picture. Fails where a page complains, or where the frame is above 300 KB.

import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openPage, startBrowser } from "./browser.mjs";
import { commandOf } from "./command.mjs";

const { folder, make, gen } = commandOf(process.argv);
const [robots, firefox] = [process.argv[4], process.argv[5]];

// A thousand parts, of which 5,000 pairs or so clash: boxes where a generator of numbers puts them.
function thousand() {
	let seed = 1;
	const uniform = () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed / 4294967296;
	};
	const bodies = Array.from({ length: 1000 }, (_, i) => {
		const at = [0, 1, 2].map(() => 30 * uniform());
		const name = `level-${i % 4}/system-${i % 20}/part-${i}`;
		return { name, file: i % 3 === 0 ? "small.ply" : "ball.ply", pose: [1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]] };
	});
	writeFileSync(`${folder}/thousand.json`, JSON.stringify({ schema: "dualbvh.scene/1", bodies }));
}

gen("gear", "gear");
gen("driven", "gear", "--rotate", "0,0,1,7.5", "--at", "23.5,0,0");
gen("bore", "pipe", "--length", "6", "--radius", "1", "--wall", "0.2");
gen("pin", "pipe", "--length", "8", "--radius", "0.78", "--wall", "0.77", "--at", "0.05,0,0.5");
gen("small", "box", "--size", "2.7,2.7,2.7");
gen("ball", "sphere", "--radius", "1.95", "--slices", "24", "--stacks", "16");
gen("box", "box", "--size", "2,2,2");
gen("core", "box", "--size", "1,1,1", "--at", "0.1,0.1,0.1");
gen("far", "box", "--size", "1,1,1", "--at", "0,2.2,0.3");
gen("tiny", "sphere", "--slices", "1600", "--stacks", "1601");
gen("other", "sphere", "--slices", "64", "--at", "1.8,0,0");
gen("away", "box", "--size", "2,2,2", "--at", "60,0,0");
thousand();
make("export", "gear.ply", "driven.ply", "-o", "both.obj", "--show", "bodies");
const moves = Array.from({ length: 120 }, (_, i) => `1 0 0 ${32 - 0.08 * i} 0 1 0 0 0 0 1 0`).join("\n");
writeFileSync(`${folder}/moves.txt`, `${moves}\n`);
const bend = Array.from({ length: 60 }, (_, i) => `${-3.1 + 0.1 * i} ${2.4 * Math.sin(0.05 * i)} ${-0.049 * i} ${0.01 * i} ${0.001 * i}`).join("\n");
writeFileSync(`${folder}/joints.txt`, `${bend}\n`);

const kinds = {
	gears: ["view", "gear.ply", "driven.ply", "-o"],
	bore: ["view", "bore.ply", "pin.ply", "-o"],
	thousand: ["view", "thousand.json", "-o"],
	millions: ["view", "tiny.ply", "other.ply", "-o"],
	robot: robots ? ["scene", `${resolve(robots)}/arm.urdf`, "--srdf", `${resolve(robots)}/arm.srdf`, "--joints", "joints.txt", "--html"] : undefined,
	motion: ["toi", "gear.ply", "gear.ply", "--from", "1 0 0 40 0 1 0 0 0 0 1 0", "--to", "1 0 0 20 0 1 0 0 0 0 1 0", "--html"],
	distance: ["distance", "gear.ply", "gear.ply", "--poses", "moves.txt", "--html"],
	clearance: ["view", "box.ply", "far.ply", "--clearance", "1", "-o"],
	containment: ["view", "box.ply", "core.ply", "-o"],
	duplicate: ["view", "gear.ply", "gear.ply", "-o"],
	self: ["self", "both.obj", "--html"],
	trees: ["view", "gear.ply", "driven.ply", "--trees", "-o"],
	overlap: ["check", "gear.ply", "driven.ply", "--relation", "--html"],
	empty: ["view", "away.ply", "gear.ply", "-o"],
};

let failed = 0;
const complain = (name, what) => {
	++failed;
	console.log(`FAIL: ${name}: ${what}`);
};

const made = Object.entries(kinds).filter(([, words]) => words);
for (const [name, words] of made) make(...words, `${name}.html`, "--quiet");

console.log("page | bytes | heap in MB | first picture in ms | triangles drawn | bodies | clashes\n---|---|---|---|---|---|---");
const browser = await startBrowser();
for (const [name] of made) {
	const file = join(folder, `${name}.html`);
	const { page, mistakes, context } = await openPage(browser, file);
	page.setDefaultTimeout(180000); // a busy machine that draws in software
	const facts = await page.evaluate(() => {
		const { triangles, bodies, clashes } = window.dualbvh.picture;
		const { milliseconds } = document.documentElement.dataset;
		return { milliseconds, drawn: triangles.drawn, bodies: bodies.length, clashes: clashes.length };
	});
	const session = await context.newCDPSession(page);
	await session.send("HeapProfiler.collectGarbage");
	const { usedSize, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
	await page.screenshot({ path: `${folder}/${name}.png` });
	await page.pdf({ path: `${folder}/${name}.pdf`, printBackground: true, pageRanges: "1-2" });
	await page.selectOption("#theme", "dark");
	await page.screenshot({ path: `${folder}/${name}-dark.png` });
	const { size } = statSync(file);
	const heap = ((usedSize + backingStorageSize) / 1e6).toFixed(1);
	console.log(`${name} | ${size} | ${heap} | ${facts.milliseconds} | ${facts.drawn} | ${facts.bodies} | ${facts.clashes}`);
	if (mistakes.length > 0) complain(name, mistakes.join("; "));
	if (name === "thousand" && size > 4e6) complain(name, `${size} bytes`);
	if (name === "clearance" && size > 300e3) complain(name, `${size} bytes, nearly all of them the frame`);
	await context.close();
	for (const [way, width, height] of [["upright", 390, 844], ["lying", 844, 390]]) {
		const phone = await openPage(browser, file, { width, height, deviceScaleFactor: 2, hasTouch: true });
		phone.page.setDefaultTimeout(180000);
		await phone.page.screenshot({ path: `${folder}/${name}-${way}.png` });
		if (phone.mistakes.length > 0) complain(`${name}, ${way}`, phone.mistakes.join("; "));
		await phone.context.close();
	}
}
await browser.close();

if (firefox) {
	const { startFirefox } = await import("./firefox.mjs");
	const other = await startFirefox(firefox);
	console.log(`\nIn Firefox ${other.version}:\npage | first picture in ms | WebGL\n---|---|---`);
	for (const [name] of made) {
		const { page, mistakes, context } = await other.open(join(folder, `${name}.html`));
		const [ms, webgl] = await page.evaluate("() => [document.documentElement.dataset.milliseconds, !!window.dualbvh?.view.renderer]");
		await page.screenshot({ path: `${folder}/${name}-firefox.png` });
		console.log(`${name} | ${ms} | ${webgl}`);
		const all = mistakes.filter((text) => webgl || !/WebGL/.test(text));
		if (ms === undefined || all.length > 0) complain(`${name} in Firefox`, all.join("; "));
		await context.close();
	}
	await other.close();
}
console.log(`${made.length} kinds of pages, ${failed} complaints`);
process.exit(failed === 0 ? 0 : 1);
