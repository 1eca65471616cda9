// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests of the playground in Chromium (CHROMIUM): node test.mjs PAGE FOLDER, in the folder of the npm package. The last
// line is "N passed, N failed".

import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [file, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });
let passed = 0;
let failed = 0;
const check = (what, ok, more = "") => {
	if (ok) return ++passed;
	++failed;
	console.log(`FAIL: playground: ${what} ${more}`);
};

// A cube of edge 2 as OFF.
const cube = (name, [x, y, z]) => {
	const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `${x + 2 * (i & 1)} ${y + (i & 2)} ${z + (i & 4) / 2}`);
	const faces = ["0 2 3 1", "4 5 7 6", "0 1 5 4", "2 6 7 3", "0 4 6 2", "1 3 7 5"].map((face) => `4 ${face}`);
	writeFileSync(`${folder}/${name}.off`, `OFF\n8 6 0\n${corners.join("\n")}\n${faces.join("\n")}\n`);
	return `${folder}/${name}.off`;
};

const browser = await chromium.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const mistakes = [];
const open = async (init) => {
	const context = await browser.newContext({ viewport: { width: 1100, height: 700 } });
	if (init) await context.addInitScript(init);
	const page = await context.newPage();
	page.on("pageerror", (error) => mistakes.push(String(error)));
	page.on("request", (request) => {
		if (!/^(file|data|blob):/.test(request.url())) mistakes.push(`asks the network for ${request.url()}`);
	});
	await page.goto(`${pathToFileURL(file)}`);
	await done(page);
	return page;
};
const done = (page) => page.waitForFunction(() => document.documentElement.dataset.state === "done", null, { timeout: 120000 });
const facts = (page) =>
	page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#facts dt")].map((dt) => [dt.textContent, dt.nextElementSibling.textContent])));
const verdict = (page) => page.locator("#verdict").innerText();

try {
	const page = await open();
	check("the example overlaps", (await verdict(page)) === "They overlap", await verdict(page));
	check("the example has a volume", Number((await facts(page))["common volume"]) > 0, JSON.stringify(await facts(page)));
	await page.setInputFiles("#file-a", cube("a", [0, 0, 0]));
	await page.setInputFiles("#file-b", cube("b", [1.5, 1, 1]));
	await done(page);
	const found = await facts(page);
	check("cubes overlap by 0.5", found["common volume"] === "0.5" && found.depth === "0.5" && found["free after a move by"] === "0.5", JSON.stringify(found));
	await page.screenshot({ path: `${folder}/cubes.png` });
	await page.click("#free");
	await done(page);
	check("B is moved free", ["They are apart", "They touch"].includes(await verdict(page)), await verdict(page));
	await page.fill("#x", "10");
	await page.press("#x", "Enter");
	await done(page);
	check("the distance is told", (await verdict(page)) === "They are apart" && Number((await facts(page)).distance) > 9, JSON.stringify(await facts(page)));
	await page.click("#reset");
	await done(page);
	check("it comes back", (await verdict(page)) === "They overlap");
	// B is dragged away by hand: from its middle to the right.
	const box = await page.locator("#canvas").boundingBox();
	await page.setInputFiles("#file-b", cube("c", [0.5, 0, 0]));
	await done(page);
	await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2, { steps: 5 });
	await page.mouse.up();
	await done(page);
	check("B is dragged", Math.abs(Number(await page.inputValue("#x"))) > 0.1, await page.inputValue("#x"));
	writeFileSync(`${folder}/no.stl`, "this is no mesh");
	await page.setInputFiles("#file-a", `${folder}/no.stl`);
	await page.waitForFunction(() => document.getElementById("mistake").textContent !== "");
	check("a bad file is named", (await page.locator("#mistake").innerText()).startsWith("no.stl: "), await page.locator("#mistake").innerText());
	const flat = await open(() => {
		const get = HTMLCanvasElement.prototype.getContext;
		HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
			return /webgl/.test(kind) ? null : get.call(this, kind, ...more);
		};
	});
	check("without WebGL there are numbers", (await verdict(flat)) === "They overlap");
	check("no mistakes, and no network", mistakes.length === 0, mistakes.join("; "));
} finally {
	await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
