//! The small languages that option values are written in. All pure: text in, values or the reason why not out.

pub(crate) mod goodput;
pub(crate) mod header;
pub(crate) mod key_value;
pub(crate) mod length;
pub(crate) mod number;
pub(crate) mod range_ratio;
pub(crate) mod rate_series;
pub(crate) mod search_space;
pub(crate) mod sequence;
pub(crate) mod sla_filter;
pub(crate) mod slo;
pub(crate) mod until_ci;
pub(crate) mod url;
