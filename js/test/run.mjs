// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Tests the package in this folder, in node and in Chromium (CHROMIUM, where it is set):
// node test/run.mjs NATIVE MODULES FOLDER. NATIVE is js/test/native.c, MODULES holds the build folders of both modules;
// screenshots go to FOLDER. The last line is "N passed, N failed".

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeQuestions, toBytes } from "./questions.js";
import { suite } from "./suite.js";

const top = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [native, modules, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });

let passed = 0;
let failed = 0;
const check = (where) => (what, ok, more = "") => {
	if (ok) return ++passed;
	++failed;
	console.log(`FAIL: ${where}: ${what} ${more}`);
};

// The native library's answers. A seed of its own each run would meet more; the environment's DUALBVH_SEED does.
const seeds = process.env.DUALBVH_SEED ? [Number(process.env.DUALBVH_SEED)] : [1, 2, 3, 4, 5, 6, 7, 8];
const answers = Object.fromEntries(
	seeds.map((seed) => {
		const out = execFileSync(native, { input: new Uint8Array(toBytes(makeQuestions(seed)).buffer) });
		return [seed, new Float64Array(out.buffer.slice(out.byteOffset, out.byteOffset + out.length))];
	}),
);

// Another instance of the package, with its own module.
const instance = (name, query) => import(`../dist/${name}.js?${query}`);

async function inNode() {
	const THREE = await import("three");
	const extras = { THREE, threeHelper: await import("dualbvh/three"), poolModule: await import("dualbvh/pool"), glbModule: await import("dualbvh/glb") };
	const d = await import("dualbvh");
	const early = (() => {
		try {
			return void new d.Tree([0, 0, 0, 1, 0, 0, 0, 1, 0]);
		} catch (error) {
			return error;
		}
	})();
	check("node")("a call before init() is refused", early?.status === "NOT_READY");
	check("node")("a module that is none is refused", await d.init({ wasm: new Uint8Array(8) }).then(() => false, () => true));
	await Promise.all([d.init(), d.init()]);
	await suite(check("node"), d, { ...extras, native: answers });
	const { init } = await import("dualbvh/single");
	await init();
	await suite(check("node, one file"), await import("dualbvh/single"), { native: answers });
}

// In a process of its own, because "dualbvh/core" and "dualbvh" share what loads the module.
function coreInNode() {
	const program = `
		import * as d from "dualbvh/core";
		import { coreSuite } from "./suite.js";
		await d.init();
		const results = [];
		coreSuite((what, ok, more = "") => results.push({ what, ok: Boolean(ok), more }), d);
		console.log(JSON.stringify(results));`;
	const out = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: `${top}/test` });
	for (const { what, ok, more } of JSON.parse(out)) check("node, core")(what, ok, more);
}

// What is packed has every file that package.json names.
function files() {
	const { exports } = JSON.parse(readFileSync(`${top}/package.json`));
	const npm = ["pack", "--dry-run", "--json", "--ignore-scripts"];
	const [{ files: packed }] = JSON.parse(execFileSync("npm", npm, { cwd: top, stdio: ["ignore", "pipe", "ignore"] }));
	const names = new Set(packed.map(({ path }) => `./${path}`));
	const named = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry)));
	check("package")("all entries are packed", named.every((name) => names.has(name)), named.filter((name) => !names.has(name)).join());
	check("package")("neither sources nor tests are", ![...names].some((name) => /\/(src|test|native|node_modules)\//.test(name)));
}

async function answersOf(bytes) {
	const { asked, hash, expected } = await (await import("./answers.js")).askModule(bytes);
	return { asked, same: hash === expected, hash };
}

async function hashes() {
	for (const variant of ["simd", "scalar"]) {
		const { asked, same, hash } = await answersOf(readFileSync(`${modules}/${variant}/bin/dualbvh_web_answers.wasm`));
		check("node")(`${asked} answers have the hash of all builds (${variant})`, same && asked >= 1e5, hash.toString(16));
	}
}

// ------------------------------------------------------------------------------------------------
// In a browser

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };

// Serves the package as a site; /answers/ are the modules that ask tests/answers.
function serve() {
	const server = createServer((request, response) => {
		const path = new URL(request.url, "http://x").pathname;
		const file = path.startsWith("/answers/") ? `${modules}/${path.slice(9)}/bin/dualbvh_web_answers.wasm` : `${top}${path}`;
		try {
			response.setHeader("content-type", TYPES[path.startsWith("/answers/") ? ".wasm" : extname(path)] ?? "application/octet-stream");
			response.end(readFileSync(file));
		} catch {
			response.statusCode = 404;
			response.end();
		}
	});
	return new Promise((ready) => server.listen(0, "127.0.0.1", () => ready(server)));
}

async function inBrowser(executablePath) {
	const { chromium } = await import("playwright-core");
	const server = await serve();
	const site = `http://127.0.0.1:${server.address().port}`;
	const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
	const browser = await chromium.launch({ executablePath, args: flags });
	try {
		const page = await browser.newPage();
		const mistakes = [];
		page.on("pageerror", (error) => mistakes.push(String(error)));
		await page.goto(`${site}/test/page.html`);
		const given = Object.fromEntries(Object.entries(answers).map(([seed, numbers]) => [seed, Array.from(new BigUint64Array(numbers.buffer), String)]));
		const results = await page.evaluate((native) => globalThis.runAll(native), given);
		for (const { where, what, ok, more } of results) check(`Chromium, ${where}`)(what, ok, more);
		check("Chromium")("the page has no mistake", mistakes.length === 0, mistakes.join("; "));
		await lookAtExample(browser, site);
	} finally {
		await browser.close();
		server.close();
	}
}

// The example: a part that is dragged until it collides.
async function lookAtExample(browser, site) {
	const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
	const mistakes = [];
	page.on("pageerror", (error) => mistakes.push(String(error)));
	await page.goto(`${site}/examples/drag.html`);
	const state = () => page.evaluate(() => document.documentElement.dataset.state);
	await page.waitForFunction(() => document.documentElement.dataset.state !== undefined, null, { timeout: 60000 });
	check("Chromium, the example")("the parts are apart", (await state()) === "apart", await state());
	await page.screenshot({ path: `${folder}/apart.png` });
	const part = await page.evaluate(() => globalThis.partOnScreen());
	await page.mouse.move(part.x, part.y);
	await page.mouse.down();
	await page.mouse.move(part.x - 190, part.y, { steps: 8 });
	await page.waitForTimeout(200);
	check("Chromium, the example")("a part that is dragged collides", (await state()) === "colliding", await state());
	await page.screenshot({ path: `${folder}/colliding.png` });
	await page.mouse.up();
	check("Chromium, the example")("it has no mistake", mistakes.length === 0, mistakes.join("; "));
	await page.close();
}

files();
await inNode();
coreInNode();
await hashes();
if (process.env.CHROMIUM) await inBrowser(process.env.CHROMIUM);
else console.log("Left out: Chromium, since CHROMIUM names none");
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
