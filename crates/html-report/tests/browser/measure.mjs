// Measures in Chromium how long a page takes to open and how long a frame of its timeline takes while zooming.
// usage: node measure.mjs PAGE.html

import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser } from "./devtools.mjs";

const file = process.argv[2];
const browser = new Browser();
try {
  const opened = [];
  let page;
  for (let round = 0; round < 3; round += 1) {
    page = await browser.open(pathToFileURL(file).href);
    opened.push(Number(await page.eval("document.documentElement.dataset.readyMs")));
  }
  const frames = await page.eval(`(async () => {
    const canvas = document.querySelector("canvas.timeline");
    const frames = [];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    canvas.scrollIntoView();
    for (let step = 0; step < 60; step += 1) {
      const box = canvas.getBoundingClientRect();
      const event = new WheelEvent("wheel", { deltaY: step < 30 ? -1 : 1, clientX: box.left + box.width * 0.4, clientY: box.top + 20, cancelable: true });
      canvas.dispatchEvent(event);
      await frame();
      await frame();
      frames.push(Number(canvas.dataset.paintMs));
    }
    return frames;
  })()`);
  frames.sort((a, b) => a - b);
  console.log(JSON.stringify({ bytes: statSync(file).size, opened_ms: opened, frame_ms: { median: frames[30], largest: frames[59] }, problems: page.problems, requests: page.requests.filter((url) => !url.startsWith("file:")) }));
} finally {
  await browser.close();
}
