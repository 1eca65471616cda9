// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Makes the playground, one page that asks no server: node build.mjs OUTPUT, in the folder of the npm package, which has
// been built.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
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
	format: "esm",
	external: ["node:*"], // for node alone
	legalComments: "none", // they stand in the page itself
	alias: { "dualbvh/single": `${here}../dist/dualbvh.single.js`, "dualbvh/glb": `${here}../dist/glb.js` },
	logLevel: "warning",
});

const licence = `dualbvh: Copyright (c) 2026 the dualbvh authors. ${readFileSync(`${here}../node_modules/three/LICENSE`, "utf8").trim()}`;
if (licence.includes("--")) throw new Error("build.mjs: the licence of three.js cannot stand in a comment");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const js = outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
const css = readFileSync(`${here}playground.css`, "utf8").trim();
const policy = `default-src 'none'; script-src ${hash(`\n${js}\n`)} 'wasm-unsafe-eval'; style-src ${hash(`\n${css}\n`)}; img-src data:; base-uri 'none'; form-action 'none'`;
const page = readFileSync(`${here}index.html`, "utf8")
	.replace("/*licence*/", () => licence)
	.replace("/*policy*/", () => policy)
	.replace("/*css*/", () => css)
	.replace("/*js*/", () => js);
writeFileSync(output, page);
console.log(`${output}: ${page.length} bytes`);
