//! The sandbox of Linux. Three processes take part:
//!
//! 1. The *caller* starts a copy of itself, feeds it, reads its output, and kills it at a limit (`caller.rs`).
//! 2. The *keeper* leaves the namespaces of the caller and builds the file system of the program (`keeper.rs`, `file_system.rs`). It starts
//!    the third process in a new PID namespace and reports how it ended.
//! 3. The *program* gives up its rights and becomes Python (`program.rs`, `system_calls.rs`). It is the first process of its PID namespace:
//!    when it ends, the kernel ends everything in there. It dies with the keeper, and the keeper dies with the caller.
//!
//! Copies of the calling program are used instead of `fork`, because the work between `fork` and `exec` is unsafe in a program with threads.

mod caller;
mod file_system;
mod keeper;
mod program;
mod report;
mod system_calls;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::SandboxLimits;

pub(crate) use caller::run;

/// The first argument of a process of a sandbox. The second one is its [`Order`].
const MARK: &str = "__aiperf_sandbox";

/// The working directory of a program.
const WORK_FOLDER: &str = "/task";

/// What the program writes into the pipe before it becomes Python. A step that fails after that follows.
const PREPARED: &str = "prepared\n";

/// The step that fails if the interpreter cannot be executed.
const START_OF_PYTHON: &str = "start of Python";

/// What a process of a sandbox has to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Order {
    process: SandboxProcess,
    /// An empty folder that the file system of the program is built in.
    root: PathBuf,
    /// A folder with the files of the program.
    files: PathBuf,
    /// Where the keeper writes how the program ended.
    report: PathBuf,
    /// A pipe from the program to the keeper, for a step that fails. The program may not write files.
    progress: PathBuf,
    folders: Vec<PathBuf>,
    interpreter: PathBuf,
    arguments: Vec<String>,
    limits: SandboxLimits,
    rights: Rights,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SandboxProcess {
    Keeper,
    Program,
}

/// Where the right to make namespaces comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Rights {
    /// The caller is root. The program becomes the user with this number, whom nobody else is.
    Root { user: u32 },
    /// A user namespace, in which an ordinary user has the rights of root.
    UserNamespace,
}

/// Becomes the keeper or the program if the arguments say so.
pub(crate) fn enter_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != MARK) {
        return;
    }
    let order = arguments.next().and_then(|order| serde_json::from_str::<Order>(order.to_str()?).ok());
    let code = match order {
        Some(order) => match order.process {
            SandboxProcess::Keeper => keeper::keep(order),
            SandboxProcess::Program => program::become_program(&order),
        },
        None => 1,
    };
    std::process::exit(code);
}
