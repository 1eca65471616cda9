// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Measures dualbvh beside other packages: ./scripts/bench-web runs it, and its --help says more.
//
//   node run.mjs NATIVE [--chromium PROGRAM] [--turns N] [PACKAGE...]

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { chromium: { type: "string" }, turns: { type: "string", default: "12" } },
});
const [program, ...wanted] = positionals;
const native = resolve(program);
const GAPS = 10;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const short = (x) => (x < 1000 ? String(Number(x.toPrecision(2))) : Math.round(x).toLocaleString("en"));
const print = (...cells) => console.log(`| ${cells.join(" | ")} |`);

// The native library with the kernels that WebAssembly has. Returns what asks it about a pose.
function startNative(meshes) {
	const child = spawn(native, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, DBVH_ISA: "baseline" } });
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const send = (numbers) => child.stdin.write(Buffer.from(Float64Array.from(numbers).buffer));
	send(meshes);
	return async (pose) => {
		send(pose);
		const { value } = await lines.next();
		if (value === undefined) throw new Error(`${native} has ended`);
		return value.split(" ").map(Number);
	};
}

// Asks the package and the native library about each pose in turn, so that both meet the same machine; some rounds, of which
// the best times count. Returns two lists of rows: microseconds of collide and of distance, verdict, distance.
async function compareWithNative({ meshes, poses }, rounds = 5) {
	const askNative = startNative(meshes);
	const best = [[], []];
	for (let round = 0; round < rounds; ++round) {
		for (const [i, pose] of poses.entries()) {
			for (const [side, row] of [await where.ask("askOne", i), await askNative(pose)].entries()) {
				const old = best[side][i] ?? row;
				best[side][i] = [Math.min(old[0], row[0]), Math.min(old[1], row[1]), row[2], row[3]];
			}
		}
	}
	return best;
}

async function inNode() {
	const measure = await import("./measure.mjs");
	return { ask: (name, ...words) => measure[name](...words), end: () => {} };
}

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".wasm": "application/wasm" };

async function inChromium(executablePath) {
	const { chromium } = await import("playwright-core");
	const server = createServer((request, response) => {
		const file = resolve(here, `.${new URL(request.url, "http://x").pathname}`);
		try {
			response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
			response.end(readFileSync(file));
		} catch {
			response.statusCode = 404;
			response.end();
		}
	});
	await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
	const page = await browser.newPage();
	page.setDefaultTimeout(0);
	await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
	await page.waitForFunction(() => document.documentElement.dataset.ready);
	const ask = (name, ...words) => page.evaluate(([name, words]) => globalThis.measure[name](...words), [name, words]);
	const end = async () => {
		await browser.close();
		server.close();
	};
	return { ask, end };
}

function printNative(question, column, [mine, rows]) {
	const times = rows.map((row) => row[column]);
	const ratios = mine.map((row, i) => row[column] / times[i]);
	const byGap = (numbers) => Array.from({ length: GAPS }, (_, gap) => short(median(numbers.filter((_, i) => i % GAPS === gap))));
	print(`natively, baseline, ${question}`, ...byGap(times), "");
	print(`times native, ${question}`, ...byGap(ratios), "");
	return `${question}: ${median(ratios).toFixed(2)} times native in the median of ${ratios.length} queries`;
}

const where = values.chromium ? await inChromium(values.chromium) : await inNode();
const prepared = await where.ask("prepare", Number(values.turns));
const names = wanted.length > 0 ? wanted : ["dualbvh", "three-mesh-bvh", "rapier, contactCollider( 0 )", "rapier, intersectsShape()", "manifold-3d", "jolt"];
const builds = [];
const notes = [];
print("microseconds by gap", "1", "0.1", "1e-2", "1e-3", "1e-4", "1e-6", "-1e-6", "-1e-4", "-1e-2", "-0.1", "wrong");
for (const name of names) {
	const found = await where.ask("measure", name).catch((error) => ({ builds: {}, error }));
	if (found.error) notes.push(`${name}: ${String(found.error).split("\n")[0]}`);
	const both = name === "dualbvh" ? await compareWithNative(prepared) : undefined;
	for (const [column, question] of ["collide", "distance"].entries()) {
		const row = found[question];
		if (!row) continue;
		print(`${name}, ${question}`, ...row.medians.map(short), `${row.wrong} of ${row.count}`);
		if (both) notes.push(printNative(question, column, both));
	}
	if (both) {
		const [mine, rows] = both;
		const differ = mine.filter(([, , verdict, distance], i) => verdict !== rows[i][2] || distance !== rows[i][3]).length;
		notes.push(`answers that differ from the native library's: ${differ} of ${mine.length}`);
	}
	for (const [how, milliseconds] of Object.entries(found.builds)) builds.push([how ? `${name}, ${how}` : name, milliseconds]);
}
console.log();
print("milliseconds", "to build the torus");
for (const [name, milliseconds] of builds) print(name, short(milliseconds));
const [one, pool1, pool2] = await where.ask("measurePool");
console.log();
notes.push(`4,000 distances: ${short(one)} ms by one module, ${short(pool1)} by a worker, ${short(pool2)} by two: ${(pool1 / pool2).toFixed(2)} times as fast`);
for (const file of ["dualbvh.simd.wasm", "dualbvh.core.wasm", "dualbvh.wasm"]) {
	const [best, middle] = await where.ask("measureCompilation", file);
	notes.push(`${file}: compiled in ${short(best)} ms, the best of nine runs; ${short(middle)} in the median`);
}
for (const note of notes) console.log(note);
await where.end();
process.exit(0); // some packages keep node waiting
