//! Names on the bus. All of them begin with `aiperf`, so that a site can give an account rights to just these.

/// Longest run or pool name: the names of streams and buckets are made of them.
const LONGEST: usize = 64;

/// Whether a text can be part of the names of streams, buckets and subjects.
pub(crate) fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(plain)
}

/// Files by content hash, shared by all runs.
pub(crate) const FILES: &str = "aiperf-files";

/// Bucket of the nodes that wait for a run.
pub(crate) fn pool_bucket(pool: &str) -> String {
    format!("aiperf-pool-{pool}")
}

/// Bucket of one run: configuration, members, orders.
pub(crate) fn run_bucket(run: &str) -> String {
    format!("aiperf-run-{run}")
}

/// Stream of the records of one run.
pub(crate) fn record_stream(run: &str) -> String {
    format!("aiperf-records-{run}")
}

/// Subjects of the stream of a run.
pub(crate) fn record_subjects(run: &str) -> String {
    format!("aiperf.records.{run}.*")
}

pub(crate) fn record_subject(run: &str, index: u64) -> String {
    format!("aiperf.records.{run}.{index}")
}

/// Heartbeats of all nodes of a run.
pub(crate) fn heartbeats(run: &str) -> String {
    format!("aiperf.heartbeat.{run}.*")
}

pub(crate) fn heartbeat(run: &str, index: u64) -> String {
    format!("aiperf.heartbeat.{run}.{index}")
}

/// Heartbeats of the coordinator.
pub(crate) fn coordinator(run: &str) -> String {
    format!("aiperf.coordinator.{run}")
}

/// Requests to the coordinator's clock.
pub(crate) fn clock(run: &str) -> String {
    format!("aiperf.clock.{run}")
}

/// Requests for the options that are secrets. Not stored anywhere.
pub(crate) fn secrets(run: &str) -> String {
    format!("aiperf.secrets.{run}")
}

/// Keys in the bucket of a pool.
pub(crate) mod pool_key {
    pub(crate) const NODES: &str = "node.";
    pub(crate) fn node(id: &str) -> String {
        format!("node.{id}")
    }
    pub(crate) fn assignment(id: &str) -> String {
        format!("assigned.{id}")
    }
}

/// Keys in the bucket of a run.
pub(crate) mod run_key {
    pub(crate) const SPEC: &str = "spec";
    pub(crate) const START: &str = "start";
    pub(crate) const STOP: &str = "stop";
    pub(crate) const COORDINATOR: &str = "coordinator";
    /// When all nodes start their phase with this number; the first one is 0 and starts with [`START`].
    pub(crate) fn phase(number: u64) -> String {
        format!("phase.{number}")
    }
    /// Who sends the rest of the share of a node that is lost.
    pub(crate) fn replaced(index: u64) -> String {
        format!("replaced.{index}")
    }
    pub(crate) fn member(index: u64) -> String {
        format!("member.{index}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_subject_would_split_are_refused() {
        assert!(is_plain("my-run_7"));
        for bad in ["", "a.b", "a b", "*", ">", "é", &"x".repeat(65)] {
            assert!(!is_plain(bad), "{bad}");
        }
    }
}
