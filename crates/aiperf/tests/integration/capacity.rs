//! `aiperf capacity` against the simulator. The limits here are of counts and failures, not of times, so that a busy machine finds
//! the same ones: the server refuses requests beyond a number, and refused requests violate every objective.

use std::fs;
use std::path::Path;
use std::time::Duration;

use aiperf_capacity::{CapacityPlanner, SearchAction, SearchGoal, StepPlan};
use aiperf_report::CapacityHistory;
use aiperf_seed::Seed;
use rustix::process::Signal;
use serde_json::Value;

use crate::support::{Ended, Program, Running, sim, wait_for};

/// At most five requests at once. The limit of the latency is never reached.
const FIVE_AT_ONCE: &str = "ttft=4&itl=0&osl=1&batch=5&most=5";
const USERS: &str = "--of users --slo request_latency:600000 --max-requests 1500 --no-gpu-telemetry --ui none";

fn capacity(url: &str, options: &str) -> Program {
    let common = "--model test-model --tokenizer builtin --isl 20 --osl 1 --num-dataset-entries 50 --no-server-metrics";
    Program::new(&format!("capacity --artifact-dir out --url {url} {common} {options}"))
}

fn resume(folder: &Path) -> Program {
    Program::new("capacity --ui none --resume").word(folder.as_os_str())
}

/// The goal and the steps of a history.
fn history(folder: &Path) -> (SearchGoal, Vec<aiperf_report::HistoryStep>) {
    let path = folder.join("capacity_history.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    (serde_json::from_value(header["goal"].clone()).unwrap(), CapacityHistory::read(&path).unwrap())
}

/// What a search that was never interrupted asks for after these steps.
fn twin(goal: &SearchGoal, steps: &[aiperf_report::HistoryStep]) -> Option<StepPlan> {
    let mut planner = CapacityPlanner::new(goal.clone());
    for step in steps {
        planner.tell(step.record.clone());
    }
    match planner.next().action {
        SearchAction::Measure(plan) => Some(plan),
        SearchAction::Finish(_) => None,
    }
}

#[test]
fn the_most_users_of_a_server_that_refuses_more_are_found() {
    let sim = sim(FIVE_AT_ONCE);
    let ended = capacity(&sim.url(), &format!("{USERS} --html")).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let result = ended.artifacts.json("capacity.json");
    let users = result["capacity"]["estimate"].as_f64().unwrap();
    assert!((4.0..=5.0).contains(&users), "{users} users");
    assert_eq!(result["unit"], "users");
    assert_eq!(result["report"]["binding_slo"], "request_latency p99");
    assert!(ended.stdout.contains("Capacity: ") && ended.stdout.contains("95 % interval"), "{}", ended.stdout);
    assert!(ended.stderr.contains("Forecast: "), "{}", ended.stderr);
    let (goal, steps) = history(&ended.artifacts.path(""));
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(twin(&goal, &steps[..index]), Some(step.record.plan), "step {}", index + 1);
    }
    let is_found = result["report"]["outcome"] == "found";
    assert!(!is_found || twin(&goal, &steps).is_none(), "the search ended before its planner did");
    let sent: u64 = steps.iter().map(|step| step.record.sent).sum();
    let records = fs::read_to_string(ended.artifacts.path("profile_export.jsonl")).unwrap().lines().count() as u64;
    // While the planner works after the last step, more may be sent.
    assert!(sent <= records && records <= 1_500, "{sent} requests of steps, {records} records");
    let summary = ended.artifacts.json("profile_export_aiperf.json");
    assert_eq!(summary["capacity"]["capacity"], result["capacity"]);
    let page = fs::read_to_string(ended.artifacts.path("report.html")).unwrap();
    assert!(page.contains("capacityChart"));
    let checked = Program::new("validate").word(ended.artifacts.path("").as_os_str()).run();
    assert_eq!(checked.code, Some(0), "{}{}", checked.stdout, checked.stderr);
    let shown = Program::new("report").word(ended.artifacts.path("").as_os_str()).run();
    assert!(shown.stdout.contains("Capacity: "), "{}", shown.stdout);
}

#[test]
fn a_search_for_a_rate_that_runs_out_of_requests_says_how_well_the_capacity_is_known() {
    let sim = sim("ttft=2&itl=0&osl=1&batch=2");
    let slo = "--slo request_latency:600000 --max-requests 1500 --no-gpu-telemetry --ui none";
    let ended = capacity(&sim.url(), slo).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let result = ended.artifacts.json("capacity.json");
    assert_eq!(result["unit"], "requests/s");
    assert_eq!(result["report"]["outcome"], "budget_used");
    assert!(result["reason"].as_str().unwrap().contains("request budget is used"), "{}", result["reason"]);
    assert_eq!(result["decisions"][0]["plan"]["level"]["concurrency"], 1, "the closed loop comes first");
    let purposes: Vec<&Value> =
        result["decisions"].as_array().unwrap().iter().map(|step| &step["plan"]["purpose"]).collect();
    assert!(purposes.iter().any(|purpose| **purpose == "staircase"), "{purposes:?}");
}

#[test]
fn a_server_that_fails_always_has_no_capacity() {
    let sim = sim("ttft=1&itl=0&osl=1&error_rate=1");
    let ended = capacity(&sim.url(), USERS).run();
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let result = ended.artifacts.json("capacity.json");
    assert_eq!(result["report"]["outcome"], "always_violated");
    assert!(ended.stdout.contains("Capacity: none"), "{}", ended.stdout);
}

fn steps_of(folder: &Path) -> usize {
    CapacityHistory::read(&folder.join("capacity_history.jsonl")).map_or(0, |steps| steps.len())
}

/// Kills the program when as many more steps are in its history, and a little later. It may have ended before.
fn kill_after(mut running: Running, folder: &Path, more: usize, later: Duration) -> Ended {
    let wanted = steps_of(folder) + more;
    wait_for("the search to go on", || (steps_of(folder) >= wanted || running.has_ended()).then_some(()));
    std::thread::sleep(later);
    if !running.has_ended() {
        running.signal(Signal::KILL);
    }
    running.end()
}

/// Makes a search that is killed at most `kills` times. Returns its folder and how often it was killed.
fn killed_search(url: &str, kills: usize, instants: &mut impl FnMut() -> (usize, Duration)) -> (Ended, usize) {
    let running = capacity(url, USERS).start();
    let folder = running.out();
    let (_, later) = instants();
    // Before its first step there is nothing to continue. Its folder lives as long as this value.
    let first = kill_after(running, &folder, 1, later);
    let folder = first.artifacts.path("");
    let mut killed = usize::from(first.code.is_none());
    while killed < kills {
        let (more, later) = instants();
        let ended = kill_after(resume(&folder).start(), &folder, more, later);
        if ended.code.is_some() {
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            break;
        }
        killed += 1;
    }
    let last = resume(&folder).run();
    assert_eq!(last.code, Some(0), "{}{}", last.stdout, last.stderr);
    (first, killed)
}

#[test]
fn a_search_that_is_killed_at_20_instants_continues_with_the_points_of_its_twin() {
    let sim = sim(FIVE_AT_ONCE);
    let mut draws = Seed::fixed(24).stream("kills");
    let mut instants = || ((draws.next_u64() % 2) as usize, Duration::from_micros(draws.next_u64() % 200_000));
    let mut killed = 0;
    let mut folders = Vec::new();
    while killed < 20 {
        let (search, times) = killed_search(&sim.url(), 20 - killed, &mut instants);
        let (goal, steps) = history(&search.artifacts.path(""));
        for (index, step) in steps.iter().enumerate() {
            assert_eq!(twin(&goal, &steps[..index]), Some(step.record.plan), "step {}", index + 1);
        }
        killed += times;
        folders.push(search);
    }
    println!("killed {killed} times in {} searches", folders.len());
    let folder = folders[0].artifacts.path("");
    let again = resume(&folder).run();
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("is complete"), "{}", again.stderr);
    let changed = resume(&folder).with(&format!("--url {} --slo request_latency:5", sim.url())).run();
    assert_eq!(changed.code, Some(1));
    assert!(changed.stderr.contains("differs from the one that began there"), "{}", changed.stderr);
}

#[test]
fn ctrl_c_keeps_what_is_known_and_says_how_to_continue() {
    let sim = sim("ttft=20&itl=0&osl=1&batch=5&most=5");
    let mut running = capacity(&sim.url(), USERS).start();
    let folder = running.out();
    wait_for("some steps", || (steps_of(&folder) >= 3 || running.has_ended()).then_some(()));
    running.signal(Signal::INT);
    let ended = running.end();
    assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
    let result = ended.artifacts.json("capacity.json");
    assert_eq!(result["report"]["outcome"], "interrupted");
    assert!(ended.stderr.contains("aiperf capacity --resume"), "{}", ended.stderr);
    assert!(ended.stdout.contains("Warning [interrupted]"), "{}", ended.stdout);
}

#[test]
fn options_that_contradict_the_search_are_refused_by_name() {
    for (options, said) in [
        ("--slo request_latency:5 --request-rate 3", "--request-rate"),
        ("--slo request_latency:5 --concurrency 3", "--concurrency"),
        ("--slo request_latency:5 --request-count 30", "--max-requests"),
        ("--slo request_latency:5 --isl 10,20", "one run"),
        ("--slo request_latency:avg:5", "percentile"),
        ("--slo time_to_first_token:5", "--slo time_to_first_token"),
        ("--slo request_latency:5 --precision 3", "0.5%"),
        ("", "--slo"),
    ] {
        let ended = Program::new(&format!("capacity --url sim: {options}")).run();
        assert_eq!(ended.code, Some(1), "{options}: {}", ended.stderr);
        assert!(ended.stderr.contains(said) && ended.stderr.lines().count() <= 2, "{options}: {}", ended.stderr);
    }
    let ended = Program::new("profile --url sim: --slo request_latency:5").run();
    assert!(ended.stderr.contains("aiperf capacity"), "{}", ended.stderr);
}

#[test]
fn the_recipe_and_a_configuration_file_mean_the_same_search() {
    let sim = sim(FIVE_AT_ONCE);
    let words =
        "--model test-model --tokenizer builtin --isl 20 --osl 1 --no-server-metrics --no-gpu-telemetry --ui none";
    let recipe = Program::new(&format!(
        "profile --artifact-dir out --url {} {words} --search-recipe max-rate-under-slo --capacity-of users \
         --e2e-sla-ms 600000 --max-requests 300",
        sim.url()
    ));
    let ended = recipe.run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    let goal = |ended: &Ended| ended.artifacts.json("capacity.json")["goal"].clone();
    let of_recipe = goal(&ended);
    assert!(ended.stdout.contains("aiperf capacity --artifact-dir out"), "{}", ended.stdout);
    let file = format!(
        "sweep: {{type: capacity, of: users, slo: 'request_latency:600000', maxRequests: 300}}\nbenchmark:\n  model: test-model\n  \
         endpoint: {{url: '{}'}}\n  tokenizer: {{name: builtin}}\n  dataset: {{isl: 20, osl: 1}}\n",
        sim.url()
    );
    let words = "--artifact-dir out --no-server-metrics --no-gpu-telemetry --ui none";
    let ended = Program::new(&format!("profile -f search.yaml {words}")).file("search.yaml", &file).run();
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert_eq!(goal(&ended), of_recipe);
}
