//! `GET /api/results`, `/api/results/list` and `/api/results/files/...`: what the run has written, once it is over.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use aiperf_live::{RunEnd, RunState, Snapshot};
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Path as PathParameter, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use super::{Shared, refuse};
use crate::state::ApiState;

/// Read from disk at a time.
const PIECE: usize = 256 * 1024;

pub(crate) async fn answer(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    let status = match snapshot.state {
        RunState::Complete => "complete",
        RunState::Failed => "failed",
        RunState::Cancelled => "cancelled",
        _ => "running",
    };
    Json(json!({"status": status, "results": snapshot.result.as_ref().map(|end| results(&snapshot, end))}))
}

fn results(snapshot: &Snapshot, end: &RunEnd) -> Value {
    let metrics: Map<String, Value> = end
        .rows
        .iter()
        .map(|row| {
            let mut map = Map::new();
            map.insert("unit".to_owned(), json!(row.unit));
            map.insert("avg".to_owned(), json!(row.avg));
            map.extend([("p50", row.p50), ("p99", row.p99)].map(|(name, value)| (name.to_owned(), json!(value))));
            map.insert("header".to_owned(), json!(row.header));
            (row.tag.to_owned(), Value::Object(map))
        })
        .collect();
    json!({
        "benchmark_id": snapshot.benchmark_id,
        "was_cancelled": end.outcome == RunState::Cancelled,
        "reason": end.reason,
        "duration_sec": end.duration,
        "validity_notes": end.notes,
        "metrics": metrics,
    })
}

pub(crate) async fn list(State(state): Shared) -> Json<Value> {
    let snapshot = state.live.snapshot();
    let file = |path: &str, label: &str| {
        let size = std::fs::metadata(state.dir.join(path)).ok().map(|data| data.len());
        json!({"name": path, "label": label, "size": size, "url": format!("/api/results/files/{path}")})
    };
    let end = snapshot.result.as_ref();
    let named = end.map_or(&[][..], |end| &end.files);
    let mut files: Vec<Value> = named.iter().map(|one| file(&one.path, &one.label)).collect();
    if end.is_some() {
        // The runs of a sweep have folders of their own, whose files the end of the whole does not name.
        let mut others = Vec::new();
        files_below(&state.dir, "", &mut others);
        others.retain(|path| named.iter().all(|one| one.path != *path));
        files.extend(others.iter().map(|path| file(path, "File")));
    }
    Json(json!({
        "files": files,
        "ready": end.is_some(),
        "processing": matches!(snapshot.state, RunState::Processing | RunState::Exporting),
        "partial": end.is_some_and(|end| end.outcome != RunState::Complete),
        "failed_exporters": [],
    }))
}

/// Files below a folder by their paths in it, in order. Names that begin with a dot are not results.
fn files_below(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder.join(prefix)) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(folder, &path, found),
            Ok(kind) if kind.is_file() && !name.starts_with('.') => found.push(path),
            _ => {}
        }
    }
}

pub(crate) async fn file(State(state): Shared, PathParameter(path): PathParameter<String>) -> Response {
    if state.live.snapshot().result.is_none() {
        return refuse(
            StatusCode::NOT_FOUND,
            "The results are not ready: the run is not over. Ask again after its end.",
        );
    }
    let Some(relative) = plain(&path) else {
        return refuse(StatusCode::BAD_REQUEST, "The path must name a file below the artifact folder.");
    };
    let opened = tokio::task::spawn_blocking(move || open(&state, &relative)).await;
    match opened.unwrap_or_else(|error| Err(io::Error::other(error))) {
        Ok((file, size)) => send(file, size, &path),
        Err(_) => refuse(StatusCode::NOT_FOUND, &format!("There is no file {path} in the artifact folder.")),
    }
}

/// A path that stays below the folder.
fn plain(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_plain && path.components().next().is_some()).then(|| path.to_owned())
}

/// Opens a file of the folder. A link may not lead out of it.
fn open(state: &ApiState, relative: &Path) -> io::Result<(File, u64)> {
    let folder = state.dir.canonicalize()?;
    let path = folder.join(relative).canonicalize()?;
    if !path.starts_with(&folder) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let file = File::open(path)?;
    let data = file.metadata()?;
    if data.is_file() { Ok((file, data.len())) } else { Err(io::ErrorKind::IsADirectory.into()) }
}

fn send(file: File, size: u64, path: &str) -> Response {
    let name = path.rsplit('/').next().unwrap_or(path);
    let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
    // A file is never shown as a page of this server: it could then cancel the run.
    let disposition = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}"));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type(path))),
        (header::CONTENT_LENGTH, HeaderValue::from(size)),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
    ];
    // A file that grows meanwhile is sent as it was when it was opened.
    let body = Body::from_stream(stream::try_unfold(file.take(size), |mut rest| async move {
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE];
            let length = rest.read(&mut piece)?;
            piece.truncate(length);
            Ok::<_, io::Error>((piece, rest))
        });
        let (piece, rest) = read.await.map_err(io::Error::other)??;
        Ok::<_, io::Error>((!piece.is_empty()).then(|| (Bytes::from(piece), rest)))
    }));
    (headers, body).into_response()
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("json") => "application/json",
        Some("jsonl") => "application/x-ndjson",
        Some("csv") => "text/csv; charset=utf-8",
        Some("txt" | "log") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_folder() {
        assert_eq!(plain("a/b.json"), Some(PathBuf::from("a/b.json")));
        for path in ["../a", "/etc/passwd", "a/../../b", "", "./a/.."] {
            assert_eq!(plain(path), None, "{path}");
        }
    }
}
