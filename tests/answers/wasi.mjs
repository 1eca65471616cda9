// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Runs a WebAssembly program of tests/answers in node, with the paths of this system:
// node wasi.mjs PROGRAM.wasm ARGUMENT...

import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args, preopens: { "/": "/" }, returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(args[0]));
const { exports } = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exit(wasi.start({ exports }));
