//! The checks, one file each.

pub(crate) mod clock_source;
pub(crate) mod command;
pub(crate) mod cores;
pub(crate) mod cpu_limit;
pub(crate) mod descriptors;
pub(crate) mod disk;
pub(crate) mod governor;
pub(crate) mod gpu;
pub(crate) mod hub;
pub(crate) mod memory;
mod nvidias_package;
pub(crate) mod ports;
pub(crate) mod proxy;
pub(crate) mod steal;
pub(crate) mod timer;

#[cfg(test)]
mod sample;
