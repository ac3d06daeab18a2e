//! Work that never changes, done by the libraries that the hot functions use: what another compiler, C library or
//! processor does to it, it does to them, so that their counts are compared with this one.

use std::hint::black_box;

use serde_json::Value;

use crate::BenchOutcome;

const DOCUMENT: &str = r#"{"id":"chatcmpl-62a556755ba73290","object":"chat.completion","created":1794720417,"model":"m",
"choices":[{"index":0,"message":{"role":"assistant","content":"chair life send light water again place total"},
"logprobs":null,"finish_reason":"length"}],"usage":{"prompt_tokens":32,"total_tokens":132,"completion_tokens":100},
"list":[1,2.5,-3,4e3,true,false,null,"a","b","c","d","e","f"]}"#;

/// A document read into a tree, looked through and written again.
pub(crate) fn tree(times: usize) -> BenchOutcome {
    for _ in 0..times {
        let tree: Value = serde_json::from_str(black_box(DOCUMENT))?;
        black_box(serde_json::to_vec(&tree)?);
    }
    Ok(())
}
