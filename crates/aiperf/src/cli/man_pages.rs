//! `aiperf man-pages FOLDER`: the help of each command as a page for `man`.

use std::io;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, ValueHint};

use super::command::{Purpose, program};

pub(super) const NAME: &str = "man-pages";
const FOLDER: &str = "folder";

/// Pages to write.
#[derive(Debug)]
pub(crate) struct ManPages {
    pub(crate) folder: PathBuf,
}

pub(super) fn command() -> Command {
    Command::new(NAME)
        .about("Write a man page for each command into a folder")
        .after_help("Example:\n  aiperf man-pages ~/.local/share/man/man1")
        .disable_version_flag(true)
        .arg(
            Arg::new(FOLDER)
                .value_name("FOLDER")
                .value_hint(ValueHint::DirPath)
                .required(true)
                .help("Folder to write to; it is made if it is missing"),
        )
}

pub(super) fn read(matches: &ArgMatches) -> ManPages {
    ManPages { folder: matches.get_one::<String>(FOLDER).map(PathBuf::from).unwrap_or_default() }
}

impl ManPages {
    /// The folder must exist.
    pub(crate) fn write(&self) -> io::Result<()> {
        clap_mangen::generate_to(program(Purpose::Completing), &self.folder)
    }
}
