//! Local ports: one for each connection to the same server address.

use crate::finding::{Check, Finding};
use crate::machine_files::MachineFiles;
use crate::text::count;

const RANGE: &str = "proc/sys/net/ipv4/ip_local_port_range";
/// The range that Linux has by default is 28,232 wide.
const FEW: u64 = 20_000;

pub(crate) fn check(files: &MachineFiles) -> Option<Finding> {
    let text = files.text(RANGE)?;
    let mut ends = text.split_whitespace().map(str::parse::<u64>);
    let (low, high) = (ends.next()?.ok()?, ends.next()?.ok()?);
    let ports = high.saturating_sub(low) + 1;
    let seen = format!("{} ({low} to {high})", count(ports));
    if ports < FEW {
        let meaning = "There can be no more connections than ports to one server address, and a port rests for a minute after its connection \
                       was closed. For more: sysctl -w net.ipv4.ip_local_port_range='1024 65535'";
        return Some(Finding::note(Check::Ports, seen, meaning));
    }
    Some(Finding::ok(Check::Ports, seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::sample::machine;
    use crate::finding::Rank;

    #[test]
    fn both_ends_of_the_range_are_ports() {
        let (_folder, files) = machine(&[(RANGE, "32768\t60999\n")]);
        assert_eq!(check(&files).unwrap(), Finding::ok(Check::Ports, "28,232 (32768 to 60999)"));
        let (_folder, files) = machine(&[(RANGE, "50000\t60000\n")]);
        assert_eq!(check(&files).unwrap().rank, Rank::Note);
        let (_folder, files) = machine(&[(RANGE, "nonsense\n")]);
        assert_eq!(check(&files), None);
    }
}
