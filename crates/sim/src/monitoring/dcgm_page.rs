//! A page like that of a DCGM exporter, with the fields of its stock list that a client reads.

use crate::monitoring::exposition::{ExpositionPage, MetricKind};
use crate::server::state::SimState;

const MODEL: &str = "NVIDIA H200";
const DRIVER: &str = "580.95.05";
const MEMORY_MIB: f64 = 143_771.0;
/// What a model takes of the memory before its first request, and what the KV cache takes when it is full.
const MODEL_SHARE: f64 = 0.3;
const CACHE_SHARE: f64 = 0.6;

/// One field of every GPU.
struct DcgmField {
    name: &'static str,
    kind: MetricKind,
    help: &'static str,
    value: f64,
    /// Digits after the decimal point.
    digits: usize,
}

/// The page of the latest refresh.
pub(crate) fn dcgm_page(state: &SimState) -> String {
    let gpus = &state.options.gpus;
    let reading = state.load.gpu_reading();
    let (watts, busy) = (gpus.watts(reading.load.running), gpus.utilization(reading.load.running));
    let kv_usage = reading.load.kv_blocks as f64 / f64::from(state.options.kv_blocks);
    let used = (MEMORY_MIB * (MODEL_SHARE + CACHE_SHARE * kv_usage)).round();
    let percent = (busy * 100.0).round();
    let clock = if reading.load.running > 0 { 1_980.0 } else { 345.0 };
    let temperature = (30.0 + watts / 20.0).round();
    let gauge = |name, help, value, digits| DcgmField { name, kind: MetricKind::Gauge, help, value, digits };
    let counter = |name, help, value| DcgmField { name, kind: MetricKind::Counter, help, value, digits: 0 };
    let fields = [
        gauge("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", clock, 0),
        gauge("DCGM_FI_DEV_MEM_CLOCK", "Memory clock frequency (in MHz).", 3_201.0, 0),
        gauge("DCGM_FI_DEV_MEMORY_TEMP", "Memory temperature (in C).", temperature + 5.0, 0),
        gauge("DCGM_FI_DEV_GPU_TEMP", "GPU temperature (in C).", temperature, 0),
        gauge("DCGM_FI_DEV_POWER_USAGE", "Power draw (in W).", watts, 6),
        counter(
            "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
            "Total energy consumption since boot (in mJ).",
            (reading.joules * 1e3).floor(),
        ),
        counter("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "Total number of PCIe retries.", 0.0),
        gauge("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", percent, 0),
        gauge("DCGM_FI_DEV_MEM_COPY_UTIL", "Memory utilization (in %).", (percent / 2.0).round(), 0),
        gauge("DCGM_FI_DEV_ENC_UTIL", "Encoder utilization (in %).", 0.0, 0),
        gauge("DCGM_FI_DEV_DEC_UTIL", "Decoder utilization (in %).", 0.0, 0),
        gauge("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", 0.0, 0),
        gauge("DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).", MEMORY_MIB - used, 0),
        gauge("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", used, 0),
        gauge("DCGM_FI_PROF_GR_ENGINE_ACTIVE", "Ratio of time the graphics engine is active.", busy, 6),
        gauge("DCGM_FI_PROF_DRAM_ACTIVE", "Ratio of cycles the memory interface is active.", busy / 2.0, 6),
    ];
    let mut page = ExpositionPage::default();
    for field in fields {
        page.family(field.name, field.kind, field.help);
        for gpu in 0..gpus.count {
            let index = gpu.to_string();
            let (uuid, bus) =
                (format!("GPU-51a00000-0000-4000-8000-{gpu:012x}"), format!("00000000:{:02X}:00.0", gpu + 1));
            let device = format!("nvidia{gpu}");
            let labels = [
                ("gpu", index.as_str()),
                ("UUID", &uuid),
                ("pci_bus_id", &bus),
                ("device", &device),
                ("modelName", MODEL),
                ("Hostname", "sim"),
                ("DCGM_FI_DRIVER_VERSION", DRIVER),
            ];
            page.sample(field.name, &labels, format_args!("{:.*}", field.digits, field.value));
        }
    }
    page.into_text()
}
