//! The phases of a run, in the order in which they begin.

use std::slice;

use crate::{PhaseConfig, PhaseKind};

/// At least one phase, of which at least one profiling phase counts in the results.
#[derive(Debug, Clone)]
pub struct Phases {
    list: Vec<PhaseConfig>,
    main: usize,
}

impl Phases {
    /// `None` if no profiling phase counts in the results.
    pub fn new(list: Vec<PhaseConfig>) -> Option<Self> {
        let main = list.iter().position(PhaseConfig::is_measured)?;
        Some(Self { list, main })
    }

    /// One profiling phase, with or without a warmup before it.
    pub fn of(warmup: Option<PhaseConfig>, profiling: PhaseConfig) -> Self {
        let list: Vec<PhaseConfig> = warmup.into_iter().chain([profiling]).collect();
        Self { main: list.len() - 1, list }
    }

    /// The first profiling phase that counts: the one that names the run, and the only one unless a file says otherwise.
    pub fn profiling(&self) -> &PhaseConfig {
        &self.list[self.main]
    }

    /// Changes that phase. It must stay a profiling phase that counts.
    pub fn profiling_mut(&mut self) -> &mut PhaseConfig {
        &mut self.list[self.main]
    }

    pub fn warmups(&self) -> impl Iterator<Item = &PhaseConfig> {
        self.list.iter().filter(|phase| phase.kind == PhaseKind::Warmup)
    }

    /// Profiling phases that count in the results.
    pub fn measured(&self) -> impl Iterator<Item = &PhaseConfig> {
        self.list.iter().filter(|phase| phase.is_measured())
    }

    pub fn iter(&self) -> slice::Iter<'_, PhaseConfig> {
        self.list.iter()
    }

    pub fn has_warmup(&self) -> bool {
        self.warmups().next().is_some()
    }

    /// Leaves out all warmups. What is now the first phase has nothing before it to follow without a pause.
    pub fn remove_warmups(&mut self) {
        self.list.retain(|phase| phase.kind != PhaseKind::Warmup);
        if let Some(first) = self.list.first_mut() {
            first.seamless = false;
        }
        self.main = self.list.iter().position(PhaseConfig::is_measured).unwrap_or_default();
    }
}

impl<'a> IntoIterator for &'a Phases {
    type Item = &'a PhaseConfig;
    type IntoIter = slice::Iter<'a, PhaseConfig>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
