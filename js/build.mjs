// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Makes dist/ of the package in this folder: node build.mjs MODULE_WITH_SIMD CORE_WITH_SIMD MODULE_WITHOUT.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const [withSimd, core, without] = process.argv.slice(2);
if (!without) throw new Error("build.mjs: which modules?");

const module = readFileSync(withSimd);
rmSync(`${here}dist`, { recursive: true, force: true });
mkdirSync(`${here}dist`);
const packed = deflateRawSync(module, { level: 9 }).toString("base64");
writeFileSync(`${here}src/packed.ts`, "export const packed: string = '';\n");
execFileSync(process.execPath, [`${here}node_modules/typescript/bin/tsc`, "-p", here], { stdio: "inherit" });
writeFileSync(`${here}dist/packed.js`, `export const packed = "${packed}";\n`);
copyFileSync(withSimd, `${here}dist/dualbvh.simd.wasm`);
copyFileSync(core, `${here}dist/dualbvh.core.wasm`);
copyFileSync(without, `${here}dist/dualbvh.wasm`);

// One file without any other, for pages that are one file.
await build({
	entryPoints: [`${here}dist/inline.js`],
	outfile: `${here}dist/dualbvh.single.js`,
	bundle: true,
	minify: true,
	target: "es2022",
	format: "esm",
	banner: { js: "/*! dualbvh, MIT licence, Copyright (c) 2026 the dualbvh authors */" },
	logLevel: "warning",
});

const line = (name, bytes) =>
	console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzip, ${brotliCompressSync(bytes).length} brotli`);
for (const name of ["dualbvh.simd.wasm", "dualbvh.core.wasm", "dualbvh.wasm", "dualbvh.single.js"]) line(name, readFileSync(`${here}dist/${name}`));
