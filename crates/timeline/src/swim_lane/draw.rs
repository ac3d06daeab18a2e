//! The layout of the picture.

use crate::TimelineError;
use crate::request::Ending;
use crate::slots::{Session, count_over_time, slots};

use super::SwimLanes;
use super::axis::{label, ticks};
use super::picture::{Picture, RgbColour, TextAnchor};

/// Pixels; as wide as the reference's picture.
pub(super) const WIDTH: u32 = 2984;
const LEFT: f32 = 120.0;
const RIGHT: f32 = 40.0;
const TOP: f32 = 110.0;
const GAP: f32 = 40.0;
const BOTTOM: f32 = 130.0;
/// Height of the panel that counts sessions.
const COUNTS: f32 = 300.0;
/// Rows together are at least and at most this high.
const LANES: (f32, f32) = (220.0, 3_000.0);
/// A row is this high unless there are too many.
const ROW: f32 = 60.0;
/// Share of a row that its bar takes.
const BAR: f32 = 0.76;

const GRID: RgbColour = [225, 225, 225];
const FREE: RgbColour = [240, 240, 240];
const FRAME: RgbColour = [60, 60, 60];
const NEW_SESSION: RgbColour = [0, 0, 0];
const ACTIVE: RgbColour = [33, 150, 243];
const IDLE: RgbColour = [120, 120, 120];
const TARGET: RgbColour = [230, 30, 30];
const RAMP: RgbColour = [240, 140, 0];
/// A request that did not complete. No session has this colour.
const INCOMPLETE: RgbColour = [204, 0, 0];
/// Colours of sessions, which take turns.
const COLOURS: [RgbColour; 9] = [
    [31, 119, 180],
    [255, 127, 14],
    [44, 160, 44],
    [148, 103, 189],
    [140, 86, 75],
    [227, 119, 194],
    [127, 127, 127],
    [188, 189, 34],
    [23, 190, 207],
];

pub(super) fn png(lanes: &SwimLanes) -> Result<Vec<u8>, TimelineError> {
    let slots = slots(&lanes.requests);
    let height = (slots.len() as f32 * ROW).clamp(LANES.0, LANES.1);
    let row = height / slots.len().max(1) as f32;
    let all = TOP + height + GAP + COUNTS + BOTTOM;
    let mut sheet = Sheet {
        picture: Picture::new(WIDTH, all.ceil() as u32)?,
        length: lanes.length().max(1e-9),
        lanes: (TOP, TOP + height),
        counts: (TOP + height + GAP, TOP + height + GAP + COUNTS),
    };
    let sessions: usize = slots.iter().map(|slot| slot.sessions.len()).sum();
    let title = format!("{}: {sessions} sessions on {} slots", lanes.name, slots.len());
    sheet.picture.text((WIDTH as f32 / 2.0, 50.0), &title, 32.0, TextAnchor::Middle, false);
    sheet.grid();
    for (number, slot) in slots.iter().enumerate() {
        let top = sheet.lanes.0 + row * number as f32;
        let bar = (top + row * (1.0 - BAR) / 2.0, top + row * (1.0 + BAR) / 2.0);
        sheet.bar((0.0, sheet.length), bar, FREE, 1.0);
        for (place, session) in slot.sessions.iter().enumerate() {
            sheet.session(lanes, session, bar);
            if place > 0 {
                sheet.upright(lanes.seconds(session.start()), bar, NEW_SESSION, 4.0);
            }
        }
        // As many numbers as fit.
        if number % ((20.0 / row).ceil().max(1.0) as usize) == 0 {
            let middle = f32::midpoint(bar.0, bar.1) + 8.0;
            sheet.picture.text((LEFT - 14.0, middle), &number.to_string(), 22.0, TextAnchor::End, false);
        }
    }
    let spans = |idle: bool| {
        let of_session = move |session: &Session<'_>| -> Vec<(u64, u64)> {
            if idle {
                session.requests.windows(2).map(|pair| (pair[0].end, pair[1].start)).collect()
            } else {
                session.requests.iter().map(|request| (request.start, request.end)).collect()
            }
        };
        count_over_time(slots.iter().flat_map(|slot| &slot.sessions).flat_map(of_session))
    };
    let (active, idle) = (spans(false), spans(true));
    let peak = active.iter().chain(&idle).map(|(_, count)| *count).max().unwrap_or(0);
    let most = (peak as f64).max(slots.len() as f64).max(lanes.concurrency.unwrap_or(0) as f64) * 1.08;
    sheet.steps(lanes, &active, most, ACTIVE, 0.3);
    sheet.steps(lanes, &idle, most, IDLE, 0.0);
    sheet.level(slots.len() as f64, most, IDLE);
    if let Some(target) = lanes.concurrency {
        sheet.level(target as f64, most, TARGET);
    }
    for value in ticks(most, 5) {
        let y = sheet.level_y(value, most) + 8.0;
        sheet.picture.text((LEFT - 14.0, y), &label(value), 22.0, TextAnchor::End, false);
    }
    let both = (sheet.lanes.0, sheet.counts.1);
    sheet.upright(sheet.length, both, TARGET, 3.0);
    if let Some(ramp) = lanes.ramp {
        sheet.upright(ramp, both, RAMP, 3.0);
    }
    let peak = active.iter().map(|(_, count)| *count).max().unwrap_or(0);
    sheet.legend(lanes, peak, slots.len());
    sheet.picture.png()
}

/// A picture with its two panels.
struct Sheet {
    picture: Picture,
    /// Seconds.
    length: f64,
    lanes: (f32, f32),
    counts: (f32, f32),
}

impl Sheet {
    fn x(&self, seconds: f64) -> f32 {
        let width = WIDTH as f32 - LEFT - RIGHT;
        LEFT + width * (seconds / self.length * 0.98) as f32
    }

    fn bar(&mut self, span: (f64, f64), (top, bottom): (f32, f32), colour: RgbColour, opacity: f32) {
        let (left, right) = (self.x(span.0), self.x(span.1));
        self.picture.rectangle([left, top, right, bottom], colour, opacity);
    }

    fn session(&mut self, lanes: &SwimLanes, session: &Session<'_>, bar: (f32, f32)) {
        let colour = COLOURS[session.number % COLOURS.len()];
        for request in &session.requests {
            let colour = if request.ending == Ending::Completed { colour } else { INCOMPLETE };
            self.bar((lanes.seconds(request.start), lanes.seconds(request.end)), bar, colour, 0.95);
        }
        for pair in session.requests.windows(2) {
            self.bar((lanes.seconds(pair[0].end), lanes.seconds(pair[1].start)), bar, colour, 0.28);
        }
    }

    fn upright(&mut self, seconds: f64, (top, bottom): (f32, f32), colour: RgbColour, width: f32) {
        let x = self.x(seconds);
        self.picture.rectangle([x - width / 2.0, top, x + width / 2.0, bottom], colour, 1.0);
    }

    fn level_y(&self, value: f64, most: f64) -> f32 {
        let (top, bottom) = self.counts;
        bottom - (bottom - top) * (value / most.max(1e-9)) as f32
    }

    fn level(&mut self, value: f64, most: f64, colour: RgbColour) {
        let y = self.level_y(value, most);
        self.picture.rectangle([LEFT, y - 1.0, WIDTH as f32 - RIGHT, y + 1.0], colour, 0.8);
    }

    /// A count over time as a line with steps, filled below if `fill` is more than zero.
    fn steps(&mut self, lanes: &SwimLanes, steps: &[(u64, i64)], most: f64, colour: RgbColour, fill: f32) {
        for pair in steps.windows(2) {
            let (left, right) = (self.x(lanes.seconds(pair[0].0)), self.x(lanes.seconds(pair[1].0)));
            let (y, next) = (self.level_y(pair[0].1 as f64, most), self.level_y(pair[1].1 as f64, most));
            if fill > 0.0 {
                self.picture.rectangle([left, y, right, self.counts.1], colour, fill);
            }
            self.picture.rectangle([left, y - 1.0, right, y + 1.0], colour, 0.9);
            self.picture.rectangle([right - 1.0, y.min(next), right + 1.0, y.max(next)], colour, 0.9);
        }
    }

    /// Lines of the grid, frames, and the time below them.
    fn grid(&mut self) {
        let right = WIDTH as f32 - RIGHT;
        for seconds in ticks(self.length, 10) {
            for panel in [self.lanes, self.counts] {
                self.upright(seconds, panel, GRID, 2.0);
            }
            let x = self.x(seconds);
            self.picture.text((x, self.counts.1 + 34.0), &label(seconds), 22.0, TextAnchor::Middle, false);
        }
        for (top, bottom) in [self.lanes, self.counts] {
            for edge in
                [[LEFT, top, right, top + 2.0], [LEFT, bottom, right, bottom + 2.0], [LEFT, top, LEFT + 2.0, bottom]]
            {
                self.picture.rectangle(edge, FRAME, 1.0);
            }
        }
        let middle = |panel: (f32, f32)| f32::midpoint(panel.0, panel.1);
        let (lanes, counts) = (middle(self.lanes), middle(self.counts));
        self.picture.text((40.0, lanes), "Session slot", 26.0, TextAnchor::Middle, true);
        self.picture.text((40.0, counts), "Sessions", 26.0, TextAnchor::Middle, true);
        self.picture.text(
            (WIDTH as f32 / 2.0, self.counts.1 + 72.0),
            "Time (seconds)",
            26.0,
            TextAnchor::Middle,
            false,
        );
    }

    fn legend(&mut self, lanes: &SwimLanes, peak: i64, slots: usize) {
        let end = format!("end ({} s)", label(self.length));
        let active = format!("active requests (most: {peak})");
        let slots = format!("slots ({slots})");
        let target = lanes.concurrency.map(|target| format!("concurrency ({target})"));
        let ramp = lanes.ramp.map(|seconds| format!("end of the ramp ({} s)", label(seconds)));
        let mut above = vec![
            (COLOURS[0], "active request"),
            ([196, 217, 236], "time between two turns"),
            (NEW_SESSION, "new session in the slot"),
        ];
        if lanes.requests.iter().any(|request| request.ending != Ending::Completed) {
            above.push((INCOMPLETE, "request that did not complete"));
        }
        self.legend_line(86.0, &above);
        let mut below = vec![(ACTIVE, active.as_str()), (IDLE, "sessions between two turns"), (IDLE, slots.as_str())];
        below.extend(target.as_deref().map(|text| (TARGET, text)));
        below.extend(ramp.as_deref().map(|text| (RAMP, text)));
        below.push((TARGET, end.as_str()));
        self.legend_line(self.counts.1 + 112.0, &below);
    }

    fn legend_line(&mut self, y: f32, entries: &[(RgbColour, &str)]) {
        const SPACE: f32 = 460.0;
        let mut x = (WIDTH as f32 - SPACE * entries.len() as f32) / 2.0;
        for (colour, text) in entries {
            self.picture.rectangle([x, y - 14.0, x + 36.0, y], *colour, 1.0);
            self.picture.text((x + 46.0, y), text, 22.0, TextAnchor::Start, false);
            x += SPACE;
        }
    }
}
