//! The CSV file of further DCGM fields that `--gpu-telemetry` may name: `FIELD, gauge|counter, help text` per line.

use std::borrow::Cow;

use thiserror::Error;

use crate::gpu::field::{FieldKind, GpuField};

/// A line of the file that cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("line {line}: {problem}")]
pub struct ExtraFieldError {
    pub line: usize,
    pub problem: String,
}

/// The fields of the file, in its order. Lines that are empty or begin with `#` are skipped.
pub fn parse(text: &str) -> Result<Vec<GpuField>, ExtraFieldError> {
    let mut fields = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let field = parse_line(line).map_err(|problem| ExtraFieldError { line: index + 1, problem })?;
        fields.push(field);
    }
    Ok(fields)
}

fn parse_line(line: &str) -> Result<GpuField, String> {
    let mut parts = line.splitn(3, ',').map(|part| part.trim().trim_matches('"').trim());
    let (name, kind, help) = (parts.next().unwrap_or_default(), parts.next(), parts.next().unwrap_or_default());
    let Some(rest) = name.strip_prefix("DCGM_FI_").filter(|rest| !rest.is_empty()) else {
        return Err(format!("{name:?} is not a DCGM field; its name must begin with DCGM_FI_"));
    };
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return Err(format!("{name:?} is not a DCGM field; a name has letters, digits and _ only"));
    }
    let kind = match kind.map(str::to_ascii_lowercase).as_deref() {
        Some("gauge") => FieldKind::Gauge,
        Some("counter") => FieldKind::Counter,
        Some(other) => return Err(format!("the type of {name} is {other:?}; it must be gauge or counter")),
        None => return Err(format!("{name} has no type; write {name}, gauge, DESCRIPTION")),
    };
    let plain = rest.strip_prefix("DEV_").or_else(|| rest.strip_prefix("PROF_")).unwrap_or(rest);
    let title = help.split('(').next().unwrap_or_default().trim().trim_end_matches('.');
    let title = if title.is_empty() { plain } else { title };
    Ok(GpuField {
        key: Cow::Owned(format!("nvidia_{}", plain.to_ascii_lowercase())),
        title: Cow::Owned(title.to_owned()),
        unit: Cow::Borrowed(unit(help)),
        kind,
        dcgm: Cow::Owned(vec![Cow::Owned(name.to_owned())]),
        scale: 1.0,
    })
}

/// The unit that a help text names in parentheses, such as `(in MHz)`.
fn unit(help: &str) -> &'static str {
    let inside = help.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside);
    let named = inside.trim().strip_prefix("in ").unwrap_or(inside).trim();
    let known = [
        ("mhz", "MHz"),
        ("w", "W"),
        ("watts", "W"),
        ("c", "°C"),
        ("celsius", "°C"),
        ("%", "%"),
        ("percent", "%"),
        ("mj", "mJ"),
        ("mib", "MiB"),
        ("mb", "MB"),
        ("gb", "GB"),
        ("kb", "KB"),
        ("bytes", "B"),
        ("us", "us"),
        ("ns", "ns"),
        ("ms", "ms"),
        ("seconds", "s"),
    ];
    let name = named.to_ascii_lowercase();
    known.iter().find(|(spelling, _)| *spelling == name).map_or("count", |(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::gpu::field::FieldTable;

    #[test]
    fn a_file_gives_keys_names_units_and_kinds() {
        let file = "# extra\n\nDCGM_FI_DEV_MEMORY_TEMP, gauge, Memory temperature (in C).\n\
                    DCGM_FI_DEV_PCIE_REPLAY_COUNTER, counter, Total number of PCIe retries.\n\
                    DCGM_FI_PROF_DRAM_ACTIVE, gauge, Ratio of cycles the device memory was active\n";
        let fields = parse(file).unwrap();
        let shown: Vec<_> = fields.iter().map(|f| (&*f.key, &*f.title, &*f.unit, f.kind)).collect();
        assert_eq!(
            shown,
            [
                ("nvidia_memory_temp", "Memory temperature", "°C", FieldKind::Gauge),
                ("nvidia_pcie_replay_counter", "Total number of PCIe retries", "count", FieldKind::Counter),
                ("nvidia_dram_active", "Ratio of cycles the device memory was active", "count", FieldKind::Gauge),
            ]
        );
    }

    #[test]
    fn a_field_that_is_known_already_is_not_there_twice() {
        let fields = parse("DCGM_FI_DEV_GPU_TEMP, gauge, GPU temperature (in C).\n").unwrap();
        assert_eq!(FieldTable::with_extra(fields).len(), FieldTable::default().len());
    }

    #[test]
    fn a_bad_line_is_named_with_its_number() {
        let error = parse("# a\nGPU_TEMP, gauge, x\n").unwrap_err().to_string();
        assert!(error.starts_with("line 2: ") && error.contains("DCGM_FI_"), "{error}");
        assert!(parse("DCGM_FI_DEV_X, label, x").unwrap_err().to_string().contains("gauge or counter"));
        assert!(parse("DCGM_FI_DEV_X").unwrap_err().to_string().contains("has no type"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
            let _ = parse(&text);
        }
    }
}
