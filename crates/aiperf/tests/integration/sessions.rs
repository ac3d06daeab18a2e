//! Conversations of several turns: what the server is told of what was said before, and when.

use serde_json::{Value, json};

use crate::support::{Log, Program, reply_of, sim};

fn pair(role: &str, content: &str) -> (String, String) {
    (role.to_owned(), content.to_owned())
}

/// Each turn must begin with the whole turn before it and the server's own answer to that, word for word. `again` is the
/// same server once more, which gives the same answers to the same questions.
fn assert_live_history(log: &Log, again: &aiperf_sim::Sim) {
    for session in log.sessions() {
        for turns in session.windows(2) {
            let mut expected = turns[0].messages();
            expected.push(pair("assistant", &reply_of(again, &turns[0].body)));
            let seen = turns[1].messages();
            assert_eq!(seen[..expected.len()], expected);
            assert_eq!(seen.len(), expected.len() + 1, "one new message");
            assert_eq!(seen.last().unwrap().0, "user");
            assert!(turns[1].arrival >= turns[0].end, "sent before the answer was there");
        }
    }
}

#[test]
fn each_turn_carries_what_was_said_before_with_the_servers_own_replies() {
    let options = "ttft=5&itl=1&seed=4";
    let (sim, again) = (sim(options), sim(options));
    let words =
        "--concurrency 3 --num-sessions 5 --session-turns-mean 3 --session-turns-stddev 1 --osl 12 --random-seed 8";
    let artifacts = Program::against(&sim, words).with("--workers-max 2 --export-level raw").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.sessions().len(), 5);
    assert!(log.iter().any(|entry| entry.messages().len() >= 5));
    assert_live_history(&log, &again);
    // The records agree with the server on who is who.
    for record in artifacts.records() {
        let entry = log.iter().find(|entry| entry.id() == record.word("x_request_id")).unwrap();
        assert_eq!(entry.messages().len() as u64, 2 * record.number("turn_index") + 1);
        assert_eq!(record.metric("input_sequence_length") as u32, entry.truth.prompt_tokens.unwrap());
    }
}

#[test]
fn a_streamed_reply_is_put_together_for_the_next_turn() {
    let sim = sim("ttft=5&itl=1");
    let words = "--streaming --num-sessions 2 --session-turns-mean 2 --osl 9 --export-level raw";
    let artifacts = Program::against(&sim, words).succeed();
    let log = Log::of(&sim, &artifacts);
    let raw = artifacts.raw_records();
    for session in log.sessions() {
        // What came over the wire, event by event.
        let first = raw.iter().find(|record| record.word("x_request_id") == session[0].id()).unwrap();
        let events = first.0["responses"].as_array().unwrap().iter();
        let event = |response: &Value| -> Value {
            serde_json::from_str(response["packets"][0]["value"].as_str().unwrap()).unwrap_or_default()
        };
        let said: String =
            events.filter_map(|e| event(e)["choices"][0]["delta"]["content"].as_str().map(str::to_owned)).collect();
        assert_eq!(session[0].truth.output_tokens, 9);
        assert!(!said.is_empty());
        let second = session[1].messages();
        assert_eq!(second[..2], [session[0].messages()[0].clone(), pair("assistant", &said)]);
    }
}

#[test]
fn pauses_are_as_long_as_asked_scaled_and_capped() {
    let (file, made) = (sim("ttft=0&itl=0&osl=1"), sim("ttft=0&itl=0&osl=1"));
    let turns = json!([{"text": "a"}, {"text": "b", "delay": 200}, {"text": "c", "delay": 600_000}]);
    let rows = [json!({"session_id": "s", "turns": turns})];
    let words = "--custom-dataset-type multi_turn --num-sessions 1 --inter-turn-delay-cap-seconds 0.4";
    let artifacts = Program::replaying(&file, &rows, words).succeed();
    let log = Log::of(&file, &artifacts);
    assert!(log.saying("b").arrival >= log.saying("a").end + 0.2);
    assert!(log.saying("c").arrival >= log.saying("b").end + 0.4);

    let words = "--num-sessions 2 --session-turns-mean 2 --session-turn-delay-mean 1000 --session-delay-ratio 0.3";
    let artifacts = Program::against(&made, words).with("--export-level raw").succeed();
    for session in Log::of(&made, &artifacts).sessions() {
        assert!(session[1].arrival >= session[0].end + 0.3);
    }
}

#[test]
fn a_file_of_conversations_is_sent_turn_by_turn() {
    let options = "ttft=0&itl=0&osl=6";
    let (sim, again) = (sim(options), sim(options));
    let rows = [
        json!({"session_id": "one", "turns": [
            {"role": "system", "text": "Be brief."}, {"text": "first", "output_length": 4}, {"text": "second"}]}),
        json!({"session_id": "two", "turns": [{"text": "alone"}]}),
        json!({"session_id": "one", "turns": [{"text": "third"}]}),
    ];
    let artifacts =
        Program::replaying(&sim, &rows, "--custom-dataset-type multi_turn --num-sessions 2 --concurrency 2").succeed();
    let log = Log::of(&sim, &artifacts);
    assert_eq!(log.len(), 4, "a system turn is no request");
    let third = log.saying("third").messages();
    let roles: Vec<&str> = third.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user", "assistant", "user"]);
    assert_eq!(third[0].1, "Be brief.");
    assert_eq!(log.saying("first").messages(), [pair("system", "Be brief."), pair("user", "first")]);
    assert_eq!(log.saying("alone").messages(), [pair("user", "alone")]);
    assert_eq!(log.saying("first").body["max_completion_tokens"], 4);
    assert_live_history(&log, &again);
    assert_eq!(artifacts.counted("sessions_completed"), 2);
}

#[test]
fn a_failed_turn_does_not_end_its_session_and_leaves_no_reply() {
    let sim = sim("ttft=0&itl=0&osl=3&error_every=2");
    let turns: Vec<Value> = (0..4).map(|n| json!({"text": format!("t{n}")})).collect();
    let rows = [json!({"session_id": "s", "turns": turns})];
    let artifacts = Program::replaying(&sim, &rows, "--custom-dataset-type multi_turn --num-sessions 1").succeed();
    let log = Log::of(&sim, &artifacts);
    let status: Vec<u16> = log.iter().map(|entry| entry.truth.status).collect();
    assert_eq!(status, [200, 500, 200, 500]);
    let last: Vec<String> = log.saying("t3").messages().into_iter().map(|(role, _)| role).collect();
    assert_eq!(last, ["user", "assistant", "user", "user", "assistant", "user"]);
    let counts = artifacts.accounting("profiling");
    assert_eq!((&counts["sent"], &counts["errors"], &counts["sessions_completed"]), (&4.into(), &2.into(), &1.into()));
}

#[test]
fn all_turns_of_a_session_are_sent_by_one_worker() {
    let sim = sim("ttft=20&itl=0&osl=2");
    // More than one worker takes alone.
    let words = "--concurrency 40 --num-sessions 44 --session-turns-mean 3 --workers-max 3";
    let artifacts = Program::against(&sim, words).succeed();
    let mut workers = std::collections::HashMap::new();
    for record in artifacts.records() {
        let worker = record.word("worker_id").to_owned();
        let first = workers.entry(record.word("x_correlation_id").to_owned()).or_insert_with(|| worker.clone());
        assert_eq!(*first, worker);
    }
    assert_eq!(workers.len(), 44);
    assert!(workers.values().collect::<std::collections::HashSet<_>>().len() > 1, "one worker did it all");
}
