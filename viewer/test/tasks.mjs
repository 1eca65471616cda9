// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the dualbvh authors

// Five tasks as somebody does them who has never seen the page: node tasks.mjs DUALBVH FOLDER. Only what stands on the page
// is used: labels, buttons and the picture. Prints for each what was done, in how many steps, and the seconds of the page's
// own (a person reads and aims besides). Fails where a task does not come to its end.

import { readFileSync } from "node:fs";
import { openPage, startBrowser } from "./browser.mjs";
import { commandOf } from "./command.mjs";

const { folder, make, gen } = commandOf(process.argv);
gen("housing", "pipe", "--radius", "60", "--wall", "2", "--length", "80");
gen("gear", "gear");
gen("driven", "gear", "--rotate", "0,0,1,7.5", "--at", "22.5,0,0");
gen("bush", "pipe", "--length", "8", "--radius", "3", "--wall", "1", "--at", "0,-30,0");
gen("pin", "pipe", "--length", "12", "--radius", "2.01", "--wall", "2", "--at", "0,-30,1");
gen("plate", "box", "--size", "10,10,2", "--at", "0,30,0");
gen("cover", "box", "--size", "10,10,2", "--at", "0,30,2.5");
const files = ["housing", "gear", "driven", "bush", "pin", "plate", "cover"].map((name) => `${name}.ply`);
make("view", ...files, "--clearance", "1", "-o", "tasks.html");

const browser = await startBrowser();
const { page, mistakes } = await openPage(browser, `${folder}/tasks.html`);
let failed = 0;
let steps = [];
const step = async (what, action) => {
	steps.push(what);
	return action();
};
const task = async (name, action) => {
	steps = [];
	const begin = Date.now();
	let said = "";
	let isDone = false;
	try {
		[isDone, said] = await action();
	} catch (error) {
		said = String(error).split("\n")[0];
	}
	if (!isDone) ++failed;
	console.log(`${isDone ? "done" : "FAILED"}: ${name}: ${steps.length} steps, ${((Date.now() - begin) / 1000).toFixed(1)} s: ${steps.join("; ")}: ${said}`);
};
const chosen = () => page.getByRole("region", { name: "Picture" }).waitFor().then(() => page.locator("#chosen").innerText());
const button = (name) => page.getByRole("button", { name });

await task("find the worst clash", async () => {
	const text = await step("read the sentence beside the picture", chosen);
	return [/driven and gear overlap/.test(text), text.split("\n")[0]];
});
await task("measure the gap", async () => {
	await step("choose the clearance of cover and plate in the list", () => button(/cover and plate/).click());
	const text = await step("read the number at the line between the two", () => page.locator("#label").innerText());
	return [text === "0.5", text];
});
await task("hide the housing", async () => {
	await step("open Parts", () => page.getByRole("tab", { name: "Parts" }).click());
	await step("take the mark off housing", () => page.getByRole("checkbox", { name: /housing/ }).uncheck());
	return [!(await page.getByRole("checkbox", { name: /housing/ }).isChecked()), "housing is not drawn"];
});
await task("accept a fit with a reason", async () => {
	await step("open Clashes", () => page.getByRole("tab", { name: "Clashes" }).click());
	await step("choose bush and pin in the list", () => button(/bush and pin/).click());
	await step("write why", () => page.getByPlaceholder("why it may be").fill("press fit H7/p6"));
	await step("press Accept", () => button("Accept").click());
	const text = await page.getByText("1 accepted").innerText();
	return [text === "1 accepted", text];
});
await task("send it as BCF", async () => {
	const [file] = await Promise.all([page.waitForEvent("download"), step("press BCF", () => button("BCF").click())]);
	await file.saveAs(`${folder}/tasks.bcf`);
	const bytes = readFileSync(`${folder}/tasks.bcf`, "utf8");
	return [bytes.includes("press fit H7/p6"), file.suggestedFilename()];
});
await browser.close();
if (mistakes.length > 0) console.log(`FAIL: ${mistakes.join("; ")}`);
console.log(`5 tasks, ${failed} failed`);
process.exit(failed === 0 && mistakes.length === 0 ? 0 : 1);
