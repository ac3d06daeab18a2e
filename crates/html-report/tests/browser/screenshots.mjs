// Takes the pictures of docs/report.md.
// usage: node screenshots.mjs RUN.html SWEEP.html COMPARISON.html FOLDER

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./devtools.mjs";

const [run, sweep, comparison, folder] = process.argv.slice(2);
const browser = new Browser();
const save = (name, bytes) => {
  writeFileSync(join(folder, name), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
};

// The page from one element to the end of another, or to a height.
async function part(page, from, to, most = Infinity) {
  const box = (selector) => page.eval(`(() => { const box = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return { top: box.top + scrollY, bottom: box.bottom + scrollY, width: document.documentElement.clientWidth }; })()`);
  const [first, last] = [await box(from), await box(to)];
  return page.screenshot({ x: 0, y: Math.max(0, first.top - 12), width: first.width, height: Math.min(most, last.bottom - first.top + 24) });
}

try {
  let page = await browser.open(pathToFileURL(run).href);
  save("run-light.png", await part(page, "header", "#r4"));
  save("run-causes.png", await part(page, "#r5", "#r8"));
  save("run-timeline.png", await part(page, "#r10", "#r10"));
  save("run-print.pdf", await page.pdf());
  page = await browser.open(pathToFileURL(run).href, { dark: true });
  save("run-dark.png", await part(page, "header", "#r4"));
  page = await browser.open(pathToFileURL(run).href, { width: 390, height: 844, mobile: true });
  save("run-phone.png", await part(page, "header", "#r3", 1700));
  page = await browser.open(pathToFileURL(sweep).href);
  save("sweep.png", await part(page, "header", "#s6"));
  page = await browser.open(pathToFileURL(comparison).href);
  save("comparison.png", await part(page, "header", "#c11"));
} finally {
  await browser.close();
}
