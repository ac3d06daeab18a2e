//! Scripts that complete options in a shell.

use std::path::{Path, PathBuf};

use aiperf_config::Environment;
use clap::ArgMatches;
use clap_complete::Shell;

use super::CliError;
use super::command::{OUTPUT, Purpose, SHELL, program};

/// A script and where it goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) script: Vec<u8>,
    /// `None`: stdout.
    pub(crate) path: Option<PathBuf>,
}

/// `aiperf completions SHELL`
pub(super) fn print(matches: &ArgMatches) -> Result<Completion, CliError> {
    let name = matches.get_one::<String>(SHELL).map_or("", String::as_str);
    Ok(Completion { script: script(shell(name)?), path: None })
}

/// `aiperf --install-completion`
pub(super) fn install(matches: &ArgMatches, environment: &Environment) -> Result<Completion, CliError> {
    let of_environment = environment.variables.get("SHELL").and_then(|path| Path::new(path).file_name()?.to_str());
    let name = matches.get_one::<String>(SHELL).map(String::as_str).or(of_environment).unwrap_or_default();
    let shell = shell(name)?;
    let path = match matches.get_one::<String>(OUTPUT) {
        Some(path) => environment.current_dir.join(path),
        None => usual_place(shell, environment)?,
    };
    Ok(Completion { script: script(shell), path: Some(path) })
}

fn shell(name: &str) -> Result<Shell, CliError> {
    match name {
        "bash" => Ok(Shell::Bash),
        "zsh" => Ok(Shell::Zsh),
        "fish" => Ok(Shell::Fish),
        "powershell" => Ok(Shell::PowerShell),
        _ => Err(CliError::Completion(
            "the shell is not known; name it with --shell bash, zsh, fish or powershell".to_owned(),
        )),
    }
}

fn usual_place(shell: Shell, environment: &Environment) -> Result<PathBuf, CliError> {
    if shell == Shell::PowerShell {
        let why = "PowerShell looks in no folder for such scripts; write it with --output PATH and load it in your profile: . PATH";
        return Err(CliError::Completion(why.to_owned()));
    }
    let home = environment.variables.get("HOME").filter(|home| !home.is_empty()).ok_or_else(|| {
        CliError::Completion("HOME is not set; say where to write the script with --output PATH".to_owned())
    })?;
    Ok(Path::new(home).join(match shell {
        Shell::Zsh => ".zfunc/_aiperf",
        Shell::Fish => ".config/fish/completions/aiperf.fish",
        _ => ".local/share/bash-completion/completions/aiperf",
    }))
}

fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program(Purpose::Completing), "aiperf", &mut script);
    script
}
