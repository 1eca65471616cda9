// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// A worker of a pool: answers questions in their order.

import { closestPointBatch, collideBatch, distanceBatch, DualBvhError, init, Motion, raycastBatch, relateBatch, timeOfImpactBatch, Tree } from "./index.js";
import type { Answer, Question } from "./pool.js";

const trees = new Map<number, Tree>();
const batches = { collideBatch, distanceBatch, relateBatch, raycastBatch, closestPointBatch } as unknown as Record<string, (...words: unknown[]) => unknown>;

function batch(name: string, all: Tree[], elements: Float64Array, options: { motionA?: Float64Array }): unknown {
	if (name !== "timeOfImpactBatch") return batches[name]!(...all, elements, options);
	const motions = Array.from({ length: elements.length / Motion.LENGTH }, (_, i) =>
		Motion.fromNumbers(elements.slice(Motion.LENGTH * i, Motion.LENGTH * (i + 1))),
	);
	const motionA = options.motionA && Motion.fromNumbers(options.motionA);
	return timeOfImpactBatch(all[0]!, all[1]!, motions, { ...options, motionA });
}

async function answer(question: Question): Promise<unknown> {
	switch (question.kind) {
		case "init":
			return init({ wasm: question.wasm });
		case "tree":
			trees.set(question.id, Tree.load(question.bytes));
			return undefined;
		case "forget":
			trees.get(question.id)?.dispose();
			trees.delete(question.id);
			return undefined;
		case "build": {
			const tree = new Tree(question.positions, question.indices, question.options);
			const bytes = tree.save();
			tree.dispose();
			return bytes;
		}
		case "batch":
			return batch(question.name, question.trees.map((id) => trees.get(id)!), question.elements, question.options);
	}
}

async function take(question: Question, post: (answer: Answer) => void): Promise<void> {
	try {
		post({ result: await answer(question) });
	} catch (error) {
		const { message, status = "INVARIANT", element = -1 } = error as DualBvhError;
		post({ error: { message, status, element } });
	}
}

if ("process" in globalThis && !("document" in globalThis)) {
	const threads = "node:worker_threads";
	const { parentPort } = await import(/* @vite-ignore */ /* webpackIgnore: true */ threads);
	parentPort.on("message", (question: Question) => take(question, (result) => parentPort.postMessage(result)));
} else {
	const scope = globalThis as unknown as { onmessage: unknown; postMessage(message: unknown): void };
	scope.onmessage = ({ data }: { data: Question }) => take(data, (result) => scope.postMessage(result));
}
