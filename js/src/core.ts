// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// "dualbvh" with a smaller module: two meshes and scenes, without overlaps, depths, rays, points, shapes, files and refits.
// Engines without SIMD128 get the whole module. A page imports this entry or "dualbvh", not both.

import { setSource } from "./module.js";

setSource((simd) => (simd ? new URL("./dualbvh.core.wasm", import.meta.url) : new URL("./dualbvh.wasm", import.meta.url)));

export { DualBvhError, type Status } from "./errors.js";
export { compiledModule, hasSimd, init, type InitOptions, memoryBytes, trim, version, type WasmSource } from "./module.js";
export { Tree, type TreeOptions, type TreeStats } from "./tree.js";
export { Motion, orthonormalise, type Pose, type Poses } from "./pose.js";
export { type BatchOptions, failures, type Interval, type Pair, type Vector } from "./rows.js";
export * from "./pairs.js";
export * from "./contacts.js";
export * from "./scene.js";
