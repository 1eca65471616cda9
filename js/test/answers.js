// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Asks the questions of tests/answers in a module of their own.

/** Returns the number of questions, the hash of their answers, and that of all builds. */
export async function askModule(bytes) {
	const module = await WebAssembly.compile(bytes);
	let exports;
	const imports = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 52]));
	imports.environ_get = () => 0;
	imports.environ_sizes_get = (count, size) => {
		const view = new DataView(exports.memory.buffer);
		view.setUint32(count, 0, true);
		view.setUint32(size, 0, true);
		return 0;
	};
	({ exports } = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: imports }));
	exports._initialize();
	const hash = BigInt.asUintN(64, exports.web_answers());
	return { asked: exports.web_answers_count(), hash, expected: BigInt.asUintN(64, exports.web_answers_expected()) };
}
