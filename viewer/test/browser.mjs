// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Chromium without a window, drawing in software, for tests and screenshots.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--allow-file-access-from-files"];

export async function startBrowser() {
	const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
	return chromium.launch({ executablePath, args: flags });
}

// An `init` for openPage(): a browser that has no WebGL.
export const withoutWebgl = () => {
	const get = HTMLCanvasElement.prototype.getContext;
	HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
		return /webgl/.test(kind) ? null : get.call(this, kind, ...more);
	};
};

// What axe complains of in the state that a page is in: rules and elements, as a text; "" is nothing.
export async function axeComplaints(page) {
	await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
	const { violations } = await page.evaluate(() => window.axe.run());
	return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`).join("; ");
}

// Opens a page that dualbvh wrote; `init` runs in it before all else. `mistakes` gets what the console and the network complain of.
export async function openPage(browser, file, { hash = "", width = 1280, height = 800, init, ...options } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, reducedMotion: "reduce", ...options });
	if (init) await context.addInitScript(init);
	const page = await context.newPage();
	const mistakes = [];
	page.on("console", (message) => {
		// What drawing in software says of itself is no mistake of the page.
		if (["error", "warning"].includes(message.type()) && !/GPU stall|GL Driver Message|swiftshader/i.test(message.text()))
			mistakes.push(message.text());
	});
	page.on("pageerror", (error) => mistakes.push(String(error)));
	page.on("request", (request) => {
		if (!/^(file|data|blob):/.test(request.url())) mistakes.push(`asks the network for ${request.url()}`);
	});
	await page.goto(`${pathToFileURL(file)}${hash}`);
	await page.waitForFunction(() => document.documentElement.dataset.state !== undefined, null, { timeout: 120000 });
	return { page, mistakes, context };
}
