//! The keys, over whatever page is shown.

use crate::canvas::{Frame, Line, Rect, Span};
use crate::keys::HELP;
use crate::panels::{Scene, framed, lines};

const WIDTH: u16 = 78;

pub(crate) fn help(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let width = WIDTH.min(area.width);
    let height = (HELP.len() as u16 + 2).min(area.height);
    let area = Rect { x: area.x + (area.width - width) / 2, y: area.y + (area.height - height) / 2, width, height };
    frame.clear(area);
    let inner = framed(frame, area, "Keys", scene.theme);
    let keys = HELP.map(|(key, _)| key.chars().count());
    let key_width = keys.into_iter().max().unwrap_or(0).min(usize::from(inner.width) / 2);
    let row = |(key, words): (&str, &str)| {
        Line::from(vec![Span::styled(format!(" {key:<key_width$}  "), scene.theme.key()), Span::raw(words.to_owned())])
    };
    lines(frame, inner, HELP.into_iter().map(row).collect());
}
