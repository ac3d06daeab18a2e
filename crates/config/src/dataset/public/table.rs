//! The table of public data sets, in the order in which help lists them.

use super::{Chat, PublicOrigin, PublicSet, Recipe};

/// All of them.
pub const PUBLIC_SETS: &[PublicSet] = &[
    PublicSet {
        name: "sharegpt",
        origin: PublicOrigin::File {
            repository: "anon8231489123/ShareGPT_Vicuna_unfiltered",
            path: "ShareGPT_V3_unfiltered_cleaned_split.json",
        },
        streamed: false,
        recipe: Recipe::ShareGpt,
    },
    text("aimo", "AI-MO/NuminaMath-TIR", None, "train", "problem"),
    text("aimo_aime", "AI-MO/aimo-validation-aime", None, "train", "problem"),
    text("aimo_numina_cot", "AI-MO/NuminaMath-CoT", None, "train", "problem"),
    text("aimo_numina_1_5", "AI-MO/NuminaMath-1.5", None, "train", "problem"),
    whole("mmstar", "Lin-Chen/MMStar", None, "val", Recipe::Picture { question: "question", image: "image" }),
    whole(
        "mmvu",
        "yale-nlp/MMVU",
        None,
        "validation",
        Recipe::Video { question: "question", choices: "choices", video: "video" },
    ),
    streamed(
        "vision_arena",
        "lmarena-ai/VisionArena-Chat",
        None,
        "train",
        Recipe::PictureChat {
            chat: Chat { column: "conversation", speaker: "role", user: "user", text: "content" },
            image: "images",
        },
    ),
    streamed(
        "llava_onevision",
        "lmms-lab/LLaVA-OneVision-Data",
        Some("sharegpt4o"),
        "train",
        Recipe::PictureChat {
            chat: Chat { column: "conversations", speaker: "from", user: "human", text: "value" },
            image: "image",
        },
    ),
    PublicSet {
        name: "spec_bench",
        origin: PublicOrigin::Url(
            "https://raw.githubusercontent.com/hemingkx/Spec-Bench/main/data/spec_bench/question.jsonl",
        ),
        streamed: false,
        recipe: Recipe::FirstOf { column: "turns" },
    },
    text("spec_al_gsm8k", "openai/gsm8k", Some("main"), "test", "question"),
    text("spec_al_math500", "HuggingFaceH4/MATH-500", None, "test", "problem"),
    text("spec_al_humaneval", "openai/openai_humaneval", None, "test", "prompt"),
    text("spec_al_mbpp", "google-research-datasets/mbpp", Some("full"), "test", "text"),
    whole("spec_al_mtbench", "HuggingFaceH4/mt_bench_prompts", None, "train", Recipe::Turns { column: "prompt" }),
    text("instruct_coder", "likaixin/InstructCoder", None, "train", "instruction"),
    whole("blazedit_5k", "vdaita/edit_5k_char", None, "train", EDIT),
    whole("blazedit_10k", "vdaita/edit_10k_char", None, "train", EDIT),
    streamed("librispeech", "openslr/librispeech_asr", Some("clean"), "test", SPEECH),
    streamed("voxpopuli", "facebook/voxpopuli", Some("en"), "test", SPEECH),
    streamed("gigaspeech", "speechcolab/gigaspeech", Some("xs"), "test", SPEECH),
    streamed("ami", "edinburghcstr/ami", Some("ihm"), "test", SPEECH),
    streamed("spgispeech", "kensho/spgispeech", Some("test"), "test", SPEECH),
    pinned("exgentic", "Exgentic/agent-llm-traces", "70036b93a04e61b0ea2706a68b962f4f26774587"),
    pinned("exgentic_v2", "Exgentic/agent-llm-traces-v2", "4b8ad4ab198438e5a170f9171c19c6a2cf7c1814"),
    PublicSet { name: "weka_hf", origin: PublicOrigin::Named, streamed: false, recipe: Recipe::Weka },
    weka("semianalysis_cc_traces_weka", "semianalysisai/cc-traces-weka-no-subagents-051826"),
    weka("semianalysis_cc_traces_weka_no_subagents", "semianalysisai/cc-traces-weka-no-subagents-051826"),
    // These two names follow the newest collection, which was this one when they were looked up.
    weka("semianalysis_cc_traces_weka_with_subagents", "semianalysisai/cc-traces-weka-062126"),
    weka("semianalysis_cc_traces_weka_with_subagents_256k", "semianalysisai/cc-traces-weka-062126-256k"),
    weka("semianalysis_cc_traces_weka_with_subagents_060226", "semianalysisai/cc-traces-weka-with-subagents-060226"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060226_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060226-256k",
    ),
    weka("semianalysis_cc_traces_weka_with_subagents_060526", "semianalysisai/cc-traces-weka-with-subagents-060526"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060526_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060526-256k",
    ),
    weka("semianalysis_cc_traces_weka_with_subagents_060826", "semianalysisai/cc-traces-weka-with-subagents-060826"),
    weka(
        "semianalysis_cc_traces_weka_with_subagents_060826_256k",
        "semianalysisai/cc-traces-weka-with-subagents-060826-256k",
    ),
    weka("semianalysis_cc_traces_weka_061326", "semianalysisai/cc-traces-weka-061326"),
    weka("semianalysis_cc_traces_weka_061326_256k", "semianalysisai/cc-traces-weka-061326-256k"),
    weka("semianalysis_cc_traces_weka_061526", "semianalysisai/cc-traces-weka-061526"),
    weka("semianalysis_cc_traces_weka_061526_256k", "semianalysisai/cc-traces-weka-061526-256k"),
    weka("semianalysis_cc_traces_weka_062126", "semianalysisai/cc-traces-weka-062126"),
    weka("semianalysis_cc_traces_weka_062126_256k", "semianalysisai/cc-traces-weka-062126-256k"),
];

/// Their names, for the option that takes one.
pub const PUBLIC_NAMES: [&str; PUBLIC_SETS.len()] = {
    let mut names = [""; PUBLIC_SETS.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = PUBLIC_SETS[place].name;
        place += 1;
    }
    names
};

const EDIT: Recipe = Recipe::Edit { code: "code", request: "change_request" };
const SPEECH: Recipe = Recipe::Speech { audio: "audio" };

const fn whole(
    name: &'static str,
    repository: &'static str,
    subset: Option<&'static str>,
    split: &'static str,
    recipe: Recipe,
) -> PublicSet {
    PublicSet {
        name,
        origin: PublicOrigin::Split { repository, revision: "main", subset, split },
        streamed: false,
        recipe,
    }
}

const fn streamed(
    name: &'static str,
    repository: &'static str,
    subset: Option<&'static str>,
    split: &'static str,
    recipe: Recipe,
) -> PublicSet {
    PublicSet { streamed: true, ..whole(name, repository, subset, split, recipe) }
}

const fn text(
    name: &'static str,
    repository: &'static str,
    subset: Option<&'static str>,
    split: &'static str,
    column: &'static str,
) -> PublicSet {
    whole(name, repository, subset, split, Recipe::Prompt { column })
}

const fn pinned(name: &'static str, repository: &'static str, revision: &'static str) -> PublicSet {
    let origin = PublicOrigin::Split { repository, revision, subset: None, split: "train" };
    PublicSet { name, origin, streamed: true, recipe: Recipe::AgentSpans }
}

const fn weka(name: &'static str, repository: &'static str) -> PublicSet {
    whole(name, repository, None, "train", Recipe::Weka)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_as_many_names_as_in_the_reference_and_none_twice() {
        assert_eq!(PUBLIC_SETS.len(), 42);
        assert_eq!(PUBLIC_NAMES.iter().collect::<HashSet<_>>().len(), 42);
    }
}
