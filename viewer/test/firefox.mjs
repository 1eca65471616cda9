// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// An ordinary Firefox without a window, by WebDriver BiDi: playwright's own build of it is not in any package. Needs node 22,
// or node 20 with --experimental-websocket.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export async function startFirefox(executable) {
	const profile = mkdtempSync(join(tmpdir(), "dualbvh-firefox-"));
	// Mesa draws in software, which Firefox has to be asked to take.
	const wanted = { "webgl.force-enabled": true, "webgl.out-of-process": false, "security.sandbox.content.level": 0 };
	writeFileSync(join(profile, "user.js"), Object.entries(wanted).map(([name, value]) => `user_pref("${name}", ${value});\n`).join(""));
	const child = spawn(executable, [...(process.env.DISPLAY ? [] : ["--headless"]), "--remote-debugging-port", "0", "--profile", profile, "--no-remote"], { stdio: ["ignore", "ignore", "pipe"] });
	const address = await new Promise((done, fail) => {
		let said = "";
		child.on("error", fail);
		child.on("exit", () => fail(new Error(`Firefox ended: ${said}`)));
		child.stderr.on("data", (bytes) => {
			said += bytes;
			const [, found] = said.match(/BiDi listening on (ws:\S+)/) ?? [];
			if (found) done(found);
		});
	});
	const socket = new WebSocket(`${address}/session`);
	await new Promise((done, fail) => {
		socket.onopen = done;
		socket.onerror = fail;
	});
	const waiting = new Map(); // by number
	const mistakes = [];
	socket.onmessage = ({ data }) => {
		const { id, type, result, message, method, params } = JSON.parse(data);
		if (method === "log.entryAdded" && ["error", "warn"].includes(params.level)) mistakes.push(params.text);
		if (method === "network.beforeRequestSent" && !/^(file|data|blob):/.test(params.request.url)) mistakes.push(`asks the network for ${params.request.url}`);
		const [done, fail] = waiting.get(id) ?? [];
		waiting.delete(id);
		if (type === "error") fail?.(new Error(message));
		else done?.(result);
	};
	let last = 0;
	const send = (method, params) =>
		new Promise((done, fail) => {
			waiting.set(++last, [done, fail]);
			socket.send(JSON.stringify({ id: last, method, params }));
		});
	const { capabilities } = await send("session.new", { capabilities: {} });
	await send("session.subscribe", { events: ["log.entryAdded", "network.beforeRequestSent"] });

	// A page with what of playwright's pages the tests of kinds use.
	const open = async (file, { hash = "", width = 1280, height = 800 } = {}) => {
		const { context } = await send("browsingContext.create", { type: "tab" });
		await send("browsingContext.setViewport", { context, viewport: { width, height } });
		mistakes.length = 0;
		const evaluate = async (action) => {
			const functionDeclaration = `async () => JSON.stringify(await (${action})())`;
			const { result, exceptionDetails } = await send("script.callFunction", { functionDeclaration, awaitPromise: true, target: { context } });
			if (exceptionDetails) throw new Error(exceptionDetails.text);
			return result.value === undefined ? undefined : JSON.parse(result.value);
		};
		await send("browsingContext.navigate", { context, url: `${pathToFileURL(file)}${hash}`, wait: "complete" });
		const end = Date.now() + 60000;
		while (Date.now() < end && !(await evaluate("() => document.documentElement.dataset.state !== undefined"))) await new Promise((done) => setTimeout(done, 50));
		const screenshot = async ({ path }) => {
			const { data } = await send("browsingContext.captureScreenshot", { context });
			writeFileSync(path, Buffer.from(data, "base64"));
		};
		return { page: { evaluate, screenshot }, mistakes, context: { close: () => send("browsingContext.close", { context }) } };
	};
	const close = async () => {
		child.removeAllListeners("exit");
		const ended = new Promise((done) => child.on("exit", done));
		await send("browser.close", {}).catch(() => {});
		socket.close();
		await ended;
		rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
	};
	return { version: capabilities.browserVersion, open, close };
}
