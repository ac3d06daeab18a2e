//! What is run in a sandbox.

/// A Python program with its input.
#[derive(Clone, Copy, Debug)]
pub struct SandboxProgram<'p> {
    /// Names and contents of files. They are in the working directory, which is read-only.
    pub files: &'p [(&'p str, &'p [u8])],
    /// The file to run and its arguments.
    pub arguments: &'p [&'p str],
    pub stdin: &'p [u8],
}
