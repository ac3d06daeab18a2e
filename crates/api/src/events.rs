//! `GET /api/events`: server-sent events for the page. A browser reconnects by itself and names the last event that it has; the
//! stream goes on after it.
//!
//! | event | data |
//! |---|---|
//! | `run` | what the run is, once at the start of the stream |
//! | `history` | points of the history: `start` is the number of the first; all of them at the start of the stream |
//! | `event` | one event of the run, with an id |
//! | `snapshot` | the whole current state |

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use aiperf_live::{History, HistoryPoint};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;
use tokio::time::{self, Interval, MissedTickBehavior};

use crate::answer::{Shared, refuse};
use crate::state::{ApiState, OpenStream, StreamKind};

/// Time between two snapshots unless the client asks for another.
const USUAL_INTERVAL_MS: u64 = 500;
const INTERVALS_MS: std::ops::RangeInclusive<u64> = 100..=60_000;
/// A browser tries again after this time.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Wishes {
    interval_ms: Option<u64>,
    /// For clients that cannot set the header.
    last_event_id: Option<String>,
}

pub(crate) async fn answer(State(state): Shared, Query(wishes): Query<Wishes>, headers: HeaderMap) -> Response {
    let interval = wishes.interval_ms.unwrap_or(USUAL_INTERVAL_MS);
    if !INTERVALS_MS.contains(&interval) {
        return refuse(StatusCode::BAD_REQUEST, "interval_ms must be between 100 and 60000.");
    }
    let Some(stream) = state.open_stream(StreamKind::Page) else {
        return refuse(StatusCode::SERVICE_UNAVAILABLE, "Too many clients are connected to this run.");
    };
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let after = last.or(wishes.last_event_id).and_then(|id| event_number(&id, &state.session)).unwrap_or(0);
    let mut ticks = time::interval(Duration::from_millis(interval));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let closing = state.closing.subscribe();
    let feed =
        EventFeed { stream, ticks, closing, heard: after, points: 0, step: 0.0, phase: String::new(), seq: None };
    Sse::new(feed.into_stream()).keep_alive(KeepAlive::new()).into_response()
}

/// The number in an id of this server; `None` for ids of another one.
fn event_number(id: &str, session: &str) -> Option<u64> {
    let (of, number) = id.rsplit_once('-')?;
    (of == session).then(|| number.parse().ok())?
}

struct EventFeed {
    stream: OpenStream,
    ticks: Interval,
    closing: watch::Receiver<bool>,
    /// The last event that the client has.
    heard: u64,
    /// Points of the history that the client has, of which phase and step.
    points: usize,
    step: f64,
    phase: String,
    /// The snapshot that the client has; `None` at the start.
    seq: Option<u64>,
}

type Batch = Vec<Result<Event, Infallible>>;

impl EventFeed {
    fn into_stream(self) -> Pin<Box<dyn Stream<Item = Result<Event, Infallible>> + Send>> {
        let batches = stream::unfold(Some(self), |feed| async move {
            let mut feed = feed?;
            let is_last = tokio::select! {
                _ = feed.ticks.tick() => false,
                _ = feed.closing.wait_for(|closing| *closing) => true,
            };
            let batch = stream::iter(feed.due());
            Some((batch, (!is_last).then_some(feed)))
        });
        Box::pin(futures_util::StreamExt::flatten(batches))
    }

    /// What is new since the last call.
    fn due(&mut self) -> Batch {
        let state = std::sync::Arc::clone(&self.stream.state);
        let mut batch: Batch = Vec::new();
        if self.seq.is_none() {
            batch.push(Ok(run_event(&state)));
        }
        let snapshot = state.live.snapshot();
        if self.seq == Some(snapshot.seq) {
            return batch;
        }
        let is_first = self.seq.replace(snapshot.seq).is_none();
        batch.extend(self.history(&state.live.history(), is_first).map(Ok));
        for event in state.live.events_after(self.heard) {
            self.heard = event.seq;
            let id = format!("{}-{}", state.session, event.seq);
            batch.extend(Event::default().event("event").id(id).json_data(&*event).ok().map(Ok));
        }
        batch.push(Ok(Event::default().event("snapshot").data(state.render(&snapshot))));
        batch
    }

    fn history(&mut self, history: &History, is_first: bool) -> Option<Event> {
        let is_other = self.phase != history.phase || self.step.to_bits() != history.step.to_bits();
        let start = if is_first || is_other || history.points.len() < self.points { 0 } else { self.points };
        if start == history.points.len() && !is_other {
            return None;
        }
        self.points = history.points.len();
        self.step = history.step;
        self.phase.clone_from(&history.phase);
        let part = HistoryPart { phase: &history.phase, step: history.step, start, points: &history.points[start..] };
        Event::default().event("history").json_data(part).ok()
    }
}

#[derive(Debug, Serialize)]
struct HistoryPart<'a> {
    phase: &'a str,
    step: f64,
    start: usize,
    points: &'a [HistoryPoint],
}

/// What the run is, without the whole configuration, which `/api/config` has.
fn run_event(state: &ApiState) -> Event {
    let facts = state.live.facts();
    let run = json!({
        "session": state.session,
        "version": facts.version,
        "models": facts.models,
        "endpoint_type": facts.endpoint_type,
        "urls": facts.urls,
        "streaming": facts.streaming,
        "load": facts.load,
        "slos": facts.slos,
        "artifact_dir": facts.artifact_dir,
        "command_line": facts.command_line,
        "cell": facts.cell,
    });
    Event::default().event("run").retry(RETRY).data(run.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_another_server_start_from_the_beginning() {
        assert_eq!(event_number("abc-17", "abc"), Some(17));
        assert_eq!(event_number("other-17", "abc"), None);
        assert_eq!(event_number("17", "abc"), None);
        assert_eq!(event_number("abc-x", "abc"), None);
    }
}
