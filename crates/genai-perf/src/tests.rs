//! Every option of the tables: what it becomes, or how it is refused.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::commands::{ANALYZE, CONFIG, TEMPLATE};
use crate::help::becomes;
use crate::table::{Becomes, PERF_ANALYZER, PROFILE, Takes};
use crate::{ConfigTemplate, GenaiPerfCommand, GenaiPerfError, MergeJob, read, words_of};

fn line(words: &str) -> Result<Vec<String>, GenaiPerfError> {
    in_folder(Path::new("/nowhere"), words)
}

fn in_folder(folder: &Path, words: &str) -> Result<Vec<String>, GenaiPerfError> {
    let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
    match read(&words, folder)? {
        GenaiPerfCommand::Run(series) => Ok(series.runs.into_iter().next().unwrap().words.split_off(2)),
        other => panic!("{other:?}"),
    }
}

/// What chat with a model becomes by these options, beyond what it becomes without.
fn adds(words: &str) -> Vec<String> {
    let plain = line("profile -m m --endpoint-type chat").unwrap();
    let with = line(&format!("profile -m m --endpoint-type chat {words}")).unwrap();
    with.into_iter().filter(|word| !plain.contains(word)).collect()
}

fn refusal(words: &str) -> String {
    line(words).unwrap_err().to_string()
}

#[test]
fn it_is_known_by_its_command_and_by_its_name() {
    let args = |words: &str| words.split(' ').map(OsString::from).collect::<Vec<_>>();
    assert_eq!(words_of(&args("aiperf genai-perf profile -m m")), Some(&args("profile -m m")[..]));
    assert_eq!(words_of(&args("/usr/bin/genai-perf profile -m m")), Some(&args("profile -m m")[..]));
    assert_eq!(words_of(&args("aiperf profile genai-perf")), None);
}

#[test]
fn its_defaults_are_written_out() {
    assert_eq!(
        line("profile -m org/m").unwrap(),
        [
            "--model=org/m",
            "--endpoint-type=kserve",
            "--url=grpc://localhost:8001",
            "--streaming",
            "--request-count=10",
            "--random-seed=0",
            "--artifact-dir=artifacts/org_m-triton-tensorrtllm-concurrency1",
            "--export-level=raw",
            "--export-genai-perf",
        ]
    );
    let chat = line("profile -m m --endpoint-type chat --concurrency 8").unwrap();
    assert!(chat.contains(&"--request-count=16".to_owned()) && !chat.iter().any(|word| word.starts_with("--url")));
    assert!(chat.contains(&"--artifact-dir=artifacts/m-openai-chat-concurrency8".to_owned()), "{chat:?}");
}

#[test]
fn options_of_the_same_meaning_keep_their_values() {
    for (flag, front) in PROFILE.iter().map(|flag| (flag, "")).chain(PERF_ANALYZER.iter().map(|flag| (flag, "-- "))) {
        let (Becomes::Same(name) | Becomes::UnlessZero(name)) = flag.becomes else { continue };
        for typed in flag.names {
            let (words, expected) = match flag.takes {
                Takes::Nothing => (format!("{front}{typed}"), name.to_owned()),
                _ => (format!("{front}{typed} 7"), format!("{name}=7")),
            };
            assert!(adds(&words).contains(&expected), "{words}: {:?}", adds(&words));
        }
        if let Becomes::UnlessZero(_) = flag.becomes {
            assert_eq!(adds(&format!("{front}{} 0", flag.names[0])), Vec::<String>::new());
        }
    }
}

#[test]
fn every_refused_option_is_named_with_what_to_do() {
    let mut seen = 0;
    for (table, front) in [(PROFILE, ""), (PERF_ANALYZER, "-- ")] {
        for flag in table {
            let Becomes::Refused(why) = flag.becomes else { continue };
            for typed in flag.names {
                let value = if flag.takes == Takes::Nothing { "" } else { " 1" };
                assert_eq!(refusal(&format!("profile -m m {front}{typed}{value}")), format!("{typed} {why}"));
                seen += 1;
            }
        }
    }
    assert!(seen > 30);
}

#[test]
fn lists_become_one_word() {
    assert_eq!(
        adds("--goodput time_to_first_token:100 request_latency:900"),
        ["--goodput=time_to_first_output_token:100 request_latency:900"]
    );
    assert_eq!(adds("--audio-depths 16 24"), ["--audio-depths=16,24"]);
    assert_eq!(adds("--audio-sample-rates"), Vec::<String>::new());
    assert!(line("profile -m a b").unwrap().contains(&"--model=a,b".to_owned()));
}

#[test]
fn what_adds_up_and_what_is_replaced() {
    assert_eq!(adds("-H A:1 -H B:2"), ["--header=A:1", "--header=B:2"]);
    assert_eq!(
        adds("--extra-inputs a:1 --extra-inputs bare"),
        ["--extra-inputs=a:1", "--extra-inputs={\"bare\":null}"]
    );
    assert!(adds("--concurrency 2 --concurrency 3").contains(&"--concurrency=3".to_owned()));
    assert!(adds("--concurrency 2 -- --concurrency-range 4").contains(&"--concurrency=4".to_owned()));
}

#[test]
fn the_load_is_constant_and_lasts_as_it_does_there() {
    let rate = adds("--request-rate 20");
    assert!(rate.contains(&"--request-rate=20".to_owned()) && rate.contains(&"--arrival-pattern=constant".to_owned()));
    assert!(rate.contains(&"--artifact-dir=artifacts/m-openai-chat-request_rate20.0".to_owned()), "{rate:?}");
    assert!(
        adds("--request-rate 20 -- --request-distribution poisson").contains(&"--arrival-pattern=poisson".to_owned())
    );
    assert_eq!(adds("--measurement-interval 1000"), ["--measurement-interval=1000", "--stability-percentage=999"]);
    assert_eq!(
        adds("-p 10000 -s 5 -- --max-trials 20"),
        ["--measurement-interval=10000", "--stability-percentage=5", "--max-trials=20"]
    );
    assert_eq!(adds("-s 999"), Vec::<String>::new());
    assert!(adds("--session-concurrency 3 --num-sessions 5").contains(&"--num-sessions=5".to_owned()));
    assert!(refusal("profile -m m -- --request-distribution poisson").contains("needs --request-rate"));
    assert!(refusal("profile -m m -- --concurrency-range 1:4").contains("takes one value"));
    assert!(refusal("profile -m m --stability-percentage 10").contains("needs --measurement-interval"));
    assert!(refusal("profile -m m --request-count 9 -- -r 20").contains("-r needs --measurement-interval"));
    assert!(refusal("profile -m m -p 0").contains("above 0"));
}

#[test]
fn groups_exclude_each_other() {
    assert!(refusal("profile -m m --concurrency 1 --request-rate 2").contains("cannot be combined"));
    assert!(refusal("profile -m m -p 1000 --request-count 2").contains("cannot be combined"));
}

#[test]
fn lengths_follow_the_endpoint() {
    assert_eq!(adds("--isl 20 --osl 4"), ["--isl=20", "--osl=4", "--use-legacy-max-tokens"]);
    let ranked = line("profile -m m --endpoint-type rankings --isl 20 -b 3").unwrap().join(" ");
    assert!(ranked.contains("--rankings-passages-mean=3 --rankings-passages-prompt-token-mean=20"), "{ranked}");
    let exact = |more: &str| line(&format!("profile -m m --osl 9 --output-tokens-mean-deterministic {more}"));
    assert!(exact("--backend vllm").unwrap().contains(&"--extra-inputs=min_tokens:9".to_owned()));
    assert!(exact("--backend tensorrtllm").unwrap().contains(&"--extra-inputs=min_length:9".to_owned()));
    assert!(exact("--endpoint-type chat").unwrap_err().to_string().contains("ignore_eos:true"));
    assert!(refusal("profile -m m --output-tokens-mean-deterministic").contains("--output-tokens-mean"));
    assert_eq!(adds("--num-prefix-prompts 2"), ["--num-prefix-prompts=2", "--prefix-prompt-length=100"]);
    assert!(refusal("profile -m m --prefix-prompt-length 5").contains("needs --num-prefix-prompts"));
}

#[test]
fn the_endpoint_has_its_backend_path_and_pictures() {
    assert_eq!(adds("--endpoint v1/x"), ["--endpoint=/v1/x"]);
    assert!(refusal("profile -m m --endpoint-type chat --backend vllm").contains("needs --endpoint-type kserve"));
    assert!(refusal("profile -m m --backend python").contains("tensorrtllm or vllm"));
    assert_eq!(adds("--image-width-mean 8"), ["--image-width-mean=8", "--image-format=png"]);
    assert_eq!(adds("-- --ssl-https-verify-peer 0"), ["--insecure"]);
    assert!(refusal("profile -m m -- --ssl-https-verify-peer 2").contains("give 0 or 1"));
}

#[test]
fn files_have_its_names() {
    assert_eq!(adds("--profile-export-file x.json"), ["--profile-export-prefix=x"]);
    assert!(refusal("profile -m m --profile-export-file a/x.json").contains("without a folder"));
    assert!(adds("--artifact-dir out/").contains(&"--artifact-dir=out/m-openai-chat-concurrency1".to_owned()));
}

#[test]
fn each_form_of_input_has_its_type() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("texts", r#"{"text": "a"}"#);
    put("trace", r#"{"timestamp": 1, "input_length": 3}"#);
    put("other", r#"{"text_input": "a"}"#);
    put("command", "cat messages");
    let input = |words: &str| {
        let words = in_folder(folder.path(), &format!("profile -m m --endpoint-type {words}"))?;
        Ok(words
            .into_iter()
            .filter(|word| word.contains("file") || word.contains("type=") || word.contains("schedule"))
            .skip(1)
            .collect::<Vec<_>>()
            .join(" "))
    };
    let good = |words: &str| input(words).map_err(|error: GenaiPerfError| error.to_string()).unwrap();
    assert_eq!(good("chat --input-file texts"), "--input-file=texts --custom-dataset-type=single_turn");
    let trace = "--input-file=trace --custom-dataset-type=mooncake_trace";
    assert_eq!(good("chat --input-file payload:trace"), format!("{trace} --no-fixed-schedule"));
    assert!(
        good("chat --input-file payload:trace --fixed-schedule True").starts_with(&format!("{trace} --fixed-schedule"))
    );
    assert_eq!(good("rankings --input-file ."), "--input-file=. --custom-dataset-type=random_pool");
    assert_eq!(good("rankings --input-file synthetic:queries,passages"), "");
    assert_eq!(good("dynamic_grpc --input-file trace"), "--input-file=trace --custom-dataset-type=raw_payload");
    let rewritten = "artifacts/m-openai-chat-concurrency1/genai_perf_input.jsonl";
    assert!(good("chat --input-file other").contains(rewritten));
    assert_eq!(fs::read_to_string(folder.path().join(rewritten)).unwrap(), "{\"text\":\"a\"}\n");
    for (words, part) in [
        ("dynamic_grpc --input-file command", "JSON rows"),
        ("chat --input-file synthetic:a", "rankings"),
        ("chat --input-file missing", "--input-file \"missing\""),
        ("chat --input-file command", "command:1: not a JSON object"),
        ("chat --input-file texts --fixed-schedule True", "payload:FILE"),
    ] {
        let refused = input(words).unwrap_err().to_string();
        assert!(refused.contains(part), "{words}: {refused}");
    }
}

#[test]
fn names_may_be_shortened_where_only_one_begins_so() {
    assert!(adds("--conc 4").contains(&"--concurrency=4".to_owned()));
    assert!(adds("--concurrency=4").contains(&"--concurrency=4".to_owned()));
    assert!(line("profile -mabc").unwrap().contains(&"--model=abc".to_owned()));
    assert!(refusal("profile -m m --session-turn 4").contains("--session-turns-mean or --session-turns-stddev"));
}

#[test]
fn words_that_mean_nothing_are_refused() {
    for (words, part) in [
        ("profile", "needs --model"),
        ("profile -m", "-m needs a value"),
        ("profile -m m --nothing", "--nothing is not an option of genai-perf profile"),
        ("profile -m m -- --nothing", "--nothing is not an option of perf_analyzer"),
        ("profile -m m --concurrency x", "whole number"),
        ("profile -m m --streaming=1", "takes no value"),
        ("profile stray", "unexpected argument \"stray\""),
        ("other", "no command \"other\""),
    ] {
        assert!(refusal(words).contains(part), "{words}: {}", refusal(words));
    }
    assert_eq!(read(&[], Path::new(".")), Err(GenaiPerfError::NoCommand));
}

#[test]
fn a_sweep_is_a_run_for_each_value() {
    let series = |words: &str| match read(&words.split(' ').map(OsString::from).collect::<Vec<_>>(), Path::new("/here"))
    {
        Ok(GenaiPerfCommand::Run(series)) => series,
        other => panic!("{other:?}"),
    };
    let swept = series("analyze -m org/m --endpoint-type chat --sweep-list 4,8 --artifact-dir out");
    assert_eq!(swept.table, Some("/here/out/analyze_export_genai_perf.csv".into()));
    let names: Vec<&str> = swept.runs.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["org/m_run_config_0", "org/m_run_config_1"]);
    assert_eq!(swept.runs[1].value("--concurrency"), Some("8"));
    assert_eq!(swept.runs[1].value("--request-count"), Some("16"));
    assert_eq!(swept.runs[1].value("--artifact-dir"), Some("out/org_m-openai-chat-concurrency8"));
    let lengths = series("analyze -m m --sweep-type input_sequence_length --sweep-range 64:128");
    assert_eq!(lengths.runs[0].value("--isl"), Some("64"));
    let folder = "artifacts/m-triton-tensorrtllm-concurrency1-input_sequence_length64";
    assert_eq!(lengths.runs[0].value("--artifact-dir"), Some(folder));
    assert_eq!(lengths.checkpoint, None);
    let kept = series("profile -m m --enable-checkpointing --checkpoint-dir kept");
    assert_eq!(kept.checkpoint, Some("/here/kept".into()));
    assert!(refusal("profile -m m --checkpoint-dir kept").contains("needs --enable-checkpointing"));
    assert!(refusal("profile -m m --sweep-list 1").contains("not an option of genai-perf profile"));
}

#[test]
fn a_file_says_what_to_run_and_options_beside_it_may_win() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    put("a.yaml", "model_names: m\nendpoint: {type: chat}\nperf_analyzer: {stimulus: {concurrency: 4}}\n");
    put("bad.yaml", "model_names: m\nendpoint:\n  typ: chat\n");
    put("worse.yaml", "model_names: m\nperf_analyzer:\n  stimulus: {concurrency: x}\n");
    put("merge.yaml", "process: {input_path: runs}\n");
    let plain = in_folder(folder.path(), "config -f a.yaml").unwrap();
    assert_eq!(plain, in_folder(folder.path(), "profile -m m --endpoint-type chat --concurrency 4").unwrap());
    let other = in_folder(folder.path(), "config -f a.yaml --override-config --request-rate 5").unwrap();
    assert_eq!(other, in_folder(folder.path(), "profile -m m --endpoint-type chat --request-rate 5").unwrap());
    for (words, parts) in [
        ("config", &["needs --file"][..]),
        ("config -f a.yaml --isl 5", &["--isl next to --file needs --override-config"]),
        ("config -f bad.yaml", &["bad.yaml:3", "endpoint.typ"]),
        ("config -f worse.yaml", &["worse.yaml", "--concurrency", "whole number"]),
        ("config -f none.yaml", &["none.yaml"]),
        ("config -f merge.yaml --override-config --isl 5", &["--isl"]),
    ] {
        let refused = in_folder(folder.path(), words).unwrap_err().to_string();
        assert!(parts.iter().all(|part| refused.contains(part)), "{words}: {refused}");
    }
    let words: Vec<OsString> = ["config", "-f", "merge.yaml"].map(OsString::from).into();
    assert!(
        matches!(read(&words, folder.path()), Ok(GenaiPerfCommand::Merge(merge)) if merge.input == folder.path().join("runs"))
    );
}

#[test]
fn a_skeleton_has_a_name_of_its_own_unless_it_is_given_one() {
    let read = |words: &str| read(&words.split(' ').map(OsString::from).collect::<Vec<_>>(), Path::new("/here"));
    let template =
        |path: &str, explained| Ok(GenaiPerfCommand::Template(ConfigTemplate { path: path.into(), explained }));
    assert_eq!(read("create-template"), template("/here/genai_perf_config.yaml", false));
    assert_eq!(read("create-template -f x.yaml -v"), template("/here/x.yaml", true));
    assert!(read("create-template --isl 5").unwrap_err().to_string().contains("--isl"));
}

#[test]
fn runs_to_merge_are_looked_for_in_a_folder() {
    let read = |words: &str| read(&words.split(' ').map(OsString::from).collect::<Vec<_>>(), Path::new("/here"));
    let merge = MergeJob { input: "/here/runs".into(), output: "/here/out/merged".into(), prefix: Some("x".into()) };
    let words = "process-export-files -d runs --artifact-dir out --profile-export-file x.json";
    assert_eq!(read(words), Ok(GenaiPerfCommand::Merge(merge)));
    for (words, part) in [
        ("process-export-files", "needs --input-directory"),
        ("process-export-files -d runs --generate-plots", "--generate-plots draws plots"),
        ("process-export-files -d runs --profile-export-file a/b", "without a folder"),
        ("process-export-files -d runs -- --async", "unexpected argument"),
    ] {
        let refused = read(words).unwrap_err().to_string();
        assert!(refused.contains(part), "{words}: {refused}");
    }
}

#[test]
fn help_and_version_are_answers() {
    let text = |word: &str| match read(&[word.into()], Path::new(".")) {
        Ok(GenaiPerfCommand::Text(text)) => text,
        other => panic!("{other:?}"),
    };
    assert!(text("--version").starts_with(env!("CARGO_PKG_VERSION")));
    let help = text("--help");
    assert!(PROFILE.iter().chain(PERF_ANALYZER).all(|flag| help.contains(flag.names[0])));
}

#[test]
fn no_name_stands_twice_in_a_table() {
    for tables in [&[PROFILE, ANALYZE, CONFIG][..], &[PERF_ANALYZER], &[TEMPLATE]] {
        let names: Vec<&str> = tables.iter().copied().flatten().flat_map(|flag| flag.names).copied().collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}

#[test]
fn the_page_on_moving_over_has_a_row_for_each_option() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/migrating.md");
    let page = fs::read_to_string(&path).unwrap_or_default();
    let mut wanted = page.clone();
    for (mark, head, table) in [
        ("profile", "`aiperf profile`", PROFILE),
        ("perf_analyzer", "`aiperf profile`", PERF_ANALYZER),
        ("analyze", "means", ANALYZE),
        ("config", "means", CONFIG),
    ] {
        let mut rows = format!("| GenAI-Perf | {head} |\n|---|---|\n");
        for flag in table {
            let names: Vec<String> = flag.names.iter().map(|name| format!("`{name}`")).collect();
            rows.push_str(&format!("| {} | {} |\n", names.join(", "), becomes(flag)));
        }
        let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- end of {mark} -->"));
        let start = wanted.find(&begin).unwrap_or_else(|| panic!("docs/migrating.md has no {begin}")) + begin.len();
        let stop = wanted.find(&end).unwrap_or_else(|| panic!("docs/migrating.md has no {end}"));
        wanted.replace_range(start..stop, &format!("\n{rows}\n"));
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).unwrap();
    } else {
        assert!(
            page == wanted,
            "docs/migrating.md is out of date; run UPDATE_DOCS=1 cargo test -p aiperf-genai-perf to write its tables again"
        );
    }
}
