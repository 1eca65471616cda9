// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A pool of workers, each with a module of its own: batches are divided among them, and trees are built without blocking
// the page. Pages need no special headers, since no memory is shared.

import { DualBvhError, type Status } from "./errors.js";
import type { Indices, Positions } from "./mesh.js";
import { compiledModule } from "./module.js";
import type { CollideBatch, DistanceBatch, DistanceOptions, PairBatchOptions, RelateBatch, RelateOptions, ToiBatch, ToiOptions } from "./pairs.js";
import type { ClosestPointBatch, ClosestPointOptions, PointOptions, RayBatch } from "./points.js";
import { Motion, poseCount, type Poses, writePoses } from "./pose.js";
import type { BatchOptions } from "./rows.js";
import { Tree, type TreeOptions } from "./tree.js";

/** What a worker is asked; see worker.ts. @internal */
export type Question =
	| { kind: "init"; wasm: WebAssembly.Module }
	| { kind: "tree"; id: number; bytes: Uint8Array }
	| { kind: "forget"; id: number }
	| { kind: "build"; positions: Positions; indices: Indices | null; options: TreeOptions }
	| { kind: "batch"; name: string; trees: number[]; elements: Float64Array; options: object };

export type Answer = { result: unknown } | { error: { message: string; status: Status; element: number } };

interface Port {
	post(message: unknown, transfer?: Transferable[]): void;
	end(): void;
}

interface Waiting {
	resolve(value: never): void;
	reject(error: Error): void;
}

// A worker that answers one question at a time, in their order.
class Client {
	readonly #waiting: Waiting[] = [];
	#port!: Port;
	readonly trees = new Set<number>();

	static async start(): Promise<Client> {
		const client = new Client();
		const url = new URL("./worker.js", import.meta.url);
		if (typeof Worker === "undefined") {
			const threads = "node:worker_threads"; // a name that bundlers leave alone
			const node = await import(/* @vite-ignore */ /* webpackIgnore: true */ threads);
			const worker = new node.Worker(url);
			worker.on("message", (answer: Answer) => client.#take(answer));
			worker.on("error", (error: Error) => client.#fail(error));
			client.#port = { post: (message, transfer) => worker.postMessage(message, transfer), end: () => worker.terminate() };
		} else {
			const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
			worker.onmessage = ({ data }) => client.#take(data);
			worker.onerror = ({ message }) => client.#fail(new Error(message || "a worker could not be started"));
			client.#port = { post: (message, transfer = []) => worker.postMessage(message, transfer), end: () => worker.terminate() };
		}
		await client.ask({ kind: "init", wasm: compiledModule() });
		return client;
	}

	get load(): number {
		return this.#waiting.length;
	}

	ask<T>(question: Question, transfer?: Transferable[]): Promise<T> {
		return new Promise<T>((resolve, reject) => {
			this.#waiting.push({ resolve, reject });
			this.#port.post(question, transfer);
		});
	}

	end(): void {
		this.#port.end();
		this.#fail(new DualBvhError("the pool has been disposed of", "DISPOSED"));
	}

	#take(answer: Answer): void {
		const { resolve, reject } = this.#waiting.shift()!;
		if ("error" in answer) reject(new DualBvhError(answer.error.message, answer.error.status, answer.error.element));
		else resolve(answer.result as never);
	}

	#fail(error: Error): void {
		for (const { reject } of this.#waiting.splice(0)) reject(error);
	}
}

let lastTree = 0;
const numbers = new WeakMap<Tree, number>();

export interface PoolOptions {
	/** The number of workers; by default that of the machine's cores, at most 8. */
	size?: number;
}

type Columns = Record<string, Uint8Array | Uint32Array | Float64Array>;

/** Workers that answer batches. Await Pool.create(), which needs init(). */
export class Pool {
	readonly #clients: Client[];

	private constructor(clients: Client[]) {
		this.#clients = clients;
	}

	static async create(options: PoolOptions = {}): Promise<Pool> {
		const cores = typeof navigator !== "undefined" && navigator.hardwareConcurrency ? navigator.hardwareConcurrency : 4;
		const size = options.size ?? Math.min(cores, 8);
		return new Pool(await Promise.all(Array.from({ length: size }, () => Client.start())));
	}

	get size(): number {
		return this.#clients.length;
	}

	/** Ends the workers. Questions that are under way fail. */
	dispose(): void {
		for (const client of this.#clients.splice(0)) client.end();
	}

	[Symbol.dispose](): void {
		this.dispose();
	}

	/** Builds a tree in a worker. */
	async build(positions: Positions, indices: Indices | null = null, options: TreeOptions = {}): Promise<Tree> {
		const idle = this.#clients.reduce((best, client) => (client.load < best.load ? client : best));
		return Tree.load(await idle.ask<Uint8Array>({ kind: "build", positions, indices, options }));
	}

	/** Frees the copies that workers have of a tree; they get them again when they need them. */
	async forget(tree: Tree): Promise<void> {
		const id = numbers.get(tree);
		numbers.delete(tree);
		if (id === undefined) return;
		await Promise.all(this.#clients.filter((client) => client.trees.delete(id)).map((client) => client.ask({ kind: "forget", id })));
	}

	collideBatch(a: Tree, b: Tree, posesB: Poses, options: PairBatchOptions = {}): Promise<CollideBatch> {
		return this.#poses("collideBatch", a, b, posesB, options);
	}

	distanceBatch(a: Tree, b: Tree, posesB: Poses, options: DistanceOptions & BatchOptions = {}): Promise<DistanceBatch> {
		return this.#poses("distanceBatch", a, b, posesB, options);
	}

	relateBatch(a: Tree, b: Tree, posesB: Poses, options: RelateOptions & BatchOptions = {}): Promise<RelateBatch> {
		return this.#poses("relateBatch", a, b, posesB, options);
	}

	timeOfImpactBatch(a: Tree, b: Tree, motionsB: readonly Motion[], options: ToiOptions & BatchOptions = {}): Promise<ToiBatch> {
		const all = new Float64Array(Motion.LENGTH * motionsB.length);
		motionsB.forEach((motion, i) => all.set(motion.numbers, Motion.LENGTH * i));
		return this.#divide("timeOfImpactBatch", [a, b], all, Motion.LENGTH, options);
	}

	raycastBatch(tree: Tree, rays: ArrayLike<number>, options: PointOptions & BatchOptions = {}): Promise<RayBatch> {
		return this.#divide("raycastBatch", [tree], Float64Array.from(rays), 6, options);
	}

	closestPointBatch(tree: Tree, points: ArrayLike<number>, options: ClosestPointOptions & BatchOptions = {}): Promise<ClosestPointBatch> {
		return this.#divide("closestPointBatch", [tree], Float64Array.from(points), 3, options);
	}

	#poses<T>(name: string, a: Tree, b: Tree, poses: Poses, options: object): Promise<T> {
		const all = new Float64Array(16 * poseCount(poses));
		writePoses(all, poses);
		return this.#divide(name, [a, b], all, 16, options);
	}

	// Deals the elements out in pieces, each to the next worker that is free, and joins their columns.
	async #divide<T>(name: string, trees: Tree[], all: Float64Array, width: number, options: object): Promise<T> {
		const count = all.length / width;
		const piece = Math.max(1, Math.ceil(count / (4 * this.#clients.length)));
		const parts: Columns[] = [];
		let next = 0;
		const work = async (client: Client) => {
			const ids = await Promise.all(trees.map((tree) => this.#send(client, tree)));
			for (let i = next; i * piece < count || (i === 0 && count === 0); i = next) {
				++next;
				const elements = all.slice(width * piece * i, width * piece * (i + 1));
				try {
					parts[i] = await client.ask<Columns>({ kind: "batch", name, trees: ids, elements, options: plain(options) }, [elements.buffer]);
				} catch (error) {
					if (error instanceof DualBvhError && error.element >= 0)
						throw new DualBvhError(error.message, error.status, error.element + piece * i);
					throw error;
				}
			}
		};
		await Promise.all(this.#clients.map(work));
		return join(parts) as T;
	}

	async #send(client: Client, tree: Tree): Promise<number> {
		let id = numbers.get(tree);
		if (id === undefined) numbers.set(tree, (id = ++lastTree));
		if (!client.trees.has(id)) {
			client.trees.add(id);
			await client.ask({ kind: "tree", id, bytes: tree.save() });
		}
		return id;
	}
}

// Options without objects that cannot be posted: a pose becomes an array, a motion its numbers.
function plain(options: object): object {
	return Object.fromEntries(
		Object.entries(options).map(([name, value]) => {
			if (value instanceof Motion) return [name, value.numbers];
			return [name, value && typeof value === "object" && "elements" in value ? Array.from(value.elements as ArrayLike<number>) : value];
		}),
	);
}

function join(parts: Columns[]): Columns {
	const out: Columns = {};
	for (const name of Object.keys(parts[0]!)) {
		const make = parts[0]![name]!.constructor as Float64ArrayConstructor;
		const joined = new make(parts.reduce((sum, part) => sum + part[name]!.length, 0));
		let at = 0;
		for (const part of parts) {
			joined.set(part[name]! as Float64Array, at);
			at += part[name]!.length;
		}
		out[name] = joined;
	}
	return out;
}
