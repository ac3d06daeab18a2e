//! Takes our own keys out of what servers say back to us: many repeat the key that they refuse.

use std::borrow::Cow;

use aiperf_config::EndpointConfig;
use aiperf_config::redact::{REDACTED, is_secret_header};
use aiperf_metrics::Failure;

/// A shorter value is found in texts that have nothing to do with it.
const SHORTEST: usize = 6;

/// The keys that requests carry, longest first, so that none is left in pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn of(endpoint: &EndpointConfig) -> Self {
        let key = endpoint.api_key.iter().map(|key| key.0.as_str());
        let headers = endpoint.headers.iter().filter(|(name, _)| is_secret_header(name));
        // `Bearer <key>`: a server would repeat the key only.
        let values = headers.flat_map(|(_, value)| [value.as_str(), value.rsplit(' ').next().unwrap_or_default()]);
        let mut all: Vec<String> = key.chain(values).filter(|text| text.len() >= SHORTEST).map(str::to_owned).collect();
        all.sort_by_key(|text| std::cmp::Reverse(text.len()));
        all.dedup();
        Self(all)
    }

    pub(crate) fn hide<'a>(&self, text: Cow<'a, str>) -> Cow<'a, str> {
        let mut text = text;
        for secret in &self.0 {
            if text.contains(secret) {
                text = Cow::Owned(text.replace(secret, REDACTED));
            }
        }
        text
    }

    pub(crate) fn hide_in(&self, failure: &mut Failure) {
        let texts = [Some(&mut failure.message), failure.cause.as_mut().map(|cause| &mut cause.message)];
        for text in texts.into_iter().flatten() {
            if let Cow::Owned(hidden) = self.hide(Cow::Borrowed(text)) {
                *text = hidden;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hidden_and_short_words_are_not() {
        let secrets = Secrets(vec!["sk-123456".into(), "123456".into()]);
        assert_eq!(secrets.hide("bad key sk-123456, 123456".into()), "bad key <redacted>, <redacted>");
        assert!(matches!(secrets.hide("fine".into()), Cow::Borrowed("fine")));
    }
}
