// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Exact interference of rigid triangle meshes. Await init(), then build trees and ask.

export { DualBvhError, type Status } from "./errors.js";
export { compiledModule, hasSimd, init, type InitOptions, memoryBytes, trim, version, type WasmSource } from "./module.js";
export * from "./mesh.js";
export * from "./tree.js";
export { Motion, orthonormalise, type Pose, type Poses } from "./pose.js";
export { type BatchOptions, failures, type Interval, type Pair, type Vector } from "./rows.js";
export * from "./pairs.js";
export * from "./overlap.js";
export * from "./points.js";
export * from "./contacts.js";
export * from "./scene.js";
