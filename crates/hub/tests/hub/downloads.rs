//! Downloads against a hub on the loopback interface: resumed, retried, refused, checked.

use std::path::Path;
use std::time::Duration;

use aiperf_hub::{DownloadLimits, FilePath, Hub, HubError, RepositoryId, Revision};
use aiperf_loopback_hub::{COMMIT, HubFault, LoopbackHub};

use super::environment;

const NAME: &str = "data/train.jsonl";

fn content() -> Vec<u8> {
    (0..200_000_u32).flat_map(u32::to_le_bytes).collect()
}

fn get(hub: &Hub) -> Result<std::path::PathBuf, HubError> {
    let file = FilePath::parse(NAME).unwrap();
    hub.file(&RepositoryId::dataset("org/set").unwrap(), &Revision::parse("main").unwrap(), &file)
}

fn hub(server: &LoopbackHub, home: &Path) -> Hub {
    Hub::new(environment(server, home, &[("HF_TOKEN", "secret")]))
}

#[test]
fn a_file_lands_where_the_hubs_own_tools_look_and_is_asked_for_once() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, b"rows")]);
    let path = get(&hub(&server, home.path())).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"rows");
    let repository = home.path().join("hub/datasets--org--set");
    assert_eq!(path, repository.join("snapshots").join(COMMIT).join(NAME));
    assert_eq!(std::fs::read_link(&path).unwrap(), Path::new("../../../blobs/etag-4"));
    assert_eq!(std::fs::read_to_string(repository.join("refs/main")).unwrap(), COMMIT);
    assert_eq!(get(&hub(&server, home.path())).unwrap(), path);
    assert_eq!(server.requests().len(), 1);
    assert!(server.requests()[0].starts_with("GET /datasets/org/set/resolve/main/data/train.jsonl "));
}

#[test]
fn a_cut_connection_is_resumed_from_where_it_ended() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, &content())]).then(HubFault::CutAfter(300_000));
    let hub = hub(&server, home.path());
    assert_eq!(std::fs::read(get(&hub).unwrap()).unwrap(), content());
    let requests = server.requests();
    assert!(!requests[0].contains("bytes="), "{requests:?}");
    assert!(requests.last().unwrap().to_lowercase().contains("range: bytes=300000-"), "{requests:?}");
    assert_eq!(hub.progress().received(), content().len() as u64, "nothing came twice");
    assert_eq!(hub.progress().snapshot(), None);
}

#[test]
fn what_an_earlier_process_left_is_gone_on_with() {
    let home = tempfile::tempdir().unwrap();
    let blobs = home.path().join("hub/datasets--org--set/blobs");
    std::fs::create_dir_all(&blobs).unwrap();
    std::fs::write(blobs.join("etag-800000.aiperf.incomplete"), &content()[..123_456]).unwrap();
    let server = LoopbackHub::with(&[(NAME, &content())]);
    let path = get(&hub(&server, home.path())).unwrap();
    assert_eq!(std::fs::read(path).unwrap(), content());
    assert!(server.requests().last().unwrap().to_lowercase().contains("range: bytes=123456-"));
    assert_eq!(std::fs::read_dir(blobs).unwrap().count(), 1, "no partial file is left");
}

#[test]
fn a_server_without_ranges_sends_the_whole_file_again() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, &content())])
        .then(HubFault::CutAfter(1_000))
        .then(HubFault::IgnoreRange)
        .then(HubFault::IgnoreRange);
    assert_eq!(std::fs::read(get(&hub(&server, home.path())).unwrap()).unwrap(), content());
}

#[test]
fn retries_end() {
    let home = tempfile::tempdir().unwrap();
    let mut server = LoopbackHub::with(&[(NAME, b"rows")]);
    for _ in 0..20 {
        server = server.then(HubFault::Status(503));
    }
    let error = get(&hub(&server, home.path())).unwrap_err().to_string();
    assert!(error.contains("HTTP 503") && error.contains("org/set") && error.contains(NAME), "{error}");
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn the_token_goes_to_the_hub_and_to_nobody_else() {
    let home = tempfile::tempdir().unwrap();
    let files = LoopbackHub::with(&[(NAME, b"rows")]);
    let to = format!("{}/x/resolve/main/{NAME}", files.url);
    let server = LoopbackHub::with(&[(NAME, b"rows")]).then(HubFault::Redirect(to));
    get(&hub(&server, home.path())).unwrap();
    assert!(server.requests()[0].contains("Bearer secret"));
    assert!(!files.requests()[0].contains("secret"));
}

#[test]
fn a_gated_repository_says_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    for status in [401, 403] {
        let server = LoopbackHub::with(&[]).refusing(status, "Access to dataset org/set is restricted");
        let error = get(&hub(&server, home.path())).unwrap_err().to_string();
        for part in ["org/set", "HF_TOKEN", "accept its conditions", "is restricted", &server.url] {
            assert!(error.contains(part), "{part} is missing in: {error}");
        }
        assert_eq!(server.requests().len(), 1, "asking again would not help");
    }
}

#[test]
fn bytes_that_do_not_have_the_announced_hash_are_deleted() {
    let home = tempfile::tempdir().unwrap();
    let wrong = "0".repeat(64);
    let server = LoopbackHub::with(&[(NAME, b"rows")]).then(HubFault::Etag(wrong));
    let error = get(&hub(&server, home.path())).unwrap_err().to_string();
    assert!(error.contains("does not match the size or hash"), "{error}");
    assert_eq!(std::fs::read_dir(home.path().join("hub/datasets--org--set/blobs")).unwrap().count(), 0);
    let right = "bc51e9e65d79e1c90ba544ab2eae1044ccdf8c1af7a559ba375cba4276f7d99e";
    let server = server.then(HubFault::Etag(right.to_owned()));
    assert!(get(&hub(&server, home.path())).is_ok());
}

#[test]
fn offline_says_what_is_missing_and_how_to_get_it() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, b"rows")]);
    let offline = Hub::new(environment(&server, home.path(), &[("HF_HUB_OFFLINE", "1")]));
    let error = get(&offline).unwrap_err().to_string();
    for part in ["org/set", "main", NAME, "HF_HUB_OFFLINE", "hf download --repo-type dataset --revision main org/set"] {
        assert!(error.contains(part), "{part} is missing in: {error}");
    }
    assert!(server.requests().is_empty());
    get(&hub(&server, home.path())).unwrap();
    assert!(get(&offline).is_ok());
}

#[test]
fn a_download_over_the_limit_is_not_begun() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, &content())]);
    let limits = DownloadLimits { bytes: 1 << 10, time: Duration::from_secs(60) };
    let error = get(&hub(&server, home.path()).with_limits(limits)).unwrap_err().to_string();
    assert!(error.contains("781.2 KiB") && error.contains("1.0 KiB"), "{error}");
}

#[test]
fn a_download_over_its_time_is_kept_for_the_next_run() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[(NAME, &content())]);
    let limits = DownloadLimits { bytes: 1 << 30, time: Duration::ZERO };
    let error = get(&hub(&server, home.path()).with_limits(limits)).unwrap_err().to_string();
    assert!(error.contains("limit of 0 s") && error.contains("the next run resumes"), "{error}");
}

#[test]
fn a_plain_url_is_kept_beside_the_cache() {
    let home = tempfile::tempdir().unwrap();
    let server = LoopbackHub::with(&[("question.jsonl", b"{}")]).then(HubFault::Status(500));
    let url = format!("{}/x/resolve/main/question.jsonl", server.url);
    let path = hub(&server, home.path()).url(&url).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"{}");
    assert!(path.starts_with(home.path().join("aiperf")));
    let offline = Hub::new(environment(&server, home.path(), &[("HF_HUB_OFFLINE", "1")]));
    assert_eq!(offline.url(&url).unwrap(), path);
    assert!(matches!(offline.url("http://elsewhere/x"), Err(HubError::Offline { .. })));
}
