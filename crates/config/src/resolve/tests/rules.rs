//! Each rule about options that go or do not go together: what is typed, and what the error must say.

use super::{check, resolve, with_model};

#[test]
fn sweeps_are_refused_by_name() {
    for option in [
        "concurrency",
        "prefill-concurrency",
        "num-users",
        "session-turns-mean",
        "request-rate",
        "request-count",
        "benchmark-duration",
        "num-sessions",
        "isl",
        "isl-stddev",
        "osl",
        "osl-stddev",
    ] {
        let word = format!("--{option}=1, 2");
        check(&[(
            &[&word, "--osl=1", if option == "num-users" { "--user-centric-rate=1" } else { "--streaming" }],
            &[&format!("--{option}"), "sweep", "not supported yet"],
        )]);
    }
}

#[test]
fn data() {
    check(&[
        (&["--isl=-5"], &["--isl", "at least 0"]),
        (&["--isl=0"], &["--isl", "nothing in it"]),
        (&["--osl-stddev=1"], &["--osl-stddev", "--osl"]),
        (&["--num-prefix-prompts=0"], &["--num-prefix-prompts", "at least 1"]),
        (&["--batch-size=0"], &["--batch-size", "at least 1"]),
        (&["--num-prefix-prompts=2"], &["--num-prefix-prompts", "--prefix-prompt-length"]),
        (&["--prefix-prompt-length=2"], &["--prefix-prompt-length", "--num-prefix-prompts"]),
        (
            &["--num-prefix-prompts=2", "--prefix-prompt-length=2", "--shared-system-prompt-length=3"],
            &["--num-prefix-prompts", "--shared-system-prompt-length"],
        ),
        (
            &["--prefix-prompt-length=2", "--user-context-prompt-length=3"],
            &["--prefix-prompt-length", "--user-context-prompt-length"],
        ),
    ]);
}

#[test]
fn system_prompt() {
    let folder = tempfile::tempdir().unwrap();
    let blank = folder.path().join("blank.txt");
    std::fs::write(&blank, " \n").unwrap();
    let bytes = folder.path().join("bytes");
    std::fs::write(&bytes, [0xff, 0xfe]).unwrap();
    check(&[
        (&["--system-prompt=a", "--system-prompt-file=b"], &["--system-prompt ", "--system-prompt-file"]),
        (
            &["--system-prompt=a", "--shared-system-prompt-length=2"],
            &["--system-prompt ", "--shared-system-prompt-length"],
        ),
        (
            &["--system-prompt=a", "--num-prefix-prompts=2", "--prefix-prompt-length=2"],
            &["--system-prompt ", "--num-prefix-prompts"],
        ),
        (&["--system-prompt= "], &["--system-prompt", "blank"]),
        (&["--system-prompt-file=nowhere.txt"], &["--system-prompt-file", "nowhere.txt"]),
        (&[&format!("--system-prompt-file={}", blank.display())], &["--system-prompt-file", "blank"]),
        (&[&format!("--system-prompt-file={}", bytes.display())], &["--system-prompt-file", "UTF-8"]),
        (&["--system-prompt=a", "--endpoint-type=completions"], &["--system-prompt", "--endpoint-type chat"]),
        (
            &["--shared-system-prompt-length=2", "--endpoint-type=embeddings"],
            &["--shared-system-prompt-length", "--endpoint-type chat"],
        ),
        (
            &["--user-context-prompt-length=2", "--endpoint-type=completions"],
            &["--user-context-prompt-length", "--endpoint-type chat"],
        ),
    ]);
}

#[test]
fn endpoint() {
    for words in [&[] as &[&str], &["--model=", "--streaming"], &["--model= , "], &["--model=", "--url=sim:"]] {
        let message = resolve(words).unwrap_err().to_string();
        assert!(message.contains("--model"), "{message}");
    }
    check(&[
        (&["--model-selection-strategy=weighted"], &["--model-selection-strategy", "weights"]),
        (&["--url=ftp://x"], &["--url", "http://"]),
        (&["--url=http://x:70000"], &["--url", "65535"]),
        (&["--url=http://x y"], &["--url", "blanks"]),
        (&["--url=,"], &["--url", "address"]),
        (&["--endpoint=v1/chat"], &["--endpoint", "/"]),
        (&["--custom-endpoint=v1/chat"], &["--custom-endpoint", "/"]),
        (&["--endpoint-type=nim-rankings"], &["--endpoint-type nim_rankings", "not supported yet", "chat"]),
        (&["--endpoint-type=chats"], &["--endpoint-type", "choose one of chat, completions"]),
        (&["--per-chunk-usage", "--streaming"], &["--per-chunk-usage", "--use-server-token-count"]),
        (&["--per-chunk-usage", "--use-server-token-count"], &["--per-chunk-usage", "--streaming"]),
        (
            &["--per-chunk-usage", "--use-server-token-count", "--streaming", "--endpoint-type=completions"],
            &["--per-chunk-usage", "--endpoint-type chat"],
        ),
        (&["--request-timeout-seconds=0"], &["--request-timeout-seconds", "above 0"]),
        (&["--request-timeout-seconds=10s"], &["--request-timeout-seconds", "without a unit"]),
        (&["--session-header=a b"], &["--session-header", "name of a header"]),
        (&["--header=nothing"], &["--header", "Name: value"]),
        (&["--extra-inputs=nothing"], &["--extra-inputs", "key:value"]),
        (&["--extra-inputs={"], &["--extra-inputs", "JSON"]),
        (&["--tokenizer=builtin", "--tokenizer-revision=x"], &["--tokenizer-revision", "builtin"]),
        (&["--tokenizer="], &["--tokenizer", "builtin"]),
        (&["--tokenizer-trust-remote-code"], &["--tokenizer-trust-remote-code", "never run code"]),
        (&["--streaming=maybe"], &["--streaming", "true, yes, 1"]),
        (&["--transport=grpc"], &["--transport", "http"]),
    ]);
    let message = with_model(&["--api-key= "]).unwrap_err().to_string();
    assert!(message.contains("--api-key") && message.contains("<redacted>"), "{message}");
    let message = with_model(&["--header=Authorization Bearer abc"]).unwrap_err().to_string();
    assert!(message.contains("--header") && !message.contains("abc"), "{message}");
}

#[test]
fn output() {
    check(&[
        (&["--goodput="], &["--goodput", "metric:limit"]),
        (&["--goodput=ttft"], &["--goodput", "no `:`"]),
        (&["--ui=dashboard"], &["--ui dashboard", "not supported yet", "simple"]),
        (&["--export-http-trace", "--export-level=summary"], &["--export-http-trace", "--export-level"]),
        (&["--profile-export-prefix=.json"], &["--profile-export-prefix", "no name"]),
        (&["--profile-export-prefix=a/b"], &["--profile-export-prefix", "--artifact-dir"]),
        (&["--artifact-dir="], &["--artifact-dir", "folder"]),
        (&["--verbose", "--log-level=error"], &["--verbose", "--log-level"]),
        (&["--no-gpu-telemetry=false"], &["--no-gpu-telemetry", "cannot be collected"]),
        (&["--no-server-metrics=no"], &["--no-server-metrics", "cannot be collected"]),
        (&["--workers-max=0"], &["--workers-max", "at least 1"]),
        (&["--record-processors=0"], &["--record-processors", "at least 1"]),
        (&["--random-seed=-1"], &["--random-seed", "at least 0"]),
        (&["--random-seed=1.5"], &["--random-seed", "whole number"]),
        (&["--request-count=99999999999999999999999"], &["--request-count", "too large"]),
        (&["--benchmark-duration=1e300"], &["--benchmark-duration", "too long"]),
    ]);
}
