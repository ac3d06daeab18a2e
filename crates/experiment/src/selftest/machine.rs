//! Which machine this is: the result of a test holds for one machine only.

use std::env;
use std::fs;
use std::num::NonZero;
use std::thread;

use aiperf_report::Machine;

pub(super) fn this_machine() -> Machine {
    Machine {
        host: aiperf_socket::host_name(),
        cpu: cpu_model(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
            .unwrap_or_else(|| env::consts::ARCH.to_owned()),
        processors: thread::available_parallelism().map_or(1, NonZero::get),
        kernel: kernel(),
    }
}

#[cfg(unix)]
fn kernel() -> String {
    let names = rustix::system::uname();
    format!("{} {}", names.sysname().to_string_lossy(), names.release().to_string_lossy())
}

#[cfg(not(unix))]
fn kernel() -> String {
    env::consts::OS.to_owned()
}

/// The first name that `/proc/cpuinfo` gives; not every architecture has one.
fn cpu_model(info: &str) -> Option<String> {
    let value = |name: &str| {
        let lines = info.lines().filter_map(|line| line.split_once(':'));
        lines.filter(|(key, _)| key.trim() == name).map(|(_, value)| value.trim().to_owned()).next()
    };
    value("model name").or_else(|| value("Model")).or_else(|| value("cpu model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_where_there_is_one() {
        let info = "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Some CPU: 2.4 GHz\nflags\t: fpu\n";
        assert_eq!(cpu_model(info).as_deref(), Some("Some CPU: 2.4 GHz"));
        assert_eq!(cpu_model("processor\t: 0\nCPU part\t: 0xd0c\n"), None);
    }

    #[test]
    fn a_machine_is_the_same_twice_and_has_names() {
        let machine = this_machine();
        assert_eq!(machine, this_machine());
        assert!(machine.processors > 0 && !machine.cpu.is_empty() && !machine.kernel.is_empty());
    }
}
