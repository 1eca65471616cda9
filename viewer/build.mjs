// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bundles the page: node build.mjs OUTPUT. The bundle stands in it packed, and unpacks itself with what browsers have had
// since 2023.

import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const here = new URL(".", import.meta.url).pathname;
const output = process.argv[2];
if (!output) throw new Error("build.mjs: where to?");

const { outputFiles } = await build({
	entryPoints: [`${here}src/main.ts`],
	bundle: true,
	minify: true,
	write: false,
	target: "es2022",
	format: "iife",
	legalComments: "none",
	logLevel: "warning",
});
const css = readFileSync(`${here}src/page.css`, "utf8");
const packed = deflateRawSync(outputFiles[0].contents, { level: 9 }).toString("base64");
const loader = `(async()=>{try{const p=Uint8Array.from(atob("${packed}"),c=>c.charCodeAt(0));
const s=document.createElement("script");
s.textContent=await new Response(new Blob([p]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
document.body.append(s)}catch(e){const n=document.getElementById("note");n.hidden=false;
n.textContent="This browser is too old for the page: "+e}})()`;
const page = readFileSync(`${here}src/page.html`, "utf8")
	.replace("/*css*/", () => css.trim())
	.replace("/*js*/", () => loader);
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes, of which ${packed.length} are the program (${outputFiles[0].contents.length} unpacked)`);
