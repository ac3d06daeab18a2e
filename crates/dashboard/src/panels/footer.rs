//! The keys, the filter, and answers to keys.

use super::{Scene, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::view_state::Page;

pub(crate) fn footer(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    lines(frame, area, vec![line(scene, usize::from(area.width))]);
}

fn line(scene: &Scene<'_>, width: usize) -> Line {
    let (state, theme) = (scene.state, scene.theme);
    if let Some(message) = &state.message {
        return Line::from(Span::styled(format!(" {message}"), theme.warning()));
    }
    if state.is_typing {
        let text = format!(" Filter: {}_   Enter keeps it, Esc clears it", state.filter);
        return Line::from(Span::styled(text, theme.value()));
    }
    let mut spans = vec![Span::raw(" ")];
    let mut room = width.saturating_sub(1);
    let mut put = |key: &str, words: &str, is_current: bool| {
        let needed = key.chars().count() + words.chars().count() + 3;
        if needed > room {
            return;
        }
        room -= needed;
        spans.push(Span::styled(key.to_owned(), theme.key()));
        let style = if is_current { theme.value() } else { theme.quiet() };
        spans.push(Span::styled(format!(" {words}  "), style));
    };
    for ((page, name), number) in Page::ALL.into_iter().zip(1..) {
        put(&number.to_string(), name, page == state.page);
    }
    let pause = if state.paused.is_some() { "go on" } else { "pause" };
    for (key, words) in
        [("?", "help"), ("q", "leave"), ("p", pause), ("/", "filter"), ("l", "log"), ("^C", "cancel the run")]
    {
        put(key, words, false);
    }
    if !state.filter.is_empty() {
        put("filter:", &state.filter, true);
    }
    Line::from(spans)
}
