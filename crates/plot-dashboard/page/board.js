// The page: reads the board, draws the charts, follows changes of the server.

import { button, byId, make } from "./dom.js";
import { edit } from "./editor.js";
import { exportCharts } from "./exports.js";
import { listRuns } from "./runs.js";
import { showPoint, showRun } from "./run_dialog.js";
import { read, send } from "./server.js";
import { say, setChanged, state, takeCharts } from "./state.js";
import { Tile } from "./tile.js";

const run = new URLSearchParams(location.search).get("run");
const path = `/api/board${run ? `?run=${encodeURIComponent(run)}` : ""}`;
const tiles = new Map();
let revision = "";

function changed() {
  setChanged(true);
  arrange();
}

const actions = {
  resize(name) {
    if (!state.wide.delete(name)) state.wide.add(name);
    changed();
    tiles.get(name).draw();
  },
  move(name, by) {
    const at = state.shown.indexOf(name);
    const to = Math.max(0, Math.min(state.shown.length - 1, at + by));
    if (to === at) return;
    state.shown.splice(to, 0, ...state.shown.splice(at, 1));
    changed();
    tiles.get(name).element.querySelector(by < 0 ? ".tools button:nth-of-type(2)" : ".tools button:nth-of-type(3)").focus();
  },
  put(name, before) {
    if (name === before || !state.shown.includes(name)) return;
    const forward = state.shown.indexOf(name) < state.shown.indexOf(before);
    state.shown.splice(state.shown.indexOf(name), 1);
    state.shown.splice(state.shown.indexOf(before) + (forward ? 1 : 0), 0, name);
    changed();
  },
  hide(name) {
    state.shown = state.shown.filter((one) => one !== name);
    changed();
  },
  remove(name) {
    delete state.plots[name];
    actions.hide(name);
  },
  edit(name) {
    edit(name, (chosen, preset) => {
      state.plots[chosen] = preset;
      if (!state.shown.includes(chosen)) {
        const at = name ? state.shown.indexOf(name) + 1 : 0;
        state.shown.splice(at || state.shown.length, 0, chosen);
      }
      changed();
      tiles.get(chosen).draw();
      tiles.get(chosen).element.scrollIntoView({ block: "nearest" });
    });
  },
  point: showPoint,
};

/** Puts the tiles in order and lists the hidden charts. Tiles that stay are not drawn again. */
function arrange() {
  const grid = byId("grid");
  for (const [name, tile] of tiles) {
    if (!state.shown.includes(name)) { tile.element.remove(); tiles.delete(name); }
  }
  const fresh = [];
  for (const name of state.shown) {
    if (!tiles.has(name)) { tiles.set(name, new Tile(name, actions)); fresh.push(tiles.get(name)); }
    grid.append(tiles.get(name).element);
  }
  grid.append(make("div", { className: "tile new" }, button("Add a chart", () => actions.edit(null))));
  [...grid.querySelectorAll(".new")].slice(0, -1).forEach((old) => old.remove());
  fresh.forEach((tile) => tile.draw());
  const hidden = Object.keys(state.plots).filter((name) => !state.shown.includes(name));
  byId("nothing-hidden").hidden = hidden.length > 0;
  byId("hidden-list").replaceChildren(...hidden.map((name) => {
    const show = () => { state.shown.push(name); changed(); };
    const title = state.plots[name].title ?? name;
    return make("li", {}, button("Show", show, { "aria-label": `Show ${title}`, "data-show": name }), make("span", { title: name }, title));
  }));
}

function drawAll() {
  for (const tile of tiles.values()) tile.draw();
}

function describe() {
  const { board } = state;
  byId("heading").textContent = board.is_single ? `Run ${board.run_name}` : `${board.runs.length} runs`;
  document.title = board.is_single ? `${board.run_name} · aiperf plots` : "aiperf plots";
  byId("back").hidden = !board.is_single || board.is_alone;
  byId("runs-card").hidden = board.is_single;
  byId("origin").title = board.origin ?? "";
  byId("origin").textContent = board.origin ? `Charts come from ${board.origin}` : "Charts are the built-in ones.";
  byId("target").replaceChildren(...board.targets.map((target) => make("option", { value: target, title: target }, target.split("/").slice(-2).join("/"))));
  if (!board.is_single) listRuns({ onChange: drawAll, onName: showRun });
  for (const warning of board.warnings) say(warning);
  if (board.problem) say(`The preset file cannot be read, its last good text is used. ${board.problem}`, true);
}

function setTheme(isDark) {
  state.isDark = isDark;
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  byId("theme").textContent = isDark ? "Light" : "Dark";
}

async function save() {
  const names = Object.keys(state.plots);
  const body = {
    is_single: state.board.is_single, plots: state.plots, defaults: state.shown,
    wide: names.filter((name) => state.wide.has(name)), target: byId("target").value, revision,
  };
  try {
    const saved = await (await send("/api/presets", body)).json();
    revision = saved.revision;
    setChanged(false);
    say(`Saved to ${saved.file}`);
  } catch (error) {
    say(error.message, true);
  }
}

/** Asks for news for as long as the page is open. */
async function follow() {
  let isLost = false;
  for (;;) {
    try {
      const news = await read(`/api/changes?since=${state.board.changes}`);
      if (isLost) { isLost = false; say("Connected again."); }
      if (news.changes !== state.board.changes) await renew();
    } catch {
      if (!isLost) say("aiperf has ended, or cannot be reached. The charts stay as they are.", true);
      isLost = true;
      await new Promise((ready) => setTimeout(ready, 2000));
    }
  }
}

async function renew() {
  const before = new Set(state.board.runs.map((one) => one.id));
  const board = await read(path);
  const fresh = board.runs.filter((one) => !before.has(one.id)).length;
  state.board = board;
  if (!state.isChanged && board.revision !== revision) {
    takeCharts(board);
    revision = board.revision;
    for (const tile of tiles.values()) tile.element.remove();
    tiles.clear();
  }
  describe();
  arrange();
  drawAll();
  if (fresh) say(fresh === 1 ? "A run was added." : `${fresh} runs were added.`);
}

async function start() {
  try {
    state.board = await read(path);
  } catch (error) {
    return say(error.message, true);
  }
  setTheme(state.board.is_dark);
  takeCharts(state.board);
  revision = state.board.revision;
  if (window.innerWidth < 800) fold();
  describe();
  arrange();
  let width = byId("grid").clientWidth;
  let timer;
  new ResizeObserver(() => {
    if (byId("grid").clientWidth === width) return;
    width = byId("grid").clientWidth;
    clearTimeout(timer);
    timer = setTimeout(drawAll, 150);
  }).observe(byId("grid"));
  follow();
}

function fold() {
  const isFolded = document.body.classList.toggle("folded");
  byId("fold").setAttribute("aria-expanded", String(!isFolded));
}

byId("fold").onclick = fold;
byId("theme").onclick = () => { setTheme(!state.isDark); drawAll(); };
byId("save").onclick = save;
byId("add").onclick = () => actions.edit(null);
byId("reset").onclick = () => { takeCharts(state.board); tiles.forEach((tile) => tile.element.remove()); tiles.clear(); arrange(); };
byId("export").onclick = () => exportCharts(state.shown.map((name) => tiles.get(name)));
window.addEventListener("beforeunload", (event) => { if (state.isChanged) event.preventDefault(); });
start();
