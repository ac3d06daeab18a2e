//! Whether tokenizers and data sets can be downloaded, and where they are kept.

use aiperf_hub::{Hub, HubEnvironment};

use crate::finding::{Check, Finding};

pub(crate) fn check(environment: &HubEnvironment) -> Finding {
    let cache = environment.cache().display().to_string();
    let token = if environment.has_token() { "with a token" } else { "without a token" };
    if environment.is_offline() {
        let seen = format!("switched off by HF_HUB_OFFLINE; cache {cache}");
        let meaning = "Only what is in the cache can be used.";
        return Finding::note(Check::Hub, seen, meaning);
    }
    match Hub::new(environment.clone()).reach() {
        Ok(time) => Finding::ok(
            Check::Hub,
            format!("{} answers in {} ms, {token}; cache {cache}", environment.endpoint(), time.as_millis()),
        ),
        Err(reason) => {
            let seen = format!("{} cannot be reached: {reason}; cache {cache}", environment.endpoint());
            let meaning = "Tokenizers and public data sets cannot be downloaded. Use --tokenizer builtin or a local folder, or set \
                           HF_ENDPOINT or HTTPS_PROXY.";
            Finding::note(Check::Hub, seen, meaning)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    fn environment(variables: &[(&str, &str)]) -> HubEnvironment {
        let value =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        HubEnvironment::from_variables(value)
    }

    #[test]
    fn a_hub_that_is_switched_off_is_not_asked() {
        let finding = check(&environment(&[("HF_HUB_OFFLINE", "1"), ("HF_HOME", "/hf")]));
        assert_eq!(
            (finding.rank, finding.seen.as_str()),
            (Rank::Note, "switched off by HF_HUB_OFFLINE; cache /hf/hub")
        );
    }

    #[test]
    fn a_hub_that_refuses_connections_is_noted_with_what_to_do() {
        // Nothing listens on the port of a socket that was closed.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let finding = check(&environment(&[("HF_ENDPOINT", &format!("http://127.0.0.1:{port}")), ("HF_HOME", "/hf")]));
        assert_eq!(finding.rank, Rank::Note);
        assert!(finding.seen.contains("cannot be reached"), "{finding:?}");
        assert!(finding.meaning.contains("--tokenizer builtin"));
    }
}
