// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Screenshots of pages, for scripts/gallery: node gallery.mjs < list, a line for each: page, picture and the hash of a
// link, with tabs between them. Prints how long the page took until its first picture, in milliseconds; fails where a page
// complains.

import { readFileSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";

const browser = await startBrowser();
let failed = 0;
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
	const [file, picture, hash = ""] = line.split("\t");
	const { page, mistakes } = await openPage(browser, file, { hash, width: 1180, height: 700 });
	const took = await page.evaluate(() => document.documentElement.dataset.milliseconds);
	await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
	await page.screenshot({ path: picture, type: "jpeg", quality: 82 });
	console.log(`${picture}: ${took} ms until the first picture`);
	if (mistakes.length > 0) {
		++failed;
		console.log(`FAIL: ${mistakes.join("; ")}`);
	}
	await page.close();
}
await browser.close();
process.exit(failed === 0 ? 0 : 1);
