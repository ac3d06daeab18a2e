#!/usr/bin/env python3
"""Measures in Chromium how long a report takes to open and how long a frame of its timeline takes while the wheel zooms.

    report_speed.py PAGE
"""

import json
import os
import sys

from report_page import offline

FRAMES = """(async () => {
  const canvas = document.querySelector("canvas.timeline");
  canvas.scrollIntoView();
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const [paints, frames] = [[], []];
  await frame();
  let last = performance.now();
  for (let step = 0; step < 60; step += 1) {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: step < 30 ? -1 : 1, clientX: box.left + box.width * 0.4, clientY: box.top + 20, cancelable: true }));
    await frame();
    const now = performance.now();
    frames.push(now - last);
    last = now;
    paints.push(Number(canvas.dataset.paintMs));
  }
  const sorted = (list) => list.sort((a, b) => a - b);
  const of = (list) => ({ median: sorted(list)[30], largest: sorted(list)[59] });
  return { paint_ms: of(paints), frame_ms: of(frames) };
})()"""


def measure(path: str) -> dict:
    opened = []
    for _ in range(3):
        with offline(path) as browser:
            opened.append(float(browser.value("document.documentElement.dataset.readyMs")))
            zoom = browser.value(FRAMES)
            problems = browser.complaints()
    return {"bytes": os.path.getsize(path), "opened_ms": opened, "zoom": zoom, "problems": problems}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
