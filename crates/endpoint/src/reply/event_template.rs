//! Skips the JSON parser for events that differ only in their text. The events of a stream are alike except for one string, the new
//! text. Once an event was parsed, an event that differs in nothing but that string need not be parsed: the place of its text is
//! known.

/// Which text of the reply a string of an event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentKind {
    Output,
    Reasoning,
}

/// The only text of an event: a string that stands in its data without escapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextSpan {
    pub(crate) choice: u64,
    pub(crate) kind: ContentKind,
    /// Address of the string in memory. It is never read through, only compared with the address of the data.
    address: usize,
    length: usize,
}

impl TextSpan {
    pub(crate) fn new(choice: u64, kind: ContentKind, text: &str) -> Self {
        Self { choice, kind, address: text.as_ptr().addr(), length: text.len() }
    }
}

/// An event that was parsed, without its text.
#[derive(Debug, Default)]
pub(crate) struct EventTemplate {
    /// Up to the quote that opens the text.
    before: Vec<u8>,
    /// From the quote that closes it.
    after: Vec<u8>,
    content: Option<(u64, ContentKind)>,
    /// Events in a row that differed from the one before in more than their text.
    misses: u32,
}

/// Misses in a row after which no more events are learned: the events of such a stream differ in more than their text, such as by
/// a running count.
const MAX_MISSES: u32 = 8;

impl EventTemplate {
    /// The text of `data`, if it is the learned event with another text. The text is not empty.
    ///
    /// The result is what a JSON parser would find: up to the opening quote both are the same bytes; without a quote, a
    /// backslash or a control character in between, the string ends at the closing quote; and from there on both are the
    /// same bytes again.
    pub(crate) fn match_event<'a>(&self, data: &'a str) -> Option<(u64, ContentKind, &'a str)> {
        let (choice, kind) = self.content?;
        let end = data.len().checked_sub(self.after.len())?;
        let bytes = data.as_bytes();
        if end <= self.before.len() || !bytes.ends_with(&self.after) || !bytes.starts_with(&self.before) {
            return None;
        }
        // Both ends are next to an ASCII quote, so that they are boundaries of characters.
        let text = &data[self.before.len()..end];
        let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
        is_plain.then_some((choice, kind, text))
    }

    /// Learns an event whose only content was the given span; `None` if it had any other content.
    pub(crate) fn learn(&mut self, data: &str, span: Option<TextSpan>) {
        if self.misses >= MAX_MISSES {
            return;
        }
        self.misses += 1;
        let Some((span, start, end)) = span.and_then(|span| {
            let start = span.address.checked_sub(data.as_ptr().addr())?;
            let end = start.checked_add(span.length)?;
            let quoted = start > 0 && data.as_bytes().get(start - 1) == Some(&b'"');
            (quoted && span.length > 0 && data.as_bytes().get(end) == Some(&b'"')).then_some((span, start, end))
        }) else {
            return;
        };
        self.before.clear();
        self.before.extend_from_slice(&data.as_bytes()[..start]);
        self.after.clear();
        self.after.extend_from_slice(&data.as_bytes()[end..]);
        self.content = Some((span.choice, span.kind));
    }

    /// An event matched.
    pub(crate) fn note_match(&mut self) {
        self.misses = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(data: &str, text: &str) -> EventTemplate {
        let start = data.find(text).unwrap();
        let mut template = EventTemplate::default();
        template.learn(data, Some(TextSpan::new(0, ContentKind::Output, &data[start..start + text.len()])));
        template
    }

    #[test]
    fn only_another_text_is_recognised() {
        let template = learned(r#"{"a":"x","n":1}"#, "x");
        let text = |data| template.match_event(data).map(|(_, _, text)| text);
        assert_eq!(text(r#"{"a":"another, longer ü","n":1}"#), Some("another, longer ü"));
        for other in [
            r#"{"a":"","n":1}"#,
            r#"{"a":"x","n":2}"#,
            r#"{"b":"x","n":1}"#,
            r#"{"a":"x\n","n":1}"#,
            r#"{"a":"x","a":"y","n":1}"#,
            "{\"a\":\"x\ty\",\"n\":1}",
            r#"{"a":","n":1}"#,
            r#"{"a":"#,
            "",
        ] {
            assert_eq!(text(other), None, "{other}");
        }
    }

    #[test]
    fn a_text_that_does_not_lie_in_the_data_teaches_nothing() {
        let mut template = EventTemplate::default();
        let elsewhere = "x".to_owned();
        template.learn(r#"{"a":"x"}"#, Some(TextSpan::new(0, ContentKind::Output, &elsewhere)));
        template.learn(r#"{"a":"x"}"#, None);
        assert_eq!(template.match_event(r#"{"a":"x"}"#), None);
    }

    #[test]
    fn a_stream_whose_events_never_match_is_not_learned_for_ever() {
        let mut template = EventTemplate::default();
        for count in 0..2 * MAX_MISSES {
            let data = format!(r#"{{"a":"x","n":{count}}}"#);
            template.learn(&data, Some(TextSpan::new(0, ContentKind::Output, &data[6..7])));
        }
        let last_learned = format!(r#"{{"a":"y","n":{}}}"#, MAX_MISSES - 1);
        assert!(template.match_event(&last_learned).is_some());
    }
}
