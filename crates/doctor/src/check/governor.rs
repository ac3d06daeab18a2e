//! How the frequency of the cores is chosen.

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;

const FOLDER: &str = "sys/devices/system/cpu";

pub(crate) fn check(files: &MachineFiles) -> Finding {
    let names = files.names(FOLDER);
    let is_core =
        |name: &&String| name.strip_prefix("cpu").is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let mut governors: Vec<String> = names
        .iter()
        .filter(is_core)
        .filter_map(|name| files.text(&format!("{FOLDER}/{name}/cpufreq/scaling_governor")))
        .collect();
    governors.sort();
    governors.dedup();
    if governors.is_empty() {
        return Finding::ok(Check::Governor, "not set by this system, as is usual in virtual machines");
    }
    let seen = format!("governor {}", governors.join(", "));
    if governors.iter().all(|governor| governor == "performance") {
        return Finding::ok(Check::Governor, seen);
    }
    let meaning = "Cores slow down while they wait and need time to get fast again, so that times at low load come out longer. \
                   For exact times: sudo cpupower frequency-set -g performance";
    Finding::note(Check::Governor, seen, meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample::machine;
    use crate::finding::Rank;

    #[test]
    fn any_core_that_saves_power_is_noted() {
        let core = |number: u32| format!("{FOLDER}/cpu{number}/cpufreq/scaling_governor");
        let (_folder, files) = machine(&[(&core(0), "performance\n"), (&core(1), "powersave\n")]);
        let finding = check(&files);
        assert_eq!((finding.rank, finding.seen.as_str()), (Rank::Note, "governor performance, powersave"));
        let (_folder, files) = machine(&[(&core(0), "performance\n")]);
        assert_eq!(check(&files).rank, Rank::Ok);
    }

    #[test]
    fn a_machine_without_governors_is_well() {
        let (_folder, files) = machine(&[("sys/devices/system/cpu/cpufreq/boost", "1")]);
        assert_eq!(check(&files).rank, Rank::Ok);
    }
}
