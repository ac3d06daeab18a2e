// The connection to the run: server-sent events, which the browser reconnects by itself and which go on where they ended.

/** What the page knows. It survives every loss of the connection. */
export const known = {
  run: null,
  snapshot: null,
  history: { phase: "", step: 1, points: [] },
  events: [],
  connected: false,
  /** The run is over and its server is gone. */
  gone: false,
};

const MOST_EVENTS = 1000;

export function follow(changed) {
  let source = null;
  let silent = null;
  const open = () => {
    source = new EventSource("api/events");
    source.addEventListener("run", (message) => {
      const run = JSON.parse(message.data);
      // Another run took the port: nothing of the earlier one is true for it.
      if (known.run && known.run.session !== run.session) return location.reload();
      known.run = run;
      known.connected = true;
      known.gone = false;
      changed("run");
    });
    source.addEventListener("history", (message) => {
      const part = JSON.parse(message.data);
      const { history } = known;
      const goesOn = part.start > 0 && part.phase === history.phase && part.step === history.step && part.start <= history.points.length;
      history.points = goesOn ? history.points.slice(0, part.start).concat(part.points) : part.points;
      history.phase = part.phase;
      history.step = part.step;
      changed("history");
    });
    source.addEventListener("snapshot", (message) => {
      known.snapshot = JSON.parse(message.data);
      known.connected = true;
      changed("snapshot");
    });
    source.addEventListener("event", (message) => {
      const event = JSON.parse(message.data);
      if (known.events.length > 0 && event.seq <= known.events[known.events.length - 1].seq) return;
      known.events.push(event);
      if (known.events.length > MOST_EVENTS) known.events.splice(0, known.events.length - MOST_EVENTS);
      changed("event");
    });
    source.onopen = () => { clearTimeout(silent); silent = null; };
    source.onerror = () => {
      known.connected = false;
      if (known.snapshot?.result) {
        // The program ends some time after the run; then there is nobody to reconnect to.
        source.close();
        known.gone = true;
      } else if (source.readyState === EventSource.CLOSED && silent === null) {
        // A refusal is final for the browser. The program may still be starting, or a proxy may be in the way: try again.
        silent = setTimeout(() => { silent = null; open(); }, 2000);
      }
      changed("connection");
    };
  };
  open();
}
