//! The live HTTP interface: where it listens, who may use it, how long it stays.

use aiperf_address::Secret;
use aiperf_config::{ApiConfig, ApiLinger};
use aiperf_redact::REDACTED;

use crate::catalogue::OptionId;
use crate::{ConfigError, RawOptions};

const DEFAULT_HOST: &str = "127.0.0.1";
const SHORTEST_TOKEN: usize = 8;

/// `of_environment`: the token of the environment.
pub(super) fn resolve(raw: &RawOptions, of_environment: Option<Secret>) -> Result<Option<ApiConfig>, ConfigError> {
    let Some(port) = raw.int::<u16>(OptionId::ApiPort)? else {
        for id in [OptionId::ApiHost, OptionId::ApiToken, OptionId::ApiLinger] {
            if raw.is_given(id) {
                return Err(raw.needs(id, OptionId::ApiPort, "without it there is no live interface"));
            }
        }
        return Ok(None);
    };
    let host = raw.text(OptionId::ApiHost).unwrap_or(DEFAULT_HOST).trim();
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if host.is_empty() || host.contains(|letter: char| letter.is_whitespace() || "/?#@[]".contains(letter)) {
        let expected = "must be an address or a name of this machine, such as 127.0.0.1 or 0.0.0.0";
        return Err(raw.bad(OptionId::ApiHost, host, expected));
    }
    let given = raw.text(OptionId::ApiToken).map(read_token).transpose();
    let given = given.map_err(|expected| raw.bad(OptionId::ApiToken, REDACTED, expected))?;
    let linger = raw.seconds(OptionId::ApiLinger)?.map_or(ApiLinger::DEFAULT, ApiLinger::For);
    Ok(Some(ApiConfig { host: host.to_owned(), port, token: given.or(of_environment), linger }))
}

/// A token that needs no quoting in headers, cookies and addresses; the error says what it must be.
pub(crate) fn read_token(text: &str) -> Result<Secret, &'static str> {
    let is_plain = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b));
    if is_plain && text.len() >= SHORTEST_TOKEN {
        return Ok(Secret(text.to_owned()));
    }
    Err("must have 8 or more letters, digits, dots, dashes and underscores, and nothing else")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_and_plain() {
        assert!(read_token("correct-horse_1.2").is_ok());
        for wrong in ["", "short", "with blank here", "quote\"quote", "semi;colons", "umläute-lang"] {
            assert!(read_token(wrong).is_err(), "{wrong}");
        }
    }
}
