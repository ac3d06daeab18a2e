//! The files of a run that is over.

use std::fs;

use aiperf_live::Scene;

use crate::support::ExampleServer;

#[test]
fn files_are_offered_after_the_end_and_not_before() {
    let during = ExampleServer::start(Scene::Steady);
    fs::write(during.folder.path().join("profile_export_aiperf.json"), "{}").unwrap();
    assert_eq!(during.get("/api/results/files/profile_export_aiperf.json").status, 404);
    assert_eq!(during.get("/api/results/list").json()["ready"], false);
    assert_eq!(during.get("/api/results").json()["status"], "running");

    let after = ExampleServer::start(Scene::End);
    let big = "0123456789abcdef".repeat(100_000);
    fs::create_dir(after.folder.path().join("logs")).unwrap();
    fs::write(after.folder.path().join("logs/aiperf.log"), &big).unwrap();
    let file = after.get("/api/results/files/logs/aiperf.log");
    assert_eq!((file.status, file.body.len()), (200, big.len()));
    assert_eq!(file.body, big);
    assert!(file.head.contains("content-disposition: attachment"), "{}", file.head);
    let list = after.get("/api/results/list").json();
    assert_eq!(list["ready"], true);
    assert!(!list["files"].as_array().unwrap().is_empty());
    let results = after.get("/api/results").json();
    assert_eq!(results["status"], "complete");
    assert!(results["results"]["metrics"].as_object().unwrap().len() > 3);
}

#[test]
fn nothing_outside_of_the_folder_is_served() {
    let server = ExampleServer::start(Scene::End);
    let secret = tempfile::NamedTempFile::new().unwrap();
    fs::write(secret.path(), "secret").unwrap();
    std::os::unix::fs::symlink(secret.path(), server.folder.path().join("link.json")).unwrap();
    fs::create_dir(server.folder.path().join("folder")).unwrap();
    for path in ["link.json", "folder", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%2fx", "%2fetc%2fpasswd", "none.json"] {
        let answer = server.get(&format!("/api/results/files/{path}"));
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
        assert!(!answer.body.contains("secret"), "{path}");
        assert!(answer.json()["detail"].is_string(), "{path}");
    }
}
