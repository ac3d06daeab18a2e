//! What must come of a command.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expectation {
    /// Exit code.
    pub(crate) exit: i32,
    /// Number of the signal that ends the program, in place of an exit code.
    pub(crate) signal: Option<i32>,
    /// A program that takes longer hangs.
    pub(crate) within_s: u64,
    /// It must not end sooner.
    pub(crate) after_s: f64,
    /// Requests in the summary and in the records; `sent` makes all counts of the run be checked.
    pub(crate) sent: Option<u64>,
    pub(crate) ok: Option<u64>,
    pub(crate) failed: Option<u64>,
    pub(crate) cancelled: Option<u64>,
    pub(crate) resent: u64,
    /// Whether `resent` is exact.
    pub(crate) resends: Resends,
    /// Requests that the server read; `sent + resent` if not given.
    pub(crate) served: Option<u64>,
    /// Whether to compare the number of requests that the server read.
    pub(crate) counts_served: bool,
    /// Connections that the server accepted.
    pub(crate) connections: Option<u64>,
    /// Requests that the other server read.
    pub(crate) other_served: Option<u64>,
    /// Whether the other server may see the key.
    pub(crate) key_goes_on: bool,
    /// Number of failed requests by type, complete.
    pub(crate) errors: BTreeMap<String, u64>,
    /// Texts, each in the message of some failed request.
    pub(crate) error_text: Vec<String>,
    pub(crate) stderr: Vec<String>,
    pub(crate) stdout: Vec<String>,
    /// Texts that must be neither on stdout nor on stderr.
    pub(crate) unsaid: Vec<String>,
    /// Codes of validity notes that must be there, and that must not.
    pub(crate) notes: Vec<String>,
    pub(crate) no_notes: Vec<String>,
    /// Averages in the summary, exact.
    pub(crate) metrics: BTreeMap<String, f64>,
    pub(crate) no_metrics: Vec<String>,
    /// Other fields of the summary, by JSON pointer.
    pub(crate) summary: BTreeMap<String, Value>,
    /// What `aiperf validate` must say of the folder.
    pub(crate) validate: Validate,
    /// Files and folders that must be there, and that must not.
    pub(crate) files: Vec<String>,
    pub(crate) no_files: Vec<String>,
    /// Largest resident set of the program, in MiB.
    pub(crate) most_mib: Option<u64>,
}

impl Default for Expectation {
    fn default() -> Self {
        Self {
            exit: 0,
            signal: None,
            within_s: 60,
            after_s: 0.0,
            sent: None,
            ok: None,
            failed: None,
            cancelled: None,
            resent: 0,
            resends: Resends::Exact,
            served: None,
            counts_served: true,
            connections: None,
            other_served: None,
            key_goes_on: false,
            errors: BTreeMap::new(),
            error_text: Vec::new(),
            stderr: Vec::new(),
            stdout: Vec::new(),
            unsaid: Vec::new(),
            notes: Vec::new(),
            no_notes: Vec::new(),
            metrics: BTreeMap::new(),
            no_metrics: Vec::new(),
            summary: BTreeMap::new(),
            validate: Validate::Passes,
            files: Vec::new(),
            no_files: Vec::new(),
            most_mib: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Validate {
    Passes,
    /// It has findings.
    Finds,
    Unasked,
}

/// How many requests are sent again. On a slow machine some of them are not, as the connection broke too late for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resends {
    /// As many as `resent` says.
    Exact,
    /// One at least. What is lost on the way is either sent again or failed as one of `errors`; the sums must hold.
    Some,
    /// Any number.
    Any,
}
