//! The phrases that documents and messages must not contain, and what to write instead.

/// A phrase, with the words that make it good English when they stand before or after it.
struct Phrase {
    words: &'static str,
    instead: &'static str,
    unless_after: &'static [&'static str],
    unless_before: &'static [&'static str],
}

const fn phrase(words: &'static str, instead: &'static str) -> Phrase {
    Phrase { words, instead, unless_after: &[], unless_before: &[] }
}

/// A negation such as "this is no file". "There is no file" and "is no longer" are good English.
const fn negation(words: &'static str, instead: &'static str) -> Phrase {
    Phrase {
        words,
        instead,
        unless_after: &["there"],
        unless_before: &["longer", "more", "less", "later", "earlier", "larger", "limit"],
    }
}

const PHRASES: &[Phrase] = &[
    negation("is no", "is not a"),
    negation("are no", "are not"),
    negation("was no", "was not a"),
    negation("were no", "were not"),
    phrase("that is none", "that is not one"),
    phrase("hold against", "compare with"),
    phrase("holds against", "compares with"),
    phrase("held against", "compared with"),
    phrase("anew", "again"),
    phrase("beside", "next to, or: in addition to"),
    phrase("so many", "N, or: this many"),
    phrase("the same of", "the whole sentence again"),
    phrase("nought", "zero"),
    phrase("told apart", "distinguished"),
    phrase("in vain", "without effect"),
    phrase("what became of", "the result of"),
    phrase("of one's own", "your own"),
    phrase("is ours", "is an addition to AIPerf"),
    phrase("for want of", "for lack of"),
    phrase("tells of", "reports"),
    phrase("speaks of", "mentions"),
    phrase("says nothing of", "does not mention"),
    phrase("a talk", "a chat"),
    phrase("the talk", "the chat"),
    phrase("the conductor", "the scheduler"),
    phrase("the maker", "the prefetch thread"),
    phrase("the judge", "the early-stop check"),
    phrase("cannot tell", "inconclusive"),
];

/// Phrases that are right where they stand: the file, the phrase and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/compare/src/", "cannot tell", "the value in JSON and JUnit files, which scripts read"),
    ("crates/artifact/src/", "cannot tell", "the value in JSON files, which scripts read"),
    ("crates/sim/src/", "beside", "the name of a choice of the option `tools`"),
    ("crates/dataset/src/text/vocabulary.rs", "beside", "a word of generated prompts"),
    ("docs/cli.md", "beside", "the name of a choice of the option `tools`"),
    ("crates/aiperf/tests/prose/", "is no", "the phrase itself"),
];

/// What is wrong with a text, with the number of the line.
pub(crate) fn complaints(file: &str, text: &str) -> Vec<String> {
    let words = words(text);
    let mut found = Vec::new();
    for phrase in PHRASES {
        if EXCEPTIONS.iter().any(|(place, words, _)| file.starts_with(place) && *words == phrase.words) {
            continue;
        }
        let wanted: Vec<&str> = phrase.words.split(' ').collect();
        for (start, window) in words.windows(wanted.len()).enumerate() {
            if !window.iter().zip(&wanted).all(|((_, word), wanted)| word == wanted) {
                continue;
            }
            let before = start.checked_sub(1).map(|index| words[index].1.as_str());
            let after = words.get(start + wanted.len()).map(|(_, word)| word.as_str());
            let fine = before.is_some_and(|word| phrase.unless_after.contains(&word))
                || after.is_some_and(|word| phrase.unless_before.contains(&word));
            if !fine {
                let line = window[0].0;
                found.push(format!("{file}:{line}: \"{}\"; write: {}", phrase.words, phrase.instead));
            }
        }
    }
    found
}

/// Each word in small letters with the number of its line. Other characters are words by themselves, so that no phrase
/// reaches across them.
fn words(text: &str) -> Vec<(usize, String)> {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_'".contains(letter);
    let mut words: Vec<(usize, String)> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let length = match rest.find(|letter| !is_part(letter)) {
                Some(0) => first.len_utf8(),
                Some(length) => length,
                None => rest.len(),
            };
            let (word, left) = rest.split_at(length);
            if !first.is_whitespace() {
                words.push((index + 1, word.to_lowercase()));
            }
            rest = left;
        }
    }
    words
}

#[test]
fn a_phrase_is_found_across_lines_and_not_inside_words() {
    let complaints = |text: &str| complaints("page.md", text);
    assert_eq!(complaints("It is\nno file."), ["page.md:1: \"is no\"; write: is not a"]);
    assert_eq!(complaints("Write it Anew!").len(), 1);
    for fine in
        ["There is no file.", "It is no longer there.", "tools-beside", "It is. No, not yet.", "renewed", "this no"]
    {
        assert_eq!(complaints(fine), [""; 0], "{fine}");
    }
}

#[test]
fn an_exception_names_a_phrase_of_the_list_and_a_reason() {
    for (file, words, reason) in EXCEPTIONS {
        assert!(PHRASES.iter().any(|phrase| phrase.words == *words), "{file}: {words:?} is not on the list");
        assert!(!reason.is_empty(), "{file}: {words:?}");
        assert!(crate::repository().join(file).exists(), "{file} does not exist");
    }
}
