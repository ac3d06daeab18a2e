//! Keys and passwords reach the server and nothing else; headers carry any text; large bodies are held once.

use std::fs;

use serde_json::json;

use crate::support::{
    Ended, Program, ProxyBehaviour, ProxyServer, ReceivedRequest, TestReply, TestServer, chat_events, chat_reply,
    in_chunks, in_one,
};

const SECRETS: [&str; 8] =
    ["sekret-key", "sekret-a", "sekret-b", "sekret-c", "sekret-d", "sekret-url", "sekret-proxy", "sekret-set"];

/// Every file of the run and both its outputs are free of all secrets.
fn assert_no_secret(ended: &Ended) {
    let names = ended.artifacts.names();
    for expected in ["profile_export.jsonl", "profile_export_raw.jsonl", "logs/aiperf.log"] {
        assert!(names.iter().any(|name| name == expected), "{expected} is not among {names:?}");
    }
    let mut places: Vec<(String, String)> =
        vec![("stdout".into(), ended.stdout.clone()), ("stderr".into(), ended.stderr.clone())];
    for name in names {
        let bytes = fs::read(ended.artifacts.path(&name)).unwrap();
        places.push((name, String::from_utf8_lossy(&bytes).into_owned()));
    }
    // Basic credentials are secrets in another spelling.
    let encoded = "bWU6c2VrcmV0LXByb3h5";
    for (place, text) in places {
        for secret in SECRETS.iter().chain([&encoded]) {
            assert!(!text.contains(secret), "{secret} is in {place}");
        }
    }
}

fn program(server: &TestServer, proxy: &ProxyServer) -> Program {
    Program::profile(&format!("--url {}/v1?api-key=sekret-url&api-version=7", server.url()))
        .with("--model m --tokenizer builtin --isl 20 --request-count 3 --concurrency 1 --streaming")
        .with("--export-level raw --export-http-trace -vv --wait-for-model-timeout 5")
        .with("--reset-kv-cache --server-profiler")
        .with("--api-key sekret-key --header X-Api-Key:sekret-a --header Cookie:id=sekret-b")
        .word("--header")
        .word(r#"{"X-Amz-Security-Token": "sekret-c"}"#)
        .word("--header")
        .word("X-Plain: seen,My-Secret: sekret-d")
        .env("AIPERF_HTTP_TRUST_ENV", "1")
        .env("HTTP_PROXY", format!("http://me:sekret-proxy@{}", proxy.addr))
}

#[test]
fn no_secret_is_in_any_file_or_output() {
    let server = TestServer::start(|_, asked| {
        if asked.target.contains("completions") && !asked.body.is_empty() {
            let parts: Vec<Vec<u8>> = chat_events(&["one"]).into_iter().map(String::into_bytes).collect();
            in_chunks("Set-Cookie: id=sekret-set\r\n", &parts)
        } else {
            in_one("200 OK", "Set-Cookie: id=sekret-set\r\n", b"{}")
        }
    });
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
    let ended = program(&server, &proxy).run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let asked = server.received();
    let sent = asked.iter().find(|asked| asked.target.contains("completions") && asked.body.len() > 100).unwrap();
    for (name, value) in [
        ("authorization", "Bearer sekret-key"),
        ("x-api-key", "sekret-a"),
        ("cookie", "id=sekret-b"),
        ("x-amz-security-token", "sekret-c"),
        ("my-secret", "sekret-d"),
        ("proxy-authorization", "Basic bWU6c2VrcmV0LXByb3h5"),
    ] {
        assert_eq!(sent.header(name).as_deref(), Some(value), "{name}");
    }
    assert!(sent.target.contains("?api-key=sekret-url&api-version=7"), "{}", sent.target);
    assert_no_secret(&ended);
    // What is not a secret is shown.
    let summary = ended.artifacts.text("profile_export_aiperf.json");
    assert!(summary.contains("X-Plain: seen") && summary.contains("api-version=7"), "{summary}");
}

#[test]
fn keys_in_extra_inputs_reach_the_server_and_no_file() {
    let server = TestServer::start(|_, asked| {
        let said = String::from_utf8_lossy(&asked.body);
        let reply = json!({"object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": said}}]});
        in_one("200 OK", "Content-Type: application/json\r\n", reply.to_string().as_bytes())
    });
    let ended = Program::profile(&format!("--url {}", server.url()))
        .with("--model m --tokenizer builtin --isl 20 --request-count 3 --export-level raw -vv --export-outputs-json")
        .word("--extra-inputs")
        .word(r#"{"api_key": "sekret-a", "options": {"password": "ab1"}, "max_tokens": 7, "eos_token": "</s>"}"#)
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let sent = String::from_utf8(server.received()[0].body.clone()).unwrap();
    assert!(sent.contains("sekret-a") && sent.contains("ab1"), "{sent}");
    assert_no_secret(&ended);
    for name in ["profile_export_aiperf.json", "inputs.json", "profile_export_raw.jsonl"] {
        let text = ended.artifacts.text(name);
        assert!(!text.contains("\"ab1\"") && text.contains("<redacted>"), "{name}: {text}");
        assert!(text.contains("eos_token") && text.contains("</s>"), "{name}");
    }
}

#[test]
fn no_secret_is_in_what_is_written_of_failures() {
    let server = TestServer::start(|_, asked| {
        if asked.body.is_empty() || asked.target.contains("models") {
            in_one("200 OK", "", b"{}")
        } else {
            in_one("401 Unauthorized", "", b"Incorrect API key provided: sekret-key.")
        }
    });
    let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
    let ended = program(&server, &proxy).run();
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    let error = &ended.artifacts.records()[0].0["error"];
    assert_eq!(error["message"], "Incorrect API key provided: <redacted>.");
    assert_no_secret(&ended);
}

/// All that the server was told, as careless servers give it back.
fn repeated(asked: &ReceivedRequest) -> String {
    let headers = asked.headers.iter().map(|(name, value)| format!("{name}: {}", String::from_utf8_lossy(value)));
    format!("{} {}\r\n{}", asked.method, asked.target, headers.collect::<Vec<_>>().join("\r\n"))
}

#[test]
fn what_a_server_repeats_of_us_is_in_no_file() {
    let plain = |asked: &ReceivedRequest| {
        let message = json!({"role": "assistant", "content": repeated(asked)});
        let reply = json!({"object": "chat.completion", "choices": [{"index": 0, "message": message}]});
        in_one("200 OK", "Content-Type: application/json\r\nX-Echo: sekret-key\r\n", reply.to_string().as_bytes())
    };
    let stream = |asked: &ReceivedRequest| {
        let parts = chat_events(&[&repeated(asked), "more"]).into_iter().map(String::into_bytes).collect::<Vec<_>>();
        in_chunks("X-Echo: sekret-url\r\n", &parts)
    };
    let failure = |asked: &ReceivedRequest| {
        let event = json!({"error": {"message": repeated(asked), "code": 401}});
        in_chunks("", &[format!("data: {event}\n\n").into_bytes()])
    };
    let moved = |asked: &ReceivedRequest| {
        if asked.target.contains("elsewhere") {
            in_one("401 sekret-key is bad", "", repeated(asked).as_bytes())
        } else {
            in_one("307 Elsewhere", "Location: /elsewhere/sekret-url\r\n", b"")
        }
    };
    let check = |code: i32, answer: fn(&ReceivedRequest) -> TestReply| {
        let server = TestServer::start(move |_, asked| {
            let is_other = asked.target.contains("completions") || asked.body.is_empty();
            if is_other && asked.body.len() < 100 && !asked.target.contains("elsewhere") {
                in_one("200 OK", "", b"{}")
            } else {
                answer(asked)
            }
        });
        let proxy = ProxyServer::start(server.addr, ProxyBehaviour::Forwarding);
        let ended = program(&server, &proxy)
            .with("--conversation-num 2 --conversation-turn-mean 2 --export-outputs-json --export-records-parquet")
            .run();
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        let raw = ended.artifacts.text("profile_export_raw.jsonl");
        assert!(raw.lines().count() >= 3 && raw.contains("<redacted>"), "{raw}");
        assert_no_secret(&ended);
    };
    check(0, plain);
    check(0, stream);
    check(1, failure);
    check(1, moved);
}

#[test]
fn keys_are_hidden_in_addresses_and_paths_of_any_form() {
    let server =
        TestServer::start(|_, _| in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()));
    let bare = server.url().replace("http://", "");
    let ended = Program::profile(&format!("--url {bare}/v1?api-key=sekret-url --endpoint /chat?key=sekret-a"))
        .with("--model m --tokenizer builtin --isl 20 --request-count 1 --export-level raw -vv")
        .with("--reset-kv-cache-path /reset?token=sekret-b --server-profiler-start-path /start?sig=sekret-c")
        .run();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(server.received().iter().any(|asked| asked.target == "/v1/chat?api-key=sekret-url&key=sekret-a"));
    assert_no_secret(&ended);
}

#[test]
fn headers_carry_any_text_as_utf_8() {
    let server =
        TestServer::start(|_, _| in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes()));
    let words = format!("--url {} --model m --tokenizer builtin --isl 20 --request-count 1 --header", server.url());
    Program::profile(&words).word("X-Name: Zoë – 東京,X-Empty:,X-Number:007").succeed();
    let asked = &server.received()[0];
    let raw = |name: &str| asked.headers.iter().find(|(known, _)| known == name).unwrap().1.clone();
    assert_eq!(raw("X-Name"), "Zoë – 東京".as_bytes());
    assert_eq!((raw("X-Empty"), raw("X-Number")), (Vec::new(), b"007".to_vec()));
    for bad in ["X-A: a\nb", "X-A: a\u{7}b", "X-A: \u{7f}"] {
        Program::profile(&words).word(bad).run().was_refused_with(&["--header", "control character"]);
    }
}

/// Largest resident memory of a run so far, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory(id: u32) -> Option<usize> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<usize>().unwrap() * 1024)
}

#[test]
#[cfg(target_os = "linux")]
fn a_large_body_is_held_once_however_many_requests_carry_it() {
    use std::thread;
    use std::time::Duration;

    const BODY: usize = 8 << 20;
    let image = format!("data:image/png;base64,{}", "A".repeat(BODY));
    let content = json!([{"type": "text", "text": "hi"}, {"type": "image_url", "image_url": {"url": image}}]);
    let row = json!({"model": "m", "messages": [{"role": "user", "content": content}]}).to_string();
    let server = TestServer::start(|_, _| {
        // Long enough for all requests to be under way at once.
        thread::sleep(Duration::from_millis(300));
        in_one("200 OK", "Content-Type: application/json\r\n", chat_reply().as_bytes())
    });
    let peak = |concurrency: usize| {
        let words = format!(
            "--url {} --model m --tokenizer builtin --input-file rows.jsonl --custom-dataset-type raw_payload \
             --workers-max 1 --concurrency {concurrency} --request-count {}",
            server.url(),
            2 * concurrency
        );
        let mut running = Program::profile(&words).file("rows.jsonl", &row).start();
        let mut peak = 0;
        while !running.has_ended() {
            peak = peak.max(peak_memory(running.id()).unwrap_or(0));
            thread::sleep(Duration::from_millis(2));
        }
        let ended = running.end();
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        peak
    };
    let (alone, many) = (peak(1), peak(16));
    assert!(many < alone + 4 * BODY, "one request at a time takes {alone} bytes, sixteen take {many}");
}
