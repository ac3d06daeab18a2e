//! GPU telemetry: where the state of GPUs comes from, and what a GPU costs.

use std::path::{Path, PathBuf};

use aiperf_address::{Address, Scheme};
use aiperf_config::{Environment, GpuCost, GpuTelemetry, GpuTelemetrySource};

use crate::catalogue::{OptionId, OptionSpec, Tokens, ValueKind};
use crate::{ConfigError, RawOptions};

pub(crate) const GPU_TELEMETRY: &[OptionSpec] = &[
    OptionSpec::new(
        OptionId::GpuTelemetry,
        &["gpu-telemetry"],
        ValueKind::Text,
        "Sources of GPU telemetry: `pynvml` (or `nvml`) or `amdsmi` for the GPUs of this machine, or URLs of DCGM exporters such as \
         `node1:9400`, or `http://SERVER/energy_metrics` of TensorRT-LLM. A CSV file adds DCGM fields; `dashboard` shows GPU power and \
         utilization in the progress line.",
    )
    .several(Tokens::Any)
    .default("DCGM on ports 9400 and 9401, else NVML or AMD SMI, if the server runs on this machine")
    .supported(),
    OptionSpec::new(OptionId::NoGpuTelemetry, &["no-gpu-telemetry"], ValueKind::Flag, "Do not collect GPU telemetry.")
        .supported(),
    OptionSpec::new(
        OptionId::CostPerGpuHour,
        &["cost-per-gpu-hour"],
        ValueKind::Float,
        "Price of one GPU for one hour, in any currency. Adds the cost per million output tokens and per 1,000 requests.",
    )
    .above(0.0)
    .ours()
    .supported(),
    OptionSpec::new(
        OptionId::Gpus,
        &["gpus"],
        ValueKind::Int,
        "Number of GPUs that serve the model, for `--cost-per-gpu-hour`.",
    )
    .at_least(1.0)
    .default("the GPUs that telemetry sees")
    .ours()
    .supported(),
];

/// What an item of `--gpu-telemetry` is.
#[derive(Debug, PartialEq)]
enum Item {
    Nvml,
    AmdSmi,
    Dashboard,
    Page(Address),
    ExtraFields(PathBuf),
}

/// `None` if telemetry is switched off.
pub(super) fn resolve(
    raw: &RawOptions,
    environment: &Environment,
    warnings: &mut Vec<String>,
) -> Result<Option<GpuTelemetry>, ConfigError> {
    let (on, off) = (OptionId::GpuTelemetry, OptionId::NoGpuTelemetry);
    let is_off = raw.flag(off)?;
    if is_off && raw.is_given(on) {
        return Err(raw.conflict(on, off, "telemetry is either collected or not"));
    }
    if is_off {
        return Ok(None);
    }
    let mut telemetry = GpuTelemetry { asked_for: raw.is_given(on), ..GpuTelemetry::automatic() };
    let mut local: Option<(&str, GpuTelemetrySource)> = None;
    let mut pages = Vec::new();
    for text in raw.list(on) {
        match item(text, &environment.current_dir).map_err(|expected| raw.bad(on, text, &expected))? {
            Item::Dashboard => telemetry.live = true,
            Item::Page(address) => pages.push(address),
            Item::ExtraFields(path) => telemetry.extra_fields = Some(path),
            library @ (Item::Nvml | Item::AmdSmi) => {
                let source = if library == Item::Nvml { GpuTelemetrySource::Nvml } else { GpuTelemetrySource::AmdSmi };
                if let Some((first, other)) = &local
                    && *other != source
                {
                    return Err(raw.bad(on, text, &format!("{first} is given too; choose one library")));
                }
                local = Some((text, source));
            }
        }
    }
    pages.dedup();
    match (local, pages.is_empty()) {
        (Some((library, _)), false) => {
            return Err(raw.bad(on, library, "a library of this machine cannot be combined with URLs"));
        }
        (Some((_, source)), true) => telemetry.source = source,
        (None, false) => telemetry.source = GpuTelemetrySource::Pages(pages),
        (None, true) => {}
    }
    if telemetry.extra_fields.is_some()
        && matches!(telemetry.source, GpuTelemetrySource::Nvml | GpuTelemetrySource::AmdSmi)
    {
        warnings.push(format!(
            "{}: the file of further fields has no effect, because only DCGM exporters have them",
            raw.spelling(on)
        ));
    }
    Ok(Some(telemetry))
}

fn item(text: &str, current_dir: &Path) -> Result<Item, String> {
    match text.to_ascii_lowercase().as_str() {
        "pynvml" | "nvml" => return Ok(Item::Nvml),
        "amdsmi" => return Ok(Item::AmdSmi),
        "dashboard" => return Ok(Item::Dashboard),
        lower if Path::new(lower).extension().is_some_and(|end| end == "csv") => {
            let path = current_dir.join(text);
            return if path.is_file() { Ok(Item::ExtraFields(path)) } else { Err("there is no such file".to_owned()) };
        }
        _ => {}
    }
    if !text.contains(':') {
        return Err("must be pynvml, amdsmi, dashboard, a *.csv file, or a URL such as node1:9400".to_owned());
    }
    page_address(text).map(Item::Page)
}

/// The address of a page; `/metrics` is added unless the address names a page.
pub(crate) fn page_address(text: &str) -> Result<Address, String> {
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) || text.contains('?') && !text.contains("://") {
        return Err("must be a URL such as http://node1:9400/metrics".to_owned());
    }
    let address = Address::parse(text, Scheme::Http).map_err(|error| error.to_string())?;
    if !matches!(address.scheme(), Scheme::Http | Scheme::Https) {
        return Err("must be an http:// or https:// URL".to_owned());
    }
    if address.credentials().is_some() {
        return Err("must not contain a user name or password".to_owned());
    }
    let (url, query) = address.as_str().split_once('?').unwrap_or((address.as_str(), ""));
    let names_page = ["/metrics", "/energy_metrics"].iter().any(|page| url.ends_with(page));
    if names_page || !query.is_empty() {
        return Ok(address);
    }
    let page = format!("{}/metrics", url.trim_end_matches('/'));
    Address::parse(&page, Scheme::Http).map_err(|error| error.to_string())
}

/// The price of GPUs, if there is one.
pub(super) fn cost(raw: &RawOptions, telemetry: Option<&GpuTelemetry>) -> Result<Option<GpuCost>, ConfigError> {
    let (price, count) = (OptionId::CostPerGpuHour, OptionId::Gpus);
    let Some(per_gpu_hour) = raw.float(price)? else {
        return if raw.is_given(count) {
            Err(raw.needs(count, price, "without a price there is no cost to report"))
        } else {
            Ok(None)
        };
    };
    let gpus = raw.int(count)?;
    if gpus.is_none() && telemetry.is_none() {
        return Err(raw.needs(price, count, "without telemetry the number of GPUs is unknown"));
    }
    Ok(Some(GpuCost { per_gpu_hour, gpus }))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn page(text: &str) -> String {
        page_address(text).unwrap().as_str().to_owned()
    }

    #[test]
    fn a_page_is_added_where_none_is_named() {
        assert_eq!(page("node1:9400"), "http://node1:9400/metrics");
        assert_eq!(page("http://node1:9400/"), "http://node1:9400/metrics");
        assert_eq!(page("https://node1/dcgm/metrics"), "https://node1/dcgm/metrics");
        assert_eq!(page("trt:8000/energy_metrics"), "http://trt:8000/energy_metrics");
        assert!(page_address("unix:/tmp/x").is_err() && page_address("a b:1").is_err());
    }

    #[test]
    fn items_are_told_apart() {
        let folder = std::env::temp_dir();
        let file = folder.join("aiperf-gpu-items.csv");
        fs::write(&file, "").unwrap();
        let item = |text: &str| item(text, &folder);
        assert_eq!(item("pynvml"), Ok(Item::Nvml));
        assert_eq!(item("NVML"), Ok(Item::Nvml));
        assert_eq!(item("amdsmi"), Ok(Item::AmdSmi));
        assert_eq!(item("dashboard"), Ok(Item::Dashboard));
        assert_eq!(item("aiperf-gpu-items.csv"), Ok(Item::ExtraFields(file.clone())));
        assert!(matches!(item("localhost:9400"), Ok(Item::Page(_))));
        assert!(item("missing.csv").unwrap_err().contains("no such file"));
        assert!(item("rocm").unwrap_err().contains("amdsmi"));
        fs::remove_file(file).unwrap();
    }
}
