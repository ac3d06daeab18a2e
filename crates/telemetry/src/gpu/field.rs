//! The fields of a GPU: their names in each source, in the files and on the console.

use std::borrow::Cow;

/// The vendor of a GPU, as files spell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Platform {
    Nvidia,
    Amd,
}

impl Platform {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nvidia => "nvidia",
            Self::Amd => "amd",
        }
    }
}

/// What the values of a field mean, which decides how they are summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// A level: the statistics are those of its values in the window.
    Gauge,
    /// Counts up since an unknown time: only its growth in the window has a meaning.
    Counter,
    /// The code of the last error, not a number of errors: only that it changes has a meaning.
    LastCode,
    /// A set of reasons for a lower clock, one per bit.
    ThrottleReasons,
}

/// One field of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuField {
    /// In files.
    pub key: Cow<'static, str>,
    /// On the console and in CSV files.
    pub title: Cow<'static, str>,
    /// Of the values in files.
    pub unit: Cow<'static, str>,
    pub kind: FieldKind,
    /// The names of the DCGM exporter, newest first; empty if it has none.
    pub dcgm: Cow<'static, [Cow<'static, str>]>,
    /// Turns a value of the DCGM exporter into the unit of the files.
    pub scale: f64,
}

/// A field by its place in a [`FieldTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(u16);

impl FieldId {
    pub const POWER: Self = Self(0);
    pub const ENERGY: Self = Self(1);
    pub const GPU_UTILIZATION: Self = Self(2);
    pub const MEMORY_UTILIZATION: Self = Self(3);
    pub const MEMORY_USED: Self = Self(4);
    pub const TEMPERATURE: Self = Self(5);
    pub const SM_UTILIZATION: Self = Self(6);
    pub const DECODER_UTILIZATION: Self = Self(7);
    pub const ENCODER_UTILIZATION: Self = Self(8);
    pub const JPEG_UTILIZATION: Self = Self(9);
    pub const XID_ERRORS: Self = Self(10);
    pub const POWER_VIOLATION: Self = Self(11);
    pub const SM_CLOCK: Self = Self(12);
    pub const MEMORY_CLOCK: Self = Self(13);
    pub const THROTTLE_REASONS: Self = Self(14);
    pub const AMD_POWER: Self = Self(15);
    pub const AMD_ENERGY: Self = Self(16);
    pub const AMD_GFX_ACTIVITY: Self = Self(17);
    pub const AMD_UMC_ACTIVITY: Self = Self(18);
    pub const AMD_MM_ACTIVITY: Self = Self(19);
    pub const AMD_MEMORY_USED: Self = Self(20);
    pub const AMD_TEMPERATURE: Self = Self(21);
    pub const AMD_ECC_UNCORRECTABLE: Self = Self(22);
    pub const AMD_THROTTLE_STATUS: Self = Self(23);
    pub const AMD_GFX_CLOCK: Self = Self(24);
    pub const AMD_MEMORY_CLOCK: Self = Self(25);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

const fn field(
    key: &'static str,
    title: &'static str,
    unit: &'static str,
    kind: FieldKind,
    dcgm: &'static [Cow<'static, str>],
    scale: f64,
) -> GpuField {
    GpuField {
        key: Cow::Borrowed(key),
        title: Cow::Borrowed(title),
        unit: Cow::Borrowed(unit),
        kind,
        dcgm: Cow::Borrowed(dcgm),
        scale,
    }
}

macro_rules! dcgm {
    ($($name:literal),*) => { &[$(Cow::Borrowed($name)),*] };
}

use FieldKind::{Counter, Gauge, LastCode, ThrottleReasons};

/// In the order of [`FieldId`], which is that of files and tables.
const FIELDS: [GpuField; 26] = [
    field("nvidia_power_usage", "NVIDIA GPU Power Usage", "W", Gauge, dcgm!["DCGM_FI_DEV_POWER_USAGE"], 1.0),
    field(
        "nvidia_energy_consumption",
        "NVIDIA Energy Consumption",
        "MJ",
        Counter,
        dcgm!["DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"],
        1e-9,
    ),
    field("nvidia_gpu_utilization", "NVIDIA GPU Utilization", "%", Gauge, dcgm!["DCGM_FI_DEV_GPU_UTIL"], 1.0),
    field(
        "nvidia_memory_utilization",
        "NVIDIA Memory Utilization",
        "%",
        Gauge,
        dcgm!["DCGM_FI_DEV_MEM_COPY_UTIL"],
        1.0,
    ),
    field("nvidia_memory_used", "NVIDIA GPU Memory Used", "GB", Gauge, dcgm!["DCGM_FI_DEV_FB_USED"], 1.048_576e-3),
    field("nvidia_temperature", "NVIDIA GPU Temperature", "°C", Gauge, dcgm!["DCGM_FI_DEV_GPU_TEMP"], 1.0),
    field("nvidia_sm_utilization", "NVIDIA SM Utilization", "%", Gauge, dcgm!["DCGM_FI_PROF_SM_ACTIVE"], 100.0),
    field("nvidia_decoder_utilization", "NVIDIA Decoder Utilization", "%", Gauge, dcgm!["DCGM_FI_DEV_DEC_UTIL"], 1.0),
    field("nvidia_encoder_utilization", "NVIDIA Encoder Utilization", "%", Gauge, dcgm!["DCGM_FI_DEV_ENC_UTIL"], 1.0),
    field("nvidia_jpg_utilization", "NVIDIA JPEG Utilization", "%", Gauge, dcgm![], 1.0),
    field("nvidia_xid_errors", "NVIDIA XID Errors", "count", LastCode, dcgm!["DCGM_FI_DEV_XID_ERRORS"], 1.0),
    field(
        "nvidia_power_violation",
        "NVIDIA Power Violation",
        "us",
        Counter,
        dcgm!["DCGM_FI_DEV_POWER_VIOLATION"],
        1e-3,
    ),
    field("nvidia_sm_clock", "NVIDIA SM Clock", "MHz", Gauge, dcgm!["DCGM_FI_DEV_SM_CLOCK"], 1.0),
    field("nvidia_memory_clock", "NVIDIA Memory Clock", "MHz", Gauge, dcgm!["DCGM_FI_DEV_MEM_CLOCK"], 1.0),
    field(
        "nvidia_throttle_reasons",
        "NVIDIA Throttle Reasons",
        "bitmask",
        ThrottleReasons,
        dcgm!["DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"],
        1.0,
    ),
    field("amd_power", "AMD GPU Power", "W", Gauge, dcgm![], 1.0),
    field("amd_energy_consumption", "AMD Energy Consumption", "MJ", Counter, dcgm![], 1.0),
    field("amd_gfx_activity", "AMD GFX Activity", "%", Gauge, dcgm![], 1.0),
    field("amd_umc_activity", "AMD UMC Activity", "%", Gauge, dcgm![], 1.0),
    field("amd_mm_activity", "AMD MM Activity", "%", Gauge, dcgm![], 1.0),
    field("amd_memory_used", "AMD GPU Memory Used", "GB", Gauge, dcgm![], 1.0),
    field("amd_temperature", "AMD GPU Temperature", "°C", Gauge, dcgm![], 1.0),
    field("amd_ecc_uncorrectable", "AMD ECC Uncorrectable Errors", "count", Counter, dcgm![], 1.0),
    field("amd_throttle_status", "AMD Throttle Status", "count", Gauge, dcgm![], 1.0),
    field("amd_gfx_clock", "AMD GFX Clock", "MHz", Gauge, dcgm![], 1.0),
    field("amd_memory_clock", "AMD Memory Clock", "MHz", Gauge, dcgm![], 1.0),
];

/// All fields of a run: those that aiperf knows, then those that the user's file adds.
#[derive(Debug, Clone)]
pub struct FieldTable {
    fields: Vec<GpuField>,
}

impl Default for FieldTable {
    fn default() -> Self {
        Self { fields: FIELDS.to_vec() }
    }
}

impl FieldTable {
    /// Adds fields of the user's file. A field that is known already keeps its key, name and scale.
    pub fn with_extra(extra: impl IntoIterator<Item = GpuField>) -> Self {
        let mut table = Self::default();
        for field in extra {
            if !field.dcgm.iter().any(|name| table.by_dcgm_name(name).is_some()) {
                table.fields.push(field);
            }
        }
        table
    }

    pub fn get(&self, id: FieldId) -> &GpuField {
        &self.fields[id.index()]
    }

    /// Whether the field comes from the user's file.
    pub fn is_extra(&self, id: FieldId) -> bool {
        id.index() >= FIELDS.len()
    }

    pub fn ids(&self) -> impl Iterator<Item = FieldId> + use<> {
        (0..self.fields.len() as u16).map(FieldId)
    }

    pub(crate) fn len(&self) -> usize {
        self.fields.len()
    }

    /// The field that a DCGM exporter calls so; `_total` may follow the name.
    pub fn by_dcgm_name(&self, name: &str) -> Option<FieldId> {
        let plain = name.strip_suffix("_total").unwrap_or(name);
        let place = self.fields.iter().position(|field| field.dcgm.iter().any(|known| known == plain))?;
        Some(FieldId(place as u16))
    }
}

/// The power gauge and the energy counter of a platform.
pub(crate) const fn power_and_energy(platform: Platform) -> (FieldId, FieldId) {
    match platform {
        Platform::Nvidia => (FieldId::POWER, FieldId::ENERGY),
        Platform::Amd => (FieldId::AMD_POWER, FieldId::AMD_ENERGY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_name_the_fields_that_they_stand_for() {
        let table = FieldTable::default();
        for (id, key) in [
            (FieldId::POWER, "nvidia_power_usage"),
            (FieldId::ENERGY, "nvidia_energy_consumption"),
            (FieldId::JPEG_UTILIZATION, "nvidia_jpg_utilization"),
            (FieldId::XID_ERRORS, "nvidia_xid_errors"),
            (FieldId::THROTTLE_REASONS, "nvidia_throttle_reasons"),
            (FieldId::AMD_POWER, "amd_power"),
            (FieldId::AMD_THROTTLE_STATUS, "amd_throttle_status"),
            (FieldId::AMD_MEMORY_CLOCK, "amd_memory_clock"),
        ] {
            assert_eq!(table.get(id).key, key);
        }
    }

    #[test]
    fn exporter_names_are_found_with_and_without_the_suffix_of_counters() {
        let table = FieldTable::default();
        assert_eq!(table.by_dcgm_name("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"), Some(FieldId::ENERGY));
        assert_eq!(table.by_dcgm_name("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION_total"), Some(FieldId::ENERGY));
        assert_eq!(table.by_dcgm_name("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS"), Some(FieldId::THROTTLE_REASONS));
        assert_eq!(table.by_dcgm_name("DCGM_FI_DEV_PCIE_REPLAY_COUNTER"), None);
    }
}
