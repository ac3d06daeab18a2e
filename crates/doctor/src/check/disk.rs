//! The folder that artifacts are written to: room, and the time of a safe write.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use aiperf_clock::Mono;

use crate::finding::{Check, Finding};
use crate::text::gibibytes;

const LITTLE: u64 = 1 << 30;
const SAMPLE_BYTES: usize = 1 << 20;
const SLOW_MS: f64 = 500.0;

pub(crate) fn check(artifacts: &Path) -> Finding {
    let folder = existing(artifacts);
    let written = write_sample(&folder);
    let free = free_bytes(&folder);
    let shown = artifacts.display().to_string();
    match (written, free) {
        (Err(error), _) => {
            let seen = format!("{shown}: cannot be written: {error}");
            Finding::problem(
                Check::Disk,
                seen,
                "The results of a run would be lost. Choose another folder with --artifact-dir.",
            )
        }
        (Ok(millis), free) => judge(&shown, millis, free),
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|room| room.f_bavail.saturating_mul(room.f_frsize))
}

/// The standard library does not tell.
#[cfg(not(unix))]
const fn free_bytes(_folder: &Path) -> Option<u64> {
    None
}

/// The folder itself, or the nearest one above it: a run makes what is missing.
fn existing(folder: &Path) -> PathBuf {
    let found = folder.ancestors().find(|ancestor| ancestor.is_dir());
    found.filter(|ancestor| !ancestor.as_os_str().is_empty()).map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// Milliseconds until a mebibyte is safe on the disk.
fn write_sample(folder: &Path) -> io::Result<f64> {
    let path = folder.join(format!(".aiperf-doctor-{}", std::process::id()));
    let begin = Mono::now();
    let result = File::create_new(&path).and_then(|mut file| {
        file.write_all(&vec![0x5a; SAMPLE_BYTES])?;
        file.sync_all()
    });
    let millis = Mono::now().since(begin).as_secs_f64() * 1e3;
    // The file is gone already if it could not be made.
    fs::remove_file(&path).or_else(|error| if result.is_err() { Ok(()) } else { Err(error) })?;
    result.map(|()| millis)
}

fn judge(shown: &str, millis: f64, free: Option<u64>) -> Finding {
    let room = free.map_or_else(String::new, |free| format!("{} free, ", gibibytes(free)));
    let seen = format!("{shown}: {room}1 MiB is safe after {millis:.0} ms");
    if free.is_some_and(|free| free < LITTLE) {
        let meaning =
            "A million records take about 1 GiB. A full disk ends a run early, with what was written until then.";
        return Finding::note(Check::Disk, seen, meaning);
    }
    if millis > SLOW_MS {
        let meaning =
            "Records wait in memory for this disk. It does not change the times, but the end of a run takes longer.";
        return Finding::note(Check::Disk, seen, meaning);
    }
    Finding::ok(Check::Disk, seen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Rank;

    #[test]
    fn a_folder_that_does_not_exist_is_checked_where_it_would_be_made() {
        let folder = tempfile::TempDir::new().unwrap();
        let finding = check(&folder.path().join("not/there"));
        assert_ne!(finding.rank, Rank::Problem, "{finding:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "the sample is deleted");
        assert_eq!(existing(Path::new("not-there/at-all")), Path::new("."));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_a_problem() {
        let missing = Path::new("/proc/self/aiperf");
        assert_eq!(check(missing).rank, Rank::Problem, "nothing can be written there");
    }

    #[test]
    fn little_room_and_slow_disks_are_noted() {
        assert_eq!(
            judge("artifacts", 3.2, Some(64 << 30)),
            Finding::ok(Check::Disk, "artifacts: 64.0 GiB free, 1 MiB is safe after 3 ms")
        );
        assert_eq!(judge("artifacts", 3.2, Some(1 << 29)).rank, Rank::Note);
        assert_eq!(judge("artifacts", 900.0, None).rank, Rank::Note);
    }
}
