//! A curve seen from afar: for how long its value lay in each of many narrow bins. Enough to tell its mean and its ends, and in which bins
//! its percentiles lie.

use super::{CompensatedSum, SHOWN, WhichTime};

/// Sign, exponent and the first bits of the fraction: bins are 1/64 to 1/128 of their values wide.
const KEY_BITS: u32 = 18;

#[derive(Debug, Clone)]
pub(crate) struct HistogramPass {
    bins: Vec<u64>,
    weighted: CompensatedSum,
    held: u64,
    min: f64,
    /// The lowest value above 0.
    min_above: f64,
    max: f64,
}

/// A percentile that is known to lie in a bin.
#[derive(Debug, Clone, Copy)]
pub(super) struct PercentileBin {
    pub(super) bin: usize,
    /// For how long the value lay in lower bins.
    pub(super) below: u64,
    /// How long it must have lain at or below the percentile.
    pub(super) wanted: f64,
}

impl HistogramPass {
    pub(super) fn new() -> Self {
        let (min, min_above, max) = (f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY);
        Self { bins: vec![0; 1 << KEY_BITS], weighted: CompensatedSum::default(), held: 0, min, min_above, max }
    }

    pub(super) fn hold(&mut self, value: f64, nanos: u64) {
        self.bins[bin(value)] += nanos;
        self.weighted.add(value * nanos as f64);
        self.held += nanos;
        self.min = self.min.min(value);
        if value > 0.0 {
            self.min_above = self.min_above.min(value);
        }
        self.max = self.max.max(value);
    }

    /// Time in all, and without that in which nothing could add to the curve.
    pub(super) fn time(&self, which: WhichTime, idle: u64) -> u64 {
        match which {
            WhichTime::All => self.held,
            WhichTime::Active => self.held - idle.min(self.held),
        }
    }

    pub(super) fn mean(&self, which: WhichTime, idle: u64) -> f64 {
        // What idle time adds to the sum is nothing.
        self.weighted.value() / self.time(which, idle).max(1) as f64
    }

    pub(super) fn max(&self) -> f64 {
        self.max
    }

    pub(super) fn min(&self, which: WhichTime, idle: u64) -> f64 {
        let was_at_zero = self.bins[bin(0.0)] > idle;
        if which == WhichTime::All || self.min < 0.0 || was_at_zero || self.min_above.is_infinite() {
            self.min
        } else {
            self.min_above
        }
    }

    /// Where each of the shown percentiles lies.
    pub(super) fn percentile_bins(&self, which: WhichTime, idle: u64) -> Vec<PercentileBin> {
        let time = self.time(which, idle).max(1) as f64;
        let idle = if which == WhichTime::Active { idle } else { 0 };
        let zero = bin(0.0);
        let mut percentile_bins = Vec::new();
        let mut next = SHOWN.iter().peekable();
        let (mut below, mut last) = (0, zero);
        for (bin, held) in self.bins.iter().enumerate().filter(|(_, held)| **held > 0) {
            let held = if bin == zero { held - idle.min(*held) } else { *held };
            let wanted = |p: &crate::Percentile| p.percent() / 100.0 * time;
            while let Some(percentile) = next.next_if(|p| (below + held) as f64 >= wanted(p)) {
                percentile_bins.push(PercentileBin { bin, below, wanted: wanted(percentile) });
            }
            below += held;
            last = bin;
        }
        percentile_bins.extend(next.map(|_| PercentileBin { bin: last, below: 0, wanted: f64::INFINITY }));
        percentile_bins
    }
}

/// Bins are numbered in the order of their values.
pub(super) fn bin(value: f64) -> usize {
    let bits = value.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    (ordered >> (u64::BITS - KEY_BITS)) as usize
}
