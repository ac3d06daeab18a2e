//! Who may use the web servers of this program: the live interface of a run and the dashboard of plots share these rules.
#![forbid(unsafe_code)]

mod access;

pub use access::{AccessRules, WebAccess, check, refuse};
