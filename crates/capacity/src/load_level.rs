//! A load that can be applied to a server.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadLevel {
    /// Requests per second, with Poisson arrivals.
    Rate(f64),
    /// Requests in flight.
    Concurrency(u32),
}

impl LoadLevel {
    /// Requests per second, or the number of users.
    pub fn value(self) -> f64 {
        match self {
            Self::Rate(requests_per_s) => requests_per_s,
            Self::Concurrency(users) => f64::from(users),
        }
    }
}

impl std::fmt::Display for LoadLevel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rate(requests_per_s) => write!(out, "{} requests/s", three_digits(*requests_per_s)),
            Self::Concurrency(1) => write!(out, "1 user"),
            Self::Concurrency(users) => write!(out, "{users} users"),
        }
    }
}

/// A number for people: three significant digits, but no fewer than its whole part.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (2 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}
