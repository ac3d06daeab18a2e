//! Proxies in the environment: which requests go through them.

use crate::finding::{Check, Finding};

const VARIABLES: [&str; 6] = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
const TRUSTED: &str = "AIPERF_HTTP_TRUST_ENV";

/// Nothing to say where there is none. Values are not shown: they may hold passwords.
pub(crate) fn check(variable: &dyn Fn(&str) -> Option<String>) -> Option<Finding> {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.trim().is_empty());
    let set: Vec<&str> = VARIABLES.into_iter().filter(is_set).collect();
    if set.is_empty() {
        return None;
    }
    let seen = format!("{} set", set.join(", "));
    let is_trusted = variable(TRUSTED)
        .is_some_and(|value| matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on"));
    if is_trusted {
        let meaning = "Requests of a benchmark go through the proxy, whose time is part of every latency. Name the server in NO_PROXY to go \
                       to it directly.";
        return Some(Finding::note(Check::Proxy, seen, meaning));
    }
    let seen = format!("{seen}; downloads use it, requests of a benchmark do not ({TRUSTED}=true would)");
    Some(Finding::ok(Check::Proxy, seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    fn found(variables: &[(&str, &str)]) -> Option<Finding> {
        check(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_proxy_in_the_way_of_a_benchmark_is_noted() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("HTTPS_PROXY", " ")]), None);
        let proxy = ("HTTPS_PROXY", "http://user:secret@proxy:3128");
        assert_eq!(found(&[proxy]).unwrap().rank, Rank::Ok);
        let finding = found(&[proxy, (TRUSTED, "true")]).unwrap();
        assert_eq!(finding.rank, Rank::Note);
        assert!(!format!("{finding:?}").contains("secret"));
    }
}
