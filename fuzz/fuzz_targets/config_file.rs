//! Configuration files of `aiperf profile -f`: YAML, environment references, templates, sweeps, all fields, and the file
//! that a run leaves.
#![no_main]

use std::sync::LazyLock;

use aiperf_config::Environment;
use aiperf_config_file::{ConfigFile, write, yaml_value};
use aiperf_options::RawOptions;

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| Environment {
    variables: [("NAME", "value"), ("N", "5")].map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
    ..Environment::default()
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(text) = ConfigFile::text(data.to_vec()) else { return };
    if let Ok(value) = yaml_value(&text) {
        // What is written is read as the same.
        assert_eq!(yaml_value(&write(&value)).expect("it was just written"), value);
    }
    let Ok(file) = ConfigFile::parse("run.yaml", &text, &ENVIRONMENT.variables) else { return };
    if file.variations().is_ok_and(|runs| runs.len() > 64) {
        return;
    }
    let typed = RawOptions::new();
    if file.experiment(&typed, &ENVIRONMENT).is_ok() {
        let again = write(&file.resolved(&typed).expect("it was just read"));
        let _ = ConfigFile::parse("again.yaml", &again, &ENVIRONMENT.variables);
    }
});
