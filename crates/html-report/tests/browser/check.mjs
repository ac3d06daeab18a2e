// Opens a page in Chromium with the network off and prints what it finds there as JSON.
// usage: node check.mjs PAGE.html [METRIC=LIMIT...]: sets these limits in the page; other limits are removed.

import { pathToFileURL } from "node:url";
import { Browser } from "./devtools.mjs";

const [file, ...limits] = process.argv.slice(2);
const browser = new Browser();
try {
  const page = await browser.open(pathToFileURL(file).href);
  const found = { opened_ms: Number(await page.eval("document.documentElement.dataset.readyMs")) };
  if (limits.length > 0) {
    const wanted = Object.fromEntries(limits.map((limit) => limit.split("=")));
    await page.eval(`(() => {
      const wanted = ${JSON.stringify(wanted)};
      for (const input of document.querySelectorAll(".slo input[type=number]")) {
        input.value = wanted[input.id.replace("slo-", "")] ?? "";
        input.dispatchEvent(new Event("input"));
      }
    })()`);
    await new Promise((resolve) => setTimeout(resolve, 400));
    found.slo = await page.eval("({ ...document.getElementById('slo-answer').dataset })");
    found.goodput_tile = await page.eval("document.querySelector('#tile-goodput .tile-value').textContent");
  }
  // Every chart has a drawing, and its table can be opened.
  await page.eval("for (const details of document.querySelectorAll('details.data')) details.open = true");
  await new Promise((resolve) => setTimeout(resolve, 300));
  found.charts = await page.eval(`[...document.querySelectorAll("section.chart .plot")].map((plot) => ({
    id: plot.parentElement.id, drawn: plot.querySelector("svg, canvas, table, .note") !== null,
    rows: plot.parentElement.querySelectorAll("details.data tbody tr").length }))`);
  found.scripts_in_text = await page.eval("document.querySelectorAll('main script, main img, main iframe, main a[href^=javascript]').length");
  found.text = await page.eval("document.body.innerText");
  found.was_attacked = await page.eval("window.attacked === true");
  found.problems = page.problems;
  found.requests = page.requests.filter((url) => !url.startsWith("file:"));
  console.log(JSON.stringify(found));
} finally {
  await browser.close();
}
