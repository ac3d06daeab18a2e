//! The last distinct errors, with their status and what the server said.

use aiperf_live::DistinctError;

use super::{Scene, fitting, framed, lines};
use crate::canvas::{Frame, Line, Rect, Span};
use crate::numbers::whole;

/// Fields of an error body that hold its sentence.
const SENTENCES: [&str; 3] = ["\"message\":", "\"detail\":", "\"error\":"];

pub(crate) fn errors(frame: &mut Frame, area: Rect, scene: &Scene<'_>) {
    let shown: Vec<&DistinctError> = scene.snapshot.errors.iter().filter(|error| is_wanted(scene, error)).collect();
    let title = match shown.len() {
        0 => "Errors".to_owned(),
        1 => "Errors (all the same)".to_owned(),
        count => format!("Errors ({count} distinct, the last first)"),
    };
    let inner = framed(frame, area, &title, scene.theme);
    if shown.is_empty() {
        return lines(frame, inner, vec![Line::from(scene.quiet(" none"))]);
    }
    let width = usize::from(inner.width);
    let kind_width = shown.iter().map(|error| error.kind.chars().count()).max().unwrap_or(0).min(width / 3);
    let row = |error: &&DistinctError| {
        let status = error.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
        let count = format!("{:>8}", format!("{}x", whole(error.count)));
        let kind = fitting(&error.kind, kind_width);
        let head = format!(" {status:>4} {kind:<kind_width$}  ");
        let room = width.saturating_sub(count.chars().count() + head.chars().count() + 1);
        Line::from(vec![
            scene.value(count),
            Span::styled(head, scene.theme.bad()),
            Span::raw(fitting(&sentence(&error.excerpt), room)),
        ])
    };
    lines(frame, inner, shown.iter().map(row).collect());
}

fn is_wanted(scene: &Scene<'_>, error: &DistinctError) -> bool {
    scene.state.matches(&format!("{} {} {}", error.status.unwrap_or(0), error.kind, error.excerpt))
}

/// The sentence in a JSON body, which may be cut off; other text as it is.
fn sentence(excerpt: &str) -> String {
    let found = SENTENCES.iter().find_map(|field| {
        let after = &excerpt[excerpt.find(field)? + field.len()..];
        let text = after.trim_start().strip_prefix('"')?;
        let mut escaped = false;
        let end = text.find(|letter| {
            let is_end = letter == '"' && !escaped;
            escaped = letter == '\\' && !escaped;
            is_end
        });
        Some(text[..end.unwrap_or(text.len())].replace("\\\"", "\"").replace("\\n", " "))
    });
    found.filter(|text| !text.is_empty()).unwrap_or_else(|| excerpt.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_of_an_error_body_is_shown_without_its_json() {
        assert_eq!(sentence(r#"{"error": {"message": "say \"when\"", "code": 1}}"#), r#"say "when""#);
        assert_eq!(sentence(r#"{"object":"error","message":"the model is load"#), "the model is load");
        assert_eq!(sentence(r#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(sentence(r#"{"error":"busy"}"#), "busy");
        for text in ["connection reset by peer", r#"{"message":null}"#, r#"{"message":""}"#] {
            assert_eq!(sentence(text), text);
        }
    }
}
