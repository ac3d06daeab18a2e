//! Public data sets: their names, what goes with them and what does not.

use aiperf_config::{DatasetSource, PUBLIC_SETS, PublicSource, Recipe};
use serde_json::json;

use super::{check, input_file, with_model};
use crate::catalogue::OptionId;

fn source(words: &[&str]) -> PublicSource {
    match with_model(words).unwrap_or_else(|error| panic!("{words:?}: {error}")).dataset.source {
        DatasetSource::Public(public) => public,
        other => panic!("{words:?} gives {other:?}"),
    }
}

#[test]
fn every_name_is_known_with_hyphens_and_with_underscores() {
    for set in PUBLIC_SETS {
        let repository: &[&str] = if set.name == "weka_hf" { &["--hf-weka-dataset=org/traces"] } else { &[] };
        for name in [set.name.to_owned(), set.name.replace('_', "-"), set.name.to_uppercase()] {
            let word = format!("--public-dataset={name}");
            let words = [&[word.as_str()], repository].concat();
            assert_eq!(source(&words).set, set);
        }
    }
    check(&[(&["--public-dataset=sharegtp"], &["--public-dataset", "sharegtp", "sharegpt, aimo"])]);
}

#[test]
fn a_public_data_set_stands_alone() {
    let (_folder, input) = input_file(&[r#"{"text": "hi"}"#]);
    let sets = "--public-dataset=aimo";
    check(&[
        (&[&input, sets], &["--input-file", "--public-dataset"]),
        (&[sets, "--custom-dataset-type=single_turn"], &["--custom-dataset-type", "--public-dataset"]),
    ]);
    for synthetic in super::super::dataset::synthetic_only() {
        if synthetic == OptionId::NumDatasetEntries {
            continue;
        }
        let word = format!("{}=1", synthetic.flag());
        let word = if synthetic == OptionId::PromptCorpus { "--prompt-corpus=sonnet" } else { &word };
        check(&[(&[sets, word], &[&synthetic.flag(), "--public-dataset"])]);
    }
    assert!(with_model(&[sets, "--osl=7", "--osl-stddev=1"]).is_ok());
    assert!(with_model(&[sets, "--system-prompt=be terse"]).is_ok());
}

#[test]
fn subsets_and_filters_need_a_public_data_set() {
    check(&[
        (&["--hf-subset=main"], &["--hf-subset", "--public-dataset"]),
        (&["--dataset-filter=a=b"], &["--dataset-filter", "--public-dataset"]),
        (&["--public-dataset=aimo", "--dataset-filter=ab"], &["--dataset-filter", "ab", "column=value"]),
        (&["--public-dataset=aimo", "--dataset-filter==b"], &["--dataset-filter", "column=value"]),
        (&["--public-dataset=sharegpt", "--hf-subset=x"], &["--hf-subset", "--public-dataset", "without subsets"]),
        (&["--public-dataset=spec_bench", "--hf-subset=x"], &["--hf-subset", "without subsets"]),
    ]);
    assert_eq!(source(&["--public-dataset=aimo", "--hf-subset=x"]).subset.as_deref(), Some("x"));
}

#[test]
fn a_filter_has_one_value_for_each_column() {
    let mut raw = super::raw(&["--model=m", "--public-dataset=spec_bench"]);
    let values = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>();
    raw.push(OptionId::DatasetFilter, "--dataset-filter", values(&["category=qa", "x = y=z"]));
    let config = raw.resolve(&super::environment()).unwrap();
    let DatasetSource::Public(public) = &config.dataset.source else { panic!("no public data set") };
    assert_eq!(public.filters, [("category".into(), "qa".into()), ("x".into(), "y=z".into())]);

    let mut raw = super::raw(&["--model=m", "--public-dataset=spec_bench"]);
    raw.push(OptionId::DatasetFilter, "--dataset-filter", values(&["category=qa", "category=rag"]));
    let error = raw.resolve(&super::environment()).unwrap_err().to_string();
    assert!(error.contains("--dataset-filter") && error.contains("category=rag"), "{error}");
}

#[test]
fn a_weka_repository_belongs_to_weka_hf() {
    let own = source(&["--hf-weka-dataset=org/traces"]);
    assert_eq!((own.set.name, own.repository.as_deref()), ("weka_hf", Some("org/traces")));
    check(&[
        (&["--public-dataset=weka_hf"], &["--public-dataset", "--hf-weka-dataset"]),
        (&["--public-dataset=aimo", "--hf-weka-dataset=a/b"], &["--hf-weka-dataset", "--public-dataset", "aimo"]),
        (&["--hf-weka-dataset="], &["--hf-weka-dataset", "OWNER/NAME"]),
    ]);
}

#[test]
fn only_what_can_be_sent_is_read() {
    let entries = |words: &[&str]| source(words).entries;
    for set in ["--public-dataset=aimo", "--public-dataset=librispeech"] {
        assert_eq!(entries(&[set]), Some(10));
        assert_eq!(entries(&[set, "--request-count=7"]), Some(7));
        assert_eq!(entries(&[set, "--num-sessions=3", "--request-count=7"]), Some(3));
        assert_eq!(entries(&[set, "--request-count=7", "--warmup-request-count=2"]), Some(9));
        assert_eq!(entries(&[set, "--num-dataset-entries=4", "--request-count=7"]), Some(4));
        assert_eq!(entries(&[set, "--benchmark-duration=5"]), None);
        assert_eq!(entries(&[set, "--request-count=7", "--warmup-duration=2"]), None);
    }
    let shuffled = "--dataset-sampling-strategy=shuffle";
    assert_eq!(entries(&["--public-dataset=aimo", shuffled, "--request-count=7"]), None);
    assert_eq!(entries(&["--public-dataset=ami", shuffled, "--request-count=7"]), Some(7));
    check(&[(
        &["--public-dataset=exgentic", "--benchmark-duration=5"],
        &["--public-dataset", "--num-dataset-entries", "--request-count"],
    )]);
}

#[test]
fn schedules_users_and_pauses_need_a_set_that_has_them() {
    check(&[
        (&["--public-dataset=aimo", "--fixed-schedule"], &["--fixed-schedule", "--public-dataset", "aimo"]),
        (&["--public-dataset=aimo", "--inter-turn-delay-cap-seconds=1"], &["--inter-turn-delay-cap-seconds", "aimo"]),
        (
            &["--public-dataset=aimo", "--user-centric-rate=1", "--num-users=1"],
            &["--user-centric-rate", "--public-dataset", "aimo"],
        ),
        (
            &["--public-dataset=exgentic", "--num-prompts=2", "--fixed-schedule", "--fixed-schedule-end-offset=5"],
            &["--fixed-schedule-end-offset", "--public-dataset"],
        ),
    ]);
    assert!(with_model(&["--public-dataset=sharegpt", "--user-centric-rate=1", "--num-users=1"]).is_ok());
    let replay = source(&["--public-dataset=exgentic", "--num-prompts=2", "--fixed-schedule"]);
    assert!(replay.fixed_schedule && replay.set.recipe == Recipe::AgentSpans);
    let capped = source(&["--public-dataset=exgentic_v2", "--inter-turn-delay-cap-seconds=1.5"]);
    assert_eq!(capped.delay_cap_ms, Some(1500.0));
}

#[test]
fn a_public_data_set_is_shown_as_in_the_reference() {
    let words = ["--public-dataset=spec-al-gsm8k", "--hf-subset=socratic", "--dataset-filter=a=b", "--osl=5"];
    assert_eq!(
        with_model(&words).unwrap().to_input_config()["datasets"][0],
        json!({"name": "main", "type": "public", "dataset": "spec_al_gsm8k", "entries": 10, "hf_subset": "socratic",
               "filters": {"a": "b"}, "osl": {"mean": 5.0}})
    );
}

#[test]
fn recorded_agents_name_their_session_in_the_header_of_their_servers() {
    let named = |set: &str| with_model(&[set]).unwrap().tuning.affinity.dynamo_session_id;
    assert!(named("--public-dataset=exgentic"));
    assert!(!named("--public-dataset=sharegpt"));
}
