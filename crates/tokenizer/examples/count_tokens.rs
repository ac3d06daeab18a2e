//! Counts the tokens of a text file: `count_tokens TOKENIZER FILE`. A third word `library` counts through the `tokenizers`
//! library, for a comparison. Run it under `/usr/bin/time -v` to see processor time and memory.

use std::error::Error;

use aiperf_tokenizer::{HubEnvironment, TokenizerRequest};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let ([name, file] | [name, file, _]) = words.as_slice() else {
        return Err("usage: count_tokens TOKENIZER FILE [library]".into());
    };
    let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
    let tokens = if words.get(2).is_some_and(|word| word == "library") {
        let library = tokenizers::Tokenizer::from_file(name).map_err(|error| error.to_string())?;
        library.encode_fast(text.as_str(), false).map_err(|error| error.to_string())?.len()
    } else {
        aiperf_tokenizer::load(&TokenizerRequest::named(name), &HubEnvironment::from_process())?.count(&text)
    };
    println!("{tokens}");
    Ok(())
}
