//! Which files a split has, by README, by name and by the hub's conversion.

use aiperf_hub::{Hub, HubError, RemoteFile, RepositoryId, Revision};
use aiperf_loopback_hub::{CONVERTED, LoopbackHub};

use super::environment;

fn ask(hub: &Hub, subset: Option<&str>, split: &str) -> Result<Vec<String>, HubError> {
    let main = Revision::parse("main").unwrap();
    let files = hub.data_files(&RepositoryId::dataset("org/set").unwrap(), &main, subset, split)?;
    Ok(files.iter().map(|file: &RemoteFile| file.path.to_string()).collect())
}

fn files(server: &LoopbackHub, subset: Option<&str>, split: &str) -> Result<Vec<String>, String> {
    let home = tempfile::tempdir().unwrap();
    ask(&Hub::new(environment(server, home.path(), &[])), subset, split).map_err(|error| error.to_string())
}

const CARD: &[u8] = b"---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: m/x-*\n- config_name: other\n  data_files:\n  - split: test\n    path: o/*\n---\n";

#[test]
fn the_readme_says_which_files_a_split_has() {
    let server = LoopbackHub::with(&[
        ("README.md", CARD),
        ("m/x-1.parquet", b""),
        ("m/x-0.parquet", b""),
        ("m/y.parquet", b""),
        ("o/z.json", b""),
    ]);
    assert_eq!(files(&server, Some("main"), "test").unwrap(), ["m/x-0.parquet", "m/x-1.parquet"]);
    assert_eq!(files(&server, Some("other"), "test").unwrap(), ["o/z.json"]);
    let error = files(&server, Some("third"), "test").unwrap_err();
    assert!(error.contains("third") && error.contains("main, other") && error.contains("--hf-subset"), "{error}");
    let error = files(&server, None, "test").unwrap_err();
    assert!(error.contains("several subsets") && error.contains("main, other"), "{error}");
}

#[test]
fn names_say_it_where_the_readme_does_not() {
    let server = LoopbackHub::with(&[
        ("README.md", b"# A set"),
        ("main/test-00000-of-00001.parquet", b""),
        ("main/train-00000-of-00001.parquet", b""),
        ("other/test-00000-of-00001.parquet", b""),
    ]);
    assert_eq!(files(&server, Some("main"), "test").unwrap(), ["main/test-00000-of-00001.parquet"]);
    assert_eq!(files(&server, Some("main"), "train").unwrap(), ["main/train-00000-of-00001.parquet"]);
    let only = LoopbackHub::with(&[("rows.jsonl", b"")]);
    assert_eq!(files(&only, None, "train").unwrap(), ["rows.jsonl"]);
}

#[test]
fn the_hubs_conversion_serves_where_the_files_cannot_be_read() {
    let server = LoopbackHub::with(&[("README.md", b""), ("data/test.tar.gz", b"")]).converted(&[
        ("en/test/0000.parquet", b""),
        ("en/test/0001.parquet", b""),
        ("en/train/0000.parquet", b""),
        ("de/partial-test/0000.parquet", b""),
    ]);
    assert_eq!(files(&server, Some("en"), "test").unwrap(), ["en/test/0000.parquet", "en/test/0001.parquet"]);
    assert_eq!(files(&server, Some("de"), "test").unwrap(), ["de/partial-test/0000.parquet"]);
    assert!(files(&server, Some("fr"), "test").unwrap_err().contains("de, en"));
    assert!(files(&server, Some("en"), "dev").unwrap_err().contains("test, train"));
    assert!(files(&server, None, "test").unwrap_err().contains("several subsets"));
}

#[test]
fn files_are_fetched_from_the_commit_that_was_listed() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[("data/a.tar", b"")]).converted(&[("default/train/0000.parquet", b"rows")]);
    let hub = Hub::new(environment(&server, home.path(), &[]));
    let main = Revision::parse("main").unwrap();
    let id = RepositoryId::dataset("org/set").unwrap();
    let found = hub.data_files(&id, &main, None, "train").unwrap();
    assert_eq!(std::fs::read(hub.fetch(&found[0]).unwrap()).unwrap(), b"rows");
    let last = server.requests().pop().unwrap();
    assert!(last.contains(&format!("/datasets/org/set/resolve/{CONVERTED}/default/train/0000.parquet")), "{last}");

    let asked = server.requests().len();
    let offline = Hub::new(environment(&server, home.path(), &[("HF_HUB_OFFLINE", "1")]));
    let again = offline.data_files(&id, &main, None, "train").unwrap();
    assert_eq!(again, found);
    assert!(offline.fetch(&again[0]).is_ok());
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_snapshot_that_other_tools_made_is_enough_offline() {
    let home = tempfile::tempdir().unwrap();
    let repository = home.path().join("hub/datasets--org--set");
    std::fs::create_dir_all(repository.join("snapshots/abc/data")).unwrap();
    std::fs::create_dir_all(repository.join("refs")).unwrap();
    std::fs::write(repository.join("refs/main"), "abc").unwrap();
    std::fs::write(repository.join("snapshots/abc/data/train-0.jsonl"), "{}").unwrap();
    let server = LoopbackHub::with(&[]);
    let offline = Hub::new(environment(&server, home.path(), &[("HF_HUB_OFFLINE", "1")]));
    assert_eq!(ask(&offline, None, "train").unwrap(), ["data/train-0.jsonl"]);
    assert!(server.requests().is_empty());
}

#[test]
fn a_name_that_leaves_the_repository_is_refused() {
    for name in ["../../x.parquet", "/etc/passwd", "a/../../b.jsonl"] {
        let server = LoopbackHub::with(&[(name, b"")]);
        let error = files(&server, None, "train").unwrap_err();
        assert!(error.contains("outside its repository"), "{error}");
    }
}

#[test]
fn a_missing_repository_says_so() {
    let server = LoopbackHub::with(&[]);
    let error = files(&server, None, "train").unwrap_err();
    assert!(error.contains("HTTP 404") && error.contains("org/set"), "{error}");
}
