//! How many tokens, such as a BOS, the post-processor of a file adds to a prompt.

use serde_json::Value;

use super::settings::{Unsupported, kind, unsupported};

/// The tokens that are added to a single text.
pub(crate) fn added_to_single(processor: &Value) -> Result<usize, Unsupported> {
    match kind(processor) {
        "" if processor.is_null() => Ok(0),
        "ByteLevel" => Ok(0),
        "RobertaProcessing" | "BertProcessing" => Ok(2),
        "Sequence" => {
            let Some(steps) = processor["processors"].as_array() else { return unsupported("post_processor") };
            steps.iter().map(added_to_single).sum()
        }
        "TemplateProcessing" => template(processor),
        other => unsupported(format!("post-processor {other:?}")),
    }
}

fn template(processor: &Value) -> Result<usize, Unsupported> {
    let Some(pieces) = processor["single"].as_array() else { return unsupported("template") };
    // A text that is there twice would be counted twice.
    if pieces.iter().filter(|piece| piece.get("Sequence").is_some()).count() != 1 {
        return unsupported("template");
    }
    let ids = |piece: &Value| {
        let id = piece["SpecialToken"]["id"].as_str()?;
        processor["special_tokens"].get(id)?["ids"].as_array().map(Vec::len)
    };
    Ok(pieces.iter().filter_map(ids).sum())
}
