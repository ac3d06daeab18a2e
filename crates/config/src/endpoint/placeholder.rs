//! Model names that stand for no real model.

/// First words of names that stand for no real model.
const PLACEHOLDERS: [&str; 6] = ["mock", "test", "fake", "dummy", "sim", "placeholder"];

/// `mock-model`, `test_model` and their like: no tokenizer of that name can exist.
pub fn is_placeholder(model: &str) -> bool {
    let name = model.to_ascii_lowercase().replace('_', "-");
    let (first, rest) = name.split_once('-').unwrap_or((&name, "model"));
    PLACEHOLDERS.contains(&first) && (rest == "model" || rest == "llm" || rest.starts_with("model-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known_by_their_first_word_and_real_names_are_not() {
        for name in ["mock-model", "Test_Model", "fake-model", "dummy", "mock-model-2", "sim-model", "mock-llm"] {
            assert!(is_placeholder(name), "{name}");
        }
        for name in ["gpt2", "org/mock-model", "mockingbird-7b", "test-llama-8b", "simplescaling"] {
            assert!(!is_placeholder(name), "{name}");
        }
    }
}
