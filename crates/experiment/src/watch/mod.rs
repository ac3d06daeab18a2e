//! Threads and checks that observe a run while it goes on, change its load, and may end it early.

pub(crate) mod early_stop;
pub(crate) mod gauges;
pub(crate) mod gpu_telemetry;
pub(crate) mod health;
pub(crate) mod live;
pub(crate) mod load_control;
pub(crate) mod monitor;
pub(crate) mod priority;
pub(crate) mod process;
pub(crate) mod round_trip;
pub(crate) mod server_metrics;
pub(crate) mod stable_windows;
pub(crate) mod threshold;
pub(crate) mod until_ci;
