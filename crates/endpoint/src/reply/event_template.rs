//! The events of a stream are alike but for one string, the new text. Once an event has been read, one that differs from it
//! in nothing but that string needs no second reading: its structure is known, and so is where its text stands.

/// What a string of an event is to the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    Output,
    Reasoning,
}

/// The only thing that an event said: a string that stands in its data as it was said, without escapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Utterance {
    pub(crate) choice: u64,
    pub(crate) voice: Voice,
    /// Where the string lies in memory. Never read through: only held against where the data lies.
    address: usize,
    length: usize,
}

impl Utterance {
    pub(crate) fn new(choice: u64, voice: Voice, text: &str) -> Self {
        Self { choice, voice, address: text.as_ptr().addr(), length: text.len() }
    }
}

/// An event that was read, without its text.
#[derive(Debug, Default)]
pub(crate) struct Refrain {
    /// Up to the quote that opens the text.
    before: Vec<u8>,
    /// From the quote that closes it.
    after: Vec<u8>,
    line: Option<(u64, Voice)>,
    /// Events in a row that were unlike the one before.
    unlike: u32,
}

/// A stream whose events differ in more than their text (a running count, say) is not worth learning from for ever.
const PATIENCE: u32 = 8;

impl Refrain {
    /// What `data` says, if it is the learned event with another text. The text is not empty.
    ///
    /// It is exactly what a reader of JSON would find: up to the opening quote both are the same bytes; without a quote, a
    /// backslash or a control character in between, the string ends at the closing quote; and from there on both are the
    /// same bytes again.
    pub(crate) fn recognise<'a>(&self, data: &'a str) -> Option<(u64, Voice, &'a str)> {
        let (choice, voice) = self.line?;
        let end = data.len().checked_sub(self.after.len())?;
        let bytes = data.as_bytes();
        if end <= self.before.len() || !bytes.ends_with(&self.after) || !bytes.starts_with(&self.before) {
            return None;
        }
        // Both ends are next to an ASCII quote, so that they are boundaries of characters.
        let text = &data[self.before.len()..end];
        let is_plain = text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\');
        is_plain.then_some((choice, voice, text))
    }

    /// Learns from an event whose whole meaning was the given utterance; `None` where it meant anything else.
    pub(crate) fn learn(&mut self, data: &str, said: Option<Utterance>) {
        if self.unlike >= PATIENCE {
            return;
        }
        self.unlike += 1;
        let Some((said, start, end)) = said.and_then(|said| {
            let start = said.address.checked_sub(data.as_ptr().addr())?;
            let end = start.checked_add(said.length)?;
            let quoted = start > 0 && data.as_bytes().get(start - 1) == Some(&b'"');
            (quoted && said.length > 0 && data.as_bytes().get(end) == Some(&b'"')).then_some((said, start, end))
        }) else {
            return;
        };
        self.before.clear();
        self.before.extend_from_slice(&data.as_bytes()[..start]);
        self.after.clear();
        self.after.extend_from_slice(&data.as_bytes()[end..]);
        self.line = Some((said.choice, said.voice));
    }

    /// An event was recognised.
    pub(crate) fn heard_again(&mut self) {
        self.unlike = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(data: &str, text: &str) -> Refrain {
        let start = data.find(text).unwrap();
        let mut refrain = Refrain::default();
        refrain.learn(data, Some(Utterance::new(0, Voice::Output, &data[start..start + text.len()])));
        refrain
    }

    #[test]
    fn only_another_text_is_recognised() {
        let refrain = learned(r#"{"a":"x","n":1}"#, "x");
        let text = |data| refrain.recognise(data).map(|(_, _, text)| text);
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
        let mut refrain = Refrain::default();
        let elsewhere = "x".to_owned();
        refrain.learn(r#"{"a":"x"}"#, Some(Utterance::new(0, Voice::Output, &elsewhere)));
        refrain.learn(r#"{"a":"x"}"#, None);
        assert_eq!(refrain.recognise(r#"{"a":"x"}"#), None);
    }

    #[test]
    fn a_stream_that_never_repeats_itself_is_given_up() {
        let mut refrain = Refrain::default();
        for count in 0..2 * PATIENCE {
            let data = format!(r#"{{"a":"x","n":{count}}}"#);
            refrain.learn(&data, Some(Utterance::new(0, Voice::Output, &data[6..7])));
        }
        let last_learned = format!(r#"{{"a":"y","n":{}}}"#, PATIENCE - 1);
        assert!(refrain.recognise(&last_learned).is_some());
    }
}
