// What the page shows: the board as the server described it, and what the person changed since.

import { byId } from "./dom.js";

export const state = {
  board: null,
  /** The charts: name to preset, as the preset file has them. */
  plots: {},
  /** Names of the charts that are shown, in order. */
  shown: [],
  wide: new Set(),
  /** Ids of runs that are not shown. */
  unchecked: new Set(),
  isDark: false,
  isChanged: false,
};

/** Takes over the charts of the server. */
export function takeCharts(board) {
  state.plots = structuredClone(board.plots);
  state.shown = board.defaults.filter((name) => name in state.plots);
  state.wide = new Set(board.wide);
  setChanged(false);
}

export function setChanged(changed) {
  state.isChanged = changed;
  byId("unsaved").hidden = !changed;
  byId("save").hidden = !changed;
}

export function checkedRuns() {
  return state.board.runs.filter((run) => !run.problem && !state.unchecked.has(run.id)).map((run) => run.id);
}

/** What the server needs to draw a chart. */
export function chartRequest(name, preset, more = {}) {
  const which = state.board.is_single ? { run: state.board.run } : { runs: checkedRuns() };
  return { name, preset, is_dark: state.isDark, ...which, ...more };
}

let notice;

/** A line at the top of the page, for some time. */
export function say(text, isBad = false) {
  const place = byId("notice");
  place.textContent = text;
  place.className = isBad ? "banner bad" : "banner";
  place.hidden = false;
  clearTimeout(notice);
  notice = setTimeout(() => { place.hidden = true; }, isBad ? 15000 : 5000);
}
