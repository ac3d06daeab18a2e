//! The dashboard: a run on the whole terminal while it goes on. It runs on a thread of its own and reads snapshots of the live
//! model, so that it never makes the run wait. The terminal is as it was when the dashboard has ended, however it ends.
#![forbid(unsafe_code)]

mod canvas;
mod chart;
mod frame;
mod keys;
mod numbers;
mod pages;
mod panels;
#[cfg_attr(not(unix), path = "no_terminal.rs")]
mod terminal;
mod theme;
mod thread;
mod view_state;

pub use terminal::{is_on_screen, restore};
pub use theme::Theme;
pub use thread::{Dashboard, DashboardHooks};
