//! What the server answers.

use std::sync::Arc;
use std::time::Duration;

use aiperf_plot::{ConfigOrigin, PlotChoices, RunMode, Theme};
use aiperf_web_access::{WebAccess, check, refuse};
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::board::Board;
use crate::chart::ChartRequest;
use crate::export::ExportRequest;
use crate::presets::{SaveProblem, SaveRequest};
use crate::{page, run_details};

/// The largest request that makes sense: an export of a hundred charts.
const MOST_BYTES: usize = 4 << 20;
/// A page asks again after this long without a change.
const NEWS_WAIT: Duration = Duration::from_secs(20);

type Shared = State<Arc<Board>>;

pub(crate) fn router(board: Arc<Board>, access: Arc<WebAccess>) -> Router {
    Router::new()
        .route("/", get(page::index))
        .route("/page/{name}", get(page::file))
        .route("/api/board", get(show_board))
        .route("/api/changes", get(wait_for_change))
        .route("/api/run", get(show_run))
        .route("/api/chart", post(draw_chart))
        .route("/api/points", post(list_points))
        .route("/api/export", post(export))
        .route("/api/presets", post(save_presets))
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(middleware::from_fn_with_state(access, check))
        .with_state(board)
}

async fn not_found(uri: Uri) -> Response {
    refuse(StatusCode::NOT_FOUND, &format!("There is no {} on this server.", uri.path()))
}

#[derive(Deserialize)]
struct RunQuery {
    run: Option<String>,
}

/// Reading files and drawing may take long: other requests go on.
async fn on_thread<T: Send + 'static>(
    board: Arc<Board>,
    work: impl FnOnce(&Board) -> T + Send + 'static,
) -> Result<T, Response> {
    let done = tokio::task::spawn_blocking(move || work(&board)).await;
    done.map_err(|_| {
        refuse(StatusCode::INTERNAL_SERVER_ERROR, "The chart could not be drawn: the program has a mistake.")
    })
}

fn told<T: IntoResponse>(found: Result<Result<T, String>, Response>) -> Response {
    match found {
        Ok(Ok(answer)) => answer.into_response(),
        Ok(Err(reason)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &reason),
        Err(response) => response,
    }
}

async fn show_board(State(board): Shared, Query(query): Query<RunQuery>) -> Response {
    told(on_thread(board, move |board| describe(board, query.run.as_deref()).map(Json)).await)
}

/// The runs, the charts and what can be chosen.
fn describe(board: &Board, asked: Option<&str>) -> Result<Value, String> {
    let (changes, runs, presets) = (*board.changes.borrow(), board.runs(), board.presets());
    let alone = match (runs.mode(board.options.plot.mode), &runs.runs[..]) {
        (RunMode::Single, [one]) => Some(one.id.as_str()),
        _ => None,
    };
    let single = match asked {
        Some(id) => Some(runs.with_id(id).ok_or("There is no such run any more.")?),
        None => alone.and_then(|id| runs.with_id(id)),
    };
    let mode = if single.is_some() { RunMode::Single } else { RunMode::Multi };
    let choices = if let Some(run) = single {
        PlotChoices::of_run(&*board.detailed(run)?)
    } else {
        let summaries: Vec<_> = runs.runs.iter().filter_map(|run| run.summary.as_deref().ok()).collect();
        PlotChoices::of_runs(&summaries)
    };
    let listed: Vec<Value> = runs
        .runs
        .iter()
        .map(|run| match &run.summary {
            Ok(summary) => {
                let parameters: serde_json::Map<String, Value> =
                    summary.columns.iter().map(|(name, value)| (name.clone(), value.to_string().into())).collect();
                json!({"id": run.id, "name": summary.name, "folder": run.found.folder, "parameters": parameters})
            }
            Err(problem) => {
                let name = run.found.folder.file_name().map(|name| name.to_string_lossy().into_owned());
                json!({"id": run.id, "name": name, "folder": run.found.folder, "parameters": {}, "problem": problem})
            }
        })
        .collect();
    let single_name = single.map(|run| run.summary.as_ref().map_or("", |summary| &summary.name));
    Ok(json!({
        "changes": changes,
        "is_single": single.is_some(),
        "is_alone": alone.is_some(),
        "run": single.map(|run| &run.id),
        "run_name": single_name,
        "is_dark": board.options.theme == Theme::Dark,
        "runs": listed,
        "plots": presets.document.plots(mode),
        "defaults": board.shown(mode),
        "wide": presets.document.dashboard.wide,
        "warnings": presets.file.warnings,
        "problem": board.problem(),
        "choices": choices,
        "revision": presets.revision,
        "origin": match &presets.origin {
            ConfigOrigin::File(path) => Some(path),
            ConfigOrigin::BuiltIn => None,
        },
        "targets": board.save_targets(),
    }))
}

#[derive(Deserialize)]
struct ChangesQuery {
    since: u64,
}

/// Answers as soon as there is something new, or after a while.
async fn wait_for_change(State(board): Shared, Query(query): Query<ChangesQuery>) -> Response {
    let (mut changes, mut closing) = (board.changes.subscribe(), board.closing.subscribe());
    let number = tokio::select! {
        found = changes.wait_for(|number| *number != query.since) => found.map_or(query.since, |number| *number),
        _ = closing.wait_for(|closing| *closing) => query.since,
        () = tokio::time::sleep(NEWS_WAIT) => query.since,
    };
    Json(json!({"changes": number})).into_response()
}

async fn show_run(State(board): Shared, Query(query): Query<RunQuery>) -> Response {
    let runs = board.runs();
    match query.run.as_deref().and_then(|id| runs.with_id(id)) {
        Some(run) => Json(run_details::details(run)).into_response(),
        None => refuse(StatusCode::NOT_FOUND, "There is no such run any more."),
    }
}

/// A chart that cannot be drawn is an answer too: a run may lack what the chart shows.
async fn draw_chart(State(board): Shared, Json(chart): Json<ChartRequest>) -> Response {
    let drawn = on_thread(board, move |board| chart.answer(board)).await;
    drawn.map_or_else(
        |response| response,
        |answer| Json(answer.unwrap_or_else(|why| json!({"reason": why}))).into_response(),
    )
}

/// The table behind a chart.
async fn list_points(State(board): Shared, Json(chart): Json<ChartRequest>) -> Response {
    const MOST_ROWS: usize = 1000;
    told(
        on_thread(board, move |board| {
            let figure = chart.figure(board)?;
            let text = |cell: &aiperf_plot::PointCell| match cell {
                aiperf_plot::PointCell::Text(text) => text.clone(),
                other => other.to_string(),
            };
            let rows = figure.points.rows.iter().take(MOST_ROWS);
            let rows: Vec<Vec<String>> = rows.map(|row| row.iter().map(text).collect()).collect();
            Ok(Json(json!({"columns": figure.points.columns, "rows": rows, "all": figure.points.rows.len()})))
        })
        .await,
    )
}

async fn export(State(board): Shared, Json(request): Json<ExportRequest>) -> Response {
    told(on_thread(board, move |board| request.answer(board)).await)
}

async fn save_presets(State(board): Shared, Json(request): Json<SaveRequest>) -> Response {
    match on_thread(board, move |board| request.save(board).map(|path| (path, board.presets().revision.clone()))).await
    {
        Ok(Ok((path, revision))) => Json(json!({"file": path, "revision": revision})).into_response(),
        Ok(Err(SaveProblem::Wrong(why))) => refuse(StatusCode::UNPROCESSABLE_ENTITY, &why),
        Ok(Err(SaveProblem::Failed(why))) => refuse(StatusCode::INTERNAL_SERVER_ERROR, &why),
        Ok(Err(SaveProblem::Changed)) => refuse(
            StatusCode::CONFLICT,
            "The preset file was changed by someone else after this page read it. Reload the page, then change it again.",
        ),
        Err(response) => response,
    }
}
