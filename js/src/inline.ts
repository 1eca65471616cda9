// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// "dualbvh" with the module inside: no other file is fetched. The module is packed, and is that with SIMD128: engines
// that unpack (DecompressionStream, 2023) have it.

import { setSource } from "./module.js";
import { packed } from "./packed.js";

setSource(async () => {
	const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
	return WebAssembly.compile(await new Response(stream).arrayBuffer());
});

export * from "./index.js";
