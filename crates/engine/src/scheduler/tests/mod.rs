//! The scheduler's behaviour on a virtual clock, by topic. Times are milliseconds since the start of the run.

mod agentic_replay;
mod branches;
mod cancellation;
mod concurrency;
mod controlled;
mod early_stop;
mod fixed_schedule;
mod grace;
mod interrupts;
mod nodes;
mod orchestrators;
mod outages;
mod phases;
mod preconnect;
mod prefill;
mod properties;
mod ramps;
mod rate;
mod reserve;
mod sessions;
mod stop_conditions;
mod user_centric;
mod workers;
