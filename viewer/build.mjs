// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Bundles the page: node build.mjs OUTPUT. The bundle stands in it packed, and unpacks itself with what browsers have had
// since 2023.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("build.mjs: where to?");

const { outputFiles } = await build({
	entryPoints: [`${here}src/main.ts`],
	bundle: true,
	minify: true,
	write: false,
	target: "es2022",
	format: "iife",
	legalComments: "none", // they stand in the page itself, see below
	logLevel: "warning",
});

// The notices of what is in the page, and the licence, which is the same for both.
function licence() {
	const text = readFileSync(`${here}node_modules/three/LICENSE`, "utf8").trim();
	const [copyright] = text.match(/^Copyright .*three\.js authors$/m) ?? [];
	if (!copyright || text.includes("--")) throw new Error("build.mjs: the licence of three.js is not as it was");
	const words = text.slice(text.indexOf(copyright) + copyright.length).trim();
	return `dualbvh: Copyright (c) 2026 the dualbvh authors\nthree.js: ${copyright}\n\nBoth under the MIT licence:\n\n${words}`;
}

// Nothing runs but the program of the page, and nothing is loaded, whatever the names of bodies are.
function policy(html) {
	const hash = (bytes) => `'sha256-${createHash("sha256").update(bytes).digest("base64")}'`;
	const inside = (tag) => html.slice(html.lastIndexOf(`<${tag}>`) + tag.length + 2, html.lastIndexOf(`</${tag}>`));
	const scripts = `${hash(inside("script"))} ${hash(outputFiles[0].contents)}`;
	return `default-src 'none'; script-src ${scripts}; style-src ${hash(inside("style"))}; img-src data:; base-uri 'none'; form-action 'none'`;
}

const css = readFileSync(`${here}src/page.css`, "utf8");
const packed = deflateRawSync(outputFiles[0].contents, { level: 9 }).toString("base64");
const loader = `(async()=>{try{const p=Uint8Array.from(atob("${packed}"),c=>c.charCodeAt(0));
const s=document.createElement("script");
s.textContent=await new Response(new Blob([p]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
document.body.append(s)}catch(e){const n=document.getElementById("note");n.hidden=false;
n.textContent="This browser is too old for the page: "+e}})()`;
const framed = readFileSync(`${here}src/page.html`, "utf8")
	.replace("/*licence*/", () => licence())
	.replace("/*css*/", () => css.trim())
	.replace("/*js*/", () => loader);
const page = framed.replace("/*policy*/", () => policy(framed));
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes, of which ${packed.length} are the program (${outputFiles[0].contents.length} unpacked)`);
