//! Data set loaders: a program writes rows of one of the formats of `--input-file`, and these are read like any other file. The
//! rows are stored in a file first, so that a data set never is only in the memory of a program.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use aiperf_config::{DataLoaders, FileFormat, LoadedRows, ProcessCommand};
use serde_json::{Value, json};

use super::client::PluginClient;
use super::error::PluginError;

const CATEGORY: &str = "custom_dataset_loader";
/// The format of rows if the handshake names none.
const USUAL_FORMAT: &str = "multi_turn";

/// All loaders of the packs.
#[derive(Debug)]
pub struct ProcessLoaders {
    loaders: Vec<(String, ProcessCommand)>,
    /// Where rows are stored.
    folder: PathBuf,
    /// What was loaded: options are resolved several times in one command.
    loaded: Mutex<HashMap<(String, Option<String>), LoadedRows>>,
}

impl ProcessLoaders {
    pub fn new(loaders: Vec<(String, ProcessCommand)>, folder: PathBuf) -> Self {
        Self { loaders, folder, loaded: Mutex::default() }
    }
}

impl DataLoaders for ProcessLoaders {
    fn names(&self) -> Vec<String> {
        self.loaders.iter().map(|(name, _)| name.clone()).collect()
    }

    fn load(&self, name: &str, input: Option<&str>) -> Result<LoadedRows, String> {
        let key = (name.to_owned(), input.map(str::to_owned));
        let mut loaded = self.loaded.lock().map_err(|error| error.to_string())?;
        if let Some(rows) = loaded.get(&key) {
            return Ok(rows.clone());
        }
        let Some((_, command)) = self.loaders.iter().find(|(known, _)| known == name) else {
            return Err("no such loader".to_owned());
        };
        let rows =
            load(name, command, input, &self.folder).map_err(|error| format!("plugin {CATEGORY}:{name}: {error}"))?;
        loaded.insert(key, rows.clone());
        Ok(rows)
    }
}

fn load(name: &str, command: &ProcessCommand, input: Option<&str>, folder: &Path) -> Result<LoadedRows, PluginError> {
    let mut left = command.restarts;
    loop {
        match load_once(name, command, input, folder) {
            Err(error) if error.is_worth_a_restart() && left > 0 => {
                left -= 1;
                log::info!("plugin {CATEGORY}:{name}: {error}; starting it again");
            }
            result => return result,
        }
    }
}

fn load_once(
    name: &str,
    command: &ProcessCommand,
    input: Option<&str>,
    folder: &Path,
) -> Result<LoadedRows, PluginError> {
    let mut client = PluginClient::start(CATEGORY, name, command)?;
    let format = client.hello.get("format").and_then(Value::as_str).unwrap_or(USUAL_FORMAT);
    let format = FileFormat::named(format)
        .ok_or_else(|| PluginError::Files(format!("its format {format:?} is not one of --custom-dataset-type")))?;
    let input =
        input.map(|path| std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string()));
    client.send(&json!({"type": "load", "input": input}))?;
    let failed = |error: std::io::Error| {
        PluginError::Files(format!("its rows cannot be stored in {}: {error}", folder.display()))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let path = folder.join(format!("{name}-{}.jsonl", std::process::id()));
    let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
    let mut count = 0;
    loop {
        let message = client.receive()?;
        match message["type"].as_str() {
            Some("row") if message["row"].is_object() => {
                writeln!(file, "{}", message["row"]).map_err(failed)?;
                count += 1;
            }
            Some("done") => break,
            _ => {
                return Err(PluginError::Unexpected {
                    got: message.to_string().chars().take(120).collect(),
                    wanted: "row or done",
                });
            }
        }
    }
    file.flush().map_err(failed)?;
    if count == 0 {
        return Err(PluginError::Files("it gave no rows".to_owned()));
    }
    log::info!("plugin {CATEGORY}:{name}: {count} rows");
    Ok(LoadedRows { path, format })
}

impl Drop for ProcessLoaders {
    /// The rows are part of the run's inputs by now.
    fn drop(&mut self) {
        if let Ok(loaded) = self.loaded.lock() {
            for rows in loaded.values() {
                let _ = fs::remove_file(&rows.path);
            }
        }
    }
}
