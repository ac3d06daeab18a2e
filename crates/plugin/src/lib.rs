//! Plugins of the user's. A pack is a YAML file with entries in categories that have AIPerf's names. Most entries are declarations:
//! endpoint types, public data sets, plot presets, search recipes, graders, sets of limits. The others name a process, which speaks
//! JSON Lines over stdin and stdout.
//!
//! Nothing of a pack runs on the threads that send or measure. A broken pack or process is one warning, and never a lost run.
#![forbid(unsafe_code)]

mod category;
mod pack;
mod pack_grader;
mod pack_set;
mod process;
mod starter;
mod validate;

pub use category::{BuiltInEntry, CATEGORIES, Category};
pub use pack::{EntryContent, Pack, PackEntry, RegexGrader, SCHEMA_FILE, pack_categories, schema};
pub use pack_set::{PackSet, PluginFolderError, user_folder};
pub use process::{
    CollectorServer, ExportedRun, Hello, PROTOCOL, PluginClient, PluginError, PluginGrade, ProcessGrader,
    ProcessLoaders, ProcessPlanner, StreamExporter, export,
};
pub use starter::{StarterFile, starter};
pub use validate::{EntryCheck, validate};
