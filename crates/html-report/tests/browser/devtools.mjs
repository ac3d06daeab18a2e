// Drives Chromium through its DevTools protocol on a pipe: no port, no package.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Browser {
  constructor(program = process.env.CHROMIUM ?? "chromium") {
    this.profile = mkdtempSync(join(tmpdir(), "aiperf-browser-"));
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run", "--disable-background-networking", `--user-data-dir=${this.profile}`];
    this.process = spawn(program, [...flags, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let rest = "";
    this.process.stdio[4].setEncoding("utf8").on("data", (text) => {
      const parts = (rest + text).split("\0");
      rest = parts.pop();
      parts.forEach((part) => this.receive(JSON.parse(part)));
    });
  }

  receive(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    } else {
      this.listeners.forEach((listener) => listener(message));
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
  }

  // Opens a page with the network switched off. `page.problems` are console errors and exceptions, `page.requests` all
  // addresses that were asked for, the file itself included.
  async open(url, { width = 1280, height = 900, dark = false, mobile = false } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    this.listeners.push((message) => {
      if (message.sessionId === sessionId) page.note(message);
    });
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.send("Network.emulateNetworkConditions", { offline: true, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }] });
    await page.send("Page.navigate", { url });
    await page.until("document.documentElement?.dataset.ready === 'true' || document.querySelector('#content > .noscript')");
    return page;
  }

  close() {
    return new Promise((resolve) => {
      this.process.once("exit", () => {
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
        resolve();
      });
      this.process.kill();
    });
  }
}

class Page {
  constructor(browser, sessionId) {
    Object.assign(this, { browser, sessionId, problems: [], requests: [] });
  }

  note({ method, params }) {
    if (method === "Runtime.consoleAPICalled" && ["error", "warning"].includes(params.type)) this.problems.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") this.problems.push(params.entry.text);
    if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  async eval(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  async until(expression, seconds = 60) {
    const end = Date.now() + seconds * 1000;
    while (!(await this.eval(`Boolean(${expression})`))) {
      if (Date.now() > end) throw new Error(`${expression} did not come true within ${seconds} s: ${this.problems.join("; ")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  // A picture of the whole page, or of a part of it.
  async screenshot(clip = undefined) {
    const { cssContentSize } = await this.send("Page.getLayoutMetrics");
    const area = clip ?? { x: 0, y: 0, width: cssContentSize.width, height: cssContentSize.height };
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip: { scale: 1, ...area } });
    return Buffer.from(data, "base64");
  }

  async pdf() {
    const { data } = await this.send("Page.printToPDF", { printBackground: true, preferCSSPageSize: true });
    return Buffer.from(data, "base64");
  }
}
