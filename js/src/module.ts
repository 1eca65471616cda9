// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// The WebAssembly module: how it is loaded, and its memory. One module serves a page or a worker.

import { DualBvhError, type Status } from "./errors.js";

export type WasmSource = BufferSource | WebAssembly.Module | Response | URL | string;

export interface InitOptions {
	/** The module, or where it is; by default the file beside this one that suits the engine. */
	wasm?: WasmSource | Promise<WasmSource>;
	/** Whether to load the module with SIMD128; by default whether the engine has it. */
	simd?: boolean;
}

// Pointers and numbers are numbers; an array's address is 0 where there is none.
type Call = (...numbers: number[]) => number;
type Exports = Record<string, Call> & { memory: WebAssembly.Memory };

// Uses of rooms: web_use in js/native/web.h.
export const ARGUMENTS = 0;
export const RESULTS = 1;
export const RECORDS = 2;
export const LIST = 3;

let wasm: Exports | undefined;
let compiled: WebAssembly.Module | undefined;
let started: Promise<void> | undefined;
let source: (simd: boolean) => WasmSource | Promise<WasmSource> = (simd) =>
	simd ? new URL("./dualbvh.simd.wasm", import.meta.url) : new URL("./dualbvh.wasm", import.meta.url);

/** Sets where the module comes from when init() is not told; the entry "dualbvh/inline" calls this. */
export function setSource(from: typeof source): void {
	source = from;
}

// The smallest module that has a vector.
const VECTORS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];

/** True if this engine has SIMD128, as all browsers do since March 2023. */
export function hasSimd(): boolean {
	return WebAssembly.validate(new Uint8Array(VECTORS));
}

// What C's start asks of its system: an environment, which is empty, and an end.
const system = {
	environ_sizes_get(count: number, bytes: number) {
		const numbers = new DataView(get().memory.buffer);
		numbers.setUint32(count, 0, true);
		numbers.setUint32(bytes, 0, true);
		return 0;
	},
	environ_get: () => 0,
	proc_exit(code: number): never {
		throw new DualBvhError(`the module ended with ${code}`, "INVARIANT");
	},
};

// Every other import is refused as a function that the system lacks: ENOSYS.
function imports(module: WebAssembly.Module): WebAssembly.Imports {
	const out: Record<string, Record<string, WebAssembly.ImportValue>> = {};
	for (const { module: from, name, kind } of WebAssembly.Module.imports(module))
		if (kind === "function") (out[from] ??= {})[name] = (system as Record<string, Call>)[name] ?? (() => 52);
	return out;
}

async function readFile(url: URL): Promise<BufferSource> {
	const fs = "node:fs/promises"; // a name that bundlers leave alone
	return (await import(/* @vite-ignore */ /* webpackIgnore: true */ fs)).readFile(url);
}

async function compile(from: WasmSource): Promise<WebAssembly.Module> {
	if (from instanceof WebAssembly.Module) return from;
	if (typeof from === "string" || from instanceof URL) {
		const url = new URL(from, import.meta.url);
		from = url.protocol === "file:" && "process" in globalThis ? await readFile(url) : await fetch(url);
	}
	if (typeof Response === "undefined" || !(from instanceof Response)) return WebAssembly.compile(from as BufferSource);
	if (!from.ok) throw new DualBvhError(`${from.url} could not be loaded: ${from.status} ${from.statusText}`, "IO");
	if (from.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(from);
	return WebAssembly.compile(await from.arrayBuffer());
}

async function start(options: InitOptions): Promise<void> {
	compiled = await compile(await (options.wasm ?? source(options.simd ?? hasSimd())));
	const instance = await WebAssembly.instantiate(compiled, imports(compiled));
	wasm = instance.exports as Exports;
	desk = undefined;
	wasm._initialize?.();
}

/**
 * Loads the module. Await it once before anything else; further calls return the same promise. After a failure it may be
 * called again.
 */
export function init(options: InitOptions = {}): Promise<void> {
	started ??= start(options).catch((error) => {
		started = undefined;
		wasm = undefined;
		throw error;
	});
	return started;
}

/** The compiled module, which can be posted to workers: `init({ wasm: module })` there compiles nothing. */
export function compiledModule(): WebAssembly.Module {
	get();
	return compiled!;
}

function get(): Exports {
	if (wasm === undefined) throw new DualBvhError("await init() before any other call", "NOT_READY");
	return wasm;
}

// ------------------------------------------------------------------------------------------------
// Calls and memory

/** Throws where the module lacks an export: that of "dualbvh/core" has fewer. */
export function need(name: string): Call {
	const found = get()[name];
	if (found === undefined) throw new DualBvhError(`"dualbvh/core" lacks ${name.slice(4)}: import "dualbvh"`, "LEFT_OUT");
	return found;
}

/** Calls an export and returns its number. */
export function call(name: string, ...numbers: number[]): number {
	return (get()[name] ?? need(name))(...numbers);
}

export function floats(at: number, count: number): Float64Array {
	return new Float64Array(get().memory.buffer, at, count);
}

export function words(at: number, count: number): Uint32Array {
	return new Uint32Array(get().memory.buffer, at, count);
}

export function bytes(at: number, count: number): Uint8Array {
	return new Uint8Array(get().memory.buffer, at, count);
}

let desk: Float64Array | undefined;

/** Room for one query of two meshes, which costs no call: numbers at an address that stays, until the next query. */
export function desktop(): Float64Array {
	if (desk === undefined || desk.length === 0) desk = floats(call("web_desk"), 64); // the module's memory has grown
	return desk;
}

/** Returns room for bytes, valid until the next call with the same use. */
export function room(use: number, count: number): number {
	const at = call("web_room", use, count) >>> 0;
	if (at === 0 && count > 0) throw lastError();
	return at;
}

/** Returns the room of a use as the module has filled it. */
export function filled(use: number): number {
	return call("web_room", use, 0) >>> 0;
}

/** The size of the module's memory in bytes, which grows as needed and never shrinks. */
export function memoryBytes(): number {
	return get().memory.buffer.byteLength;
}

/** Gives the memory that calls share, as much as the largest took, back to the module. */
export function trim(): void {
	call("web_trim");
}

function text(at: number): string {
	const all = bytes(0, get().memory.buffer.byteLength);
	return new TextDecoder().decode(all.slice(at, all.indexOf(0, at)));
}

/** The version of the library, "major.minor.patch". */
export function version(): string {
	return text(call("web_version"));
}

export function statusName(status: number): Status | "OK" {
	return text(call("web_status_name", status)) as Status | "OK";
}

/** The error of the last call that failed. */
export function lastError(): DualBvhError {
	const at = call("web_last_error");
	const view = new DataView(get().memory.buffer, at);
	const long = (offset: number) => Number(view.getBigInt64(offset, true));
	return new DualBvhError(text(at + 32), statusName(view.getInt32(0, true)) as Status, long(24), long(8), long(16));
}

/** Throws unless the status is OK. */
export function check(status: number): void {
	if (status !== 0) throw lastError();
}

// ------------------------------------------------------------------------------------------------
// Objects of the module

interface Held {
	address: number;
	destroy: string;
}

/** How many objects have been disposed of: what holds others looks at them again when it has changed. @internal */
export let disposals = 0;

const forgotten = new FinalizationRegistry<Held>(({ address, destroy }) => call(destroy, address));

/** An object in the module's memory, freed by dispose(), `using`, or some time after it is unreachable. */
export abstract class Disposable {
	#held: Held | undefined;

	/** @internal */
	constructor(address: number, destroy: string) {
		if (address === 0) throw lastError();
		this.#held = { address: address >>> 0, destroy };
		forgotten.register(this, this.#held, this);
	}

	/** @internal */
	get address(): number {
		if (this.#held === undefined) throw new DualBvhError(`the ${this.constructor.name} has been disposed of`, "DISPOSED");
		return this.#held.address;
	}

	/** Frees the memory now. A second call does nothing. */
	dispose(): void {
		if (this.#held === undefined) return;
		forgotten.unregister(this);
		call(this.#held.destroy, this.#held.address);
		this.#held = undefined;
		++disposals;
	}

	[Symbol.dispose](): void {
		this.dispose();
	}
}
