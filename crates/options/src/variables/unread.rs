//! `AIPERF_*` variables that are set and that nothing reads: reported in a warning, with the name that was perhaps meant.

use std::collections::BTreeMap;
use std::fmt;

use super::table::VARIABLES;
use super::without_effect::variables_without_effect;

const PREFIX: &str = "AIPERF_";
/// Variables that only the tests and measurements of this project read.
const OF_TESTS: [&str; 5] = [
    "AIPERF_REFERENCE",
    "AIPERF_TEST_REQUIRE_TOOLS",
    "AIPERF_TEST_PYTHON",
    "AIPERF_TEST_TOKENIZERS",
    "AIPERF_TEST_MEGABYTES",
];
/// Variables that have an effect only with `AIPERF_DEV_MODE`.
const NEEDS_DEVELOPER_MODE: [&str; 2] = ["AIPERF_DEV_SHOW_INTERNAL_METRICS", "AIPERF_DEV_SHOW_EXPERIMENTAL_METRICS"];
const DEVELOPER_MODE: &str = "AIPERF_DEV_MODE";

/// A variable that is set and has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadVariable {
    /// AIPerf reads it; aiperf does not need it.
    WithoutEffect { name: String, why: &'static str },
    /// It has an effect only together with another variable.
    Needs { name: String, other: &'static str },
    /// Neither AIPerf nor aiperf knows it.
    Unknown { name: String, nearest: Option<String> },
}

impl fmt::Display for UnreadVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutEffect { name, why } => write!(f, "{name} has no effect: {why}"),
            Self::Needs { name, other } => write!(f, "{name} has no effect without {other}=true"),
            Self::Unknown { name, nearest: Some(nearest) } => {
                write!(f, "unknown environment variable {name} (ignored); did you mean {nearest}?")
            }
            Self::Unknown { name, nearest: None } => {
                write!(f, "unknown environment variable {name} (ignored); docs/cli.md lists the known ones")
            }
        }
    }
}

/// All unread variables, by name. AIPerf reads names in either case and aiperf capitals only, so both cases are looked at.
pub fn unread_variables(variables: &BTreeMap<String, String>) -> Vec<UnreadVariable> {
    let ours = |name: &&String| name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX));
    variables.keys().filter(ours).filter_map(|name| unread(name, variables)).collect()
}

fn unread(name: &str, variables: &BTreeMap<String, String>) -> Option<UnreadVariable> {
    if OF_TESTS.contains(&name) {
        return None;
    }
    let name = name.to_owned();
    if NEEDS_DEVELOPER_MODE.contains(&name.as_str()) && !variables.contains_key(DEVELOPER_MODE) {
        return Some(UnreadVariable::Needs { name, other: DEVELOPER_MODE });
    }
    if VARIABLES.iter().any(|variable| variable.name == name) {
        return None;
    }
    if let Some(group) = variables_without_effect().iter().find(|group| group.has(&name)) {
        return Some(UnreadVariable::WithoutEffect { name, why: group.why });
    }
    let nearest = nearest(&name);
    Some(UnreadVariable::Unknown { name, nearest })
}

/// The known name that takes the fewest changes, where few are enough.
fn nearest(name: &str) -> Option<String> {
    let name = name.to_ascii_uppercase();
    let read = VARIABLES.iter().map(|variable| variable.name.to_owned());
    let known = read.chain(variables_without_effect().iter().flat_map(|group| group.variables().collect::<Vec<_>>()));
    aiperf_option_table::nearest(&name, known, name.len().saturating_sub(PREFIX.len()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;

    fn said(pairs: &[&str]) -> Vec<String> {
        let variables = pairs.iter().map(|name| ((*name).to_owned(), "true".to_owned())).collect();
        unread_variables(&variables).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_read_and_what_belongs_to_others_is_not_spoken_of() {
        assert!(said(&["AIPERF_HTTP_SSL_VERIFY", "PATH", "AIPERF", "AIPERF_TEST_PYTHON", "MY_AIPERF_X"]).is_empty());
        assert!(said(&["AIPERF_DEV_SHOW_INTERNAL_METRICS", "AIPERF_DEV_MODE"]).is_empty());
    }

    #[test]
    fn a_variable_without_effect_says_why() {
        assert_eq!(
            said(&["AIPERF_ZMQ_RCVTIMEO"]),
            ["AIPERF_ZMQ_RCVTIMEO has no effect: there is one process, which needs no message bus"]
        );
        assert!(said(&["AIPERF_NAMESPACE"])[0].contains("Kubernetes"));
        let alone = said(&["AIPERF_DEV_SHOW_INTERNAL_METRICS"]);
        assert_eq!(alone, ["AIPERF_DEV_SHOW_INTERNAL_METRICS has no effect without AIPERF_DEV_MODE=true"]);
    }

    #[test]
    fn a_slip_of_the_pen_names_the_variable_that_was_meant() {
        assert!(said(&["AIPERF_HTTP_SSL_VERFY"])[0].ends_with("did you mean AIPERF_HTTP_SSL_VERIFY?"));
        assert!(said(&["aiperf_http_ssl_verify"])[0].ends_with("did you mean AIPERF_HTTP_SSL_VERIFY?"));
        assert!(said(&["AIPERF_ZMQ_RECVTIMEO"])[0].ends_with("did you mean AIPERF_ZMQ_RCVTIMEO?"));
        let far = said(&["AIPERF_FAVOURITE_COLOUR"]);
        assert_eq!(
            far,
            ["unknown environment variable AIPERF_FAVOURITE_COLOUR (ignored); docs/cli.md lists the known ones"]
        );
    }

    #[test]
    fn no_name_is_listed_twice() {
        let mut names = BTreeSet::new();
        let read = VARIABLES.iter().map(|variable| variable.name.to_owned());
        for name in
            read.chain(variables_without_effect().iter().flat_map(|group| group.variables().collect::<Vec<_>>()))
        {
            assert!(names.insert(name.clone()), "{name}");
        }
        assert!(names.len() > 200, "{}", names.len());
    }

    /// Every quoted name in the sources of the program, so that none is read that the manual does not list.
    #[test]
    fn every_variable_that_the_program_names_is_known() {
        fn search(dir: &Path, found: &mut BTreeSet<String>) {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    search(&path, found);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
                    let names = text.split('"').filter(|name| name.starts_with(PREFIX));
                    let whole =
                        |name: &&str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
                    found.extend(names.filter(whole).map(ToOwned::to_owned));
                }
            }
        }
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap() {
            let source = entry.unwrap().path().join("src");
            if source.is_dir() {
                search(&source, &mut found);
            }
        }
        assert!(found.len() > 50, "{}", found.len());
        let is_known = |name: &String| {
            VARIABLES.iter().any(|variable| variable.name == name)
                || variables_without_effect().iter().any(|group| group.has(name) || group.prefix == name)
                || OF_TESTS.contains(&name.as_str())
                || name.ends_with('_')
        };
        let unknown: Vec<&String> = found.iter().filter(|name| !is_known(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    proptest! {
        #[test]
        fn any_name_is_taken(name in "(AIPERF_)?.{0,12}") {
            said(&[&name]);
        }
    }
}
