// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Screenshots of pages, for scripts/gallery: node gallery.mjs FOLDER < list, a line for each: page, picture, hash of a
// link. Prints how long the page took until its first picture, in milliseconds.

import { readFileSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";

const browser = await startBrowser();
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
	const [file, picture, hash = ""] = line.split(" ");
	const { page, mistakes } = await openPage(browser, file, { hash, width: 1180, height: 700 });
	const took = await page.evaluate(() => document.documentElement.dataset.milliseconds);
	await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
	await page.screenshot({ path: picture, type: "jpeg", quality: 82 });
	console.log(`${picture}: ${took} ms until the first picture${mistakes.length > 0 ? `; ${mistakes}` : ""}`);
	await page.close();
}
await browser.close();
