// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The command in a folder of a test's own, and the checks that a test counts.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";

// For node TEST.mjs DUALBVH FOLDER ...: the folder, made where it is missing; run(WORDS...), which returns the exit status;
// gen(NAME, WORDS...), which makes NAME.ply.
export function commandOf([, , program, place]) {
	const [dualbvh, folder] = [program, place].map((path) => resolve(path));
	mkdirSync(folder, { recursive: true });
	const run = (...words) => {
		try {
			execFileSync(dualbvh, words, { cwd: folder, stdio: "pipe" });
			return 0;
		} catch (error) {
			if (typeof error.status !== "number") throw error;
			if (error.status > 3) throw new Error(`dualbvh ${words.join(" ")} ended with ${error.status}`);
			return error.status;
		}
	};
	// Makes what a page needs: clashes are no failure.
	const make = (...words) => {
		const status = run(...words);
		if (status > 1) throw new Error(`dualbvh ${words.join(" ")} ended with ${status}`);
	};
	const gen = (name, ...words) => make("gen", ...words, "-o", `${name}.ply`, "--quiet");
	return { folder, run, make, gen };
}

// check(WHAT, OK, MORE) prints what fails; finish() prints "N passed, N failed" and ends the program.
export function countChecks() {
	let passed = 0;
	let failed = 0;
	const check = (what, ok, more = "") => {
		if (ok) ++passed;
		else {
			++failed;
			console.log(`FAIL: ${what} ${more}`);
		}
	};
	const finish = () => {
		console.log(`${passed} passed, ${failed} failed`);
		process.exit(failed === 0 ? 0 : 1);
	};
	return { check, finish };
}
