//! Reasons for which a GPU runs below the clock that the work asks for.

use aiperf_clock::{Mono, Nanos};

use crate::gpu::series::FieldSeries;

/// One reason: its bit in NVML and DCGM, its name in files and on the console.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThrottleReason {
    bit: u64,
    pub key: &'static str,
    pub title: &'static str,
}

/// All reasons that slow a GPU down. Idle clocks and clocks that the user set are none of them.
pub const REASONS: [ThrottleReason; 7] = [
    reason(0x4, "nvidia_throttle_sw_power_cap", "NVIDIA Throttled: Power Cap"),
    reason(0x8, "nvidia_throttle_hw_slowdown", "NVIDIA Throttled: Hardware Slowdown"),
    reason(0x10, "nvidia_throttle_sync_boost", "NVIDIA Throttled: Sync Boost"),
    reason(0x20, "nvidia_throttle_sw_thermal", "NVIDIA Throttled: Software Thermal"),
    reason(0x40, "nvidia_throttle_hw_thermal", "NVIDIA Throttled: Hardware Thermal"),
    reason(0x80, "nvidia_throttle_hw_power_brake", "NVIDIA Throttled: Power Brake"),
    reason(0x100, "nvidia_throttle_display_clocks", "NVIDIA Throttled: Display Clocks"),
];

const fn reason(bit: u64, key: &'static str, title: &'static str) -> ThrottleReason {
    ThrottleReason { bit, key, title }
}

/// The share of the window, in percent, in which each reason was active; a reading holds until the next one. `None` without a
/// reading.
pub fn shares(series: FieldSeries<'_>, start: Mono, end: Mono) -> Option<Vec<(ThrottleReason, f64)>> {
    let mut active = [0_u64; REASONS.len()];
    let mut covered = 0_u64;
    let mut hold = |from: Mono, until: Mono, mask: f64| {
        let length: Nanos = until.min(end).since(from.max(start));
        covered += length.0;
        for (sum, reason) in active.iter_mut().zip(REASONS) {
            if mask as u64 & reason.bit != 0 {
                *sum += length.0;
            }
        }
    };
    let mut before: Option<(Mono, f64)> = None;
    for (at, mask) in series.points() {
        if let Some((from, held)) = before {
            hold(from, at, held);
        }
        before = Some((at, mask));
    }
    let (from, held) = before?;
    hold(from, end.max(from), held);
    (covered > 0).then(|| {
        let share = |sum: u64| 100.0 * sum as f64 / covered as f64;
        REASONS.into_iter().zip(active).map(|(reason, sum)| (reason, share(sum))).collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::gpu::field::{FieldId, FieldTable, Platform};
    use crate::gpu::reading::{GpuIdentity, GpuReading};
    use crate::gpu::series::GpuSeries;

    #[test]
    fn shares_are_weighted_by_time_and_end_with_the_window() {
        let gpu = Arc::new(GpuIdentity::new(Platform::Nvidia, 0, "GPU-a", "H200"));
        let mut series = GpuSeries::new(Arc::clone(&gpu), &FieldTable::default());
        for (at, mask) in [(0_u64, 1.0), (40, 4.0), (80, 1.0), (200, 64.0)] {
            let values = vec![(FieldId::THROTTLE_REASONS, mask)];
            series.push(&GpuReading { gpu: Arc::clone(&gpu), at: Mono::from_nanos(at), values });
        }
        let window = (Mono::from_nanos(60), Mono::from_nanos(160));
        let shares = shares(series.field(FieldId::THROTTLE_REASONS), window.0, window.1).unwrap();
        let active: Vec<_> = shares.iter().filter(|(_, share)| *share > 0.0).collect();
        assert_eq!(active.len(), 1);
        assert_eq!((active[0].0.key, active[0].1), ("nvidia_throttle_sw_power_cap", 20.0));
    }
}
