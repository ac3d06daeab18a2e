//! How a program in a sandbox ended.

/// Why a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself with this exit code.
    Exited(i32),
    /// A signal ended it; SIGKILL (9) also at the limit of CPU time.
    Killed(i32),
    /// It ran longer than the limit.
    OutOfTime,
    /// It wrote more than the limit.
    TooMuchOutput,
}

/// What is left of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub ending: Ending,
    /// What it wrote, up to the limit.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl Finished {
    /// The program ended by itself and reported success.
    pub fn succeeded(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}
