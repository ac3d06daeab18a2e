//! `aiperf speed-bench-report` over real runs.

use crate::support::{Program, sim};

const ROWS: &str = r#"{"question_id": "cfcd208495d565ef66e7dff9f98764da", "category": "coding", "messages": [{"role": "user", "content": "Sort."}]}
{"question_id": "c4ca4238a0b923820dcc509a6f75849b", "category": "math", "messages": [{"role": "user", "content": "1 + 1?"}]}
"#;

#[test]
fn categories_of_several_runs_stand_side_by_side() {
    let server = sim("ttft=1&itl=0");
    let work = tempfile::TempDir::new().unwrap();
    for category in ["coding", "math"] {
        let words = format!(
            "--url {} --tokenizer builtin --input-file rows.jsonl --custom-dataset-type speed_bench_{category}",
            server.url()
        );
        let folder = work.path().join(category);
        let run = Program::new("profile --model tiny --num-sessions 1 --ui none --artifact-dir")
            .word(folder.to_str().unwrap());
        let said = run.with(&words).file("rows.jsonl", ROWS).run();
        assert_eq!(said.code, Some(0), "{}", said.stderr);
    }
    let folder = work.path().to_str().unwrap();
    let csv = work.path().join("report.csv");
    let report = |metric: &str| {
        Program::new("speed-bench-report --metric")
            .with(metric)
            .word("--output")
            .word(csv.to_str().unwrap())
            .word(folder)
            .run()
    };
    let said = report("throughput");
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("Throughput Report (tokens/sec)"), "{}", said.stdout);
    let text = std::fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Model,coding,math,Overall");
    let cells: Vec<f64> = lines[1].split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
    assert!((cells[2] - f64::midpoint(cells[0], cells[1])).abs() <= 0.011, "{text}");

    // The simulator has no speculative decoding.
    let said = report("accept_length");
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("error: none of 2 runs has a figure for accept_length"), "{}", said.stderr);
}

#[test]
fn a_folder_without_runs_is_an_error() {
    let said = Program::new("speed-bench-report .").run();
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("no runs in the given folders"), "{}", said.stderr);
}
