//! The words of generated prose, by their role in a sentence: common English words, most of which are one token in most
//! vocabularies. No word needs `a` or `an` before it.

/// The role of a word in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordClass {
    Opener,
    Time,
    Name,
    Determiner,
    Adjective,
    Noun,
    Verb,
    Adverb,
    Preposition,
    Conjunction,
    Mark,
}

impl WordClass {
    pub(crate) const ALL: [Self; 11] = [
        Self::Opener,
        Self::Time,
        Self::Name,
        Self::Determiner,
        Self::Adjective,
        Self::Noun,
        Self::Verb,
        Self::Adverb,
        Self::Preposition,
        Self::Conjunction,
        Self::Mark,
    ];

    pub(crate) const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Opener => OPENERS,
            Self::Time => TIMES,
            Self::Name => NAMES,
            Self::Determiner => DETERMINERS,
            Self::Adjective => ADJECTIVES,
            Self::Noun => NOUNS,
            Self::Verb => VERBS,
            Self::Adverb => ADVERBS,
            Self::Preposition => PREPOSITIONS,
            Self::Conjunction => CONJUNCTIONS,
            Self::Mark => MARKS,
        }
    }
}

/// Every word once, without punctuation marks.
pub(crate) fn words() -> impl Iterator<Item = &'static str> {
    let classes = WordClass::ALL.into_iter().filter(|class| *class != WordClass::Mark);
    let mut seen = std::collections::HashSet::new();
    classes.flat_map(|class| class.words().iter().copied()).filter(move |word| seen.insert(*word))
}

/// One word, or one punctuation mark that follows a word without a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProseWord {
    pub(crate) class: WordClass,
    pub(crate) index: usize,
}

impl ProseWord {
    pub(crate) const STOP: Self = Self { class: WordClass::Mark, index: 0 };
    pub(crate) const COMMA: Self = Self { class: WordClass::Mark, index: 1 };

    pub(crate) fn text(self) -> &'static str {
        self.class.words()[self.index]
    }

    pub(crate) fn is_mark(self) -> bool {
        self.class == WordClass::Mark
    }
}

const MARKS: &[&str] = &[".", ","];

#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "The", "This", "That", "Each", "Every", "Another", "One", "Their", "Our", "His", "Her", "My", "Your", "No", "Any", "Some",
];

#[rustfmt::skip]
const TIMES: &[&str] = &[
    "Again", "Almost", "Already", "Always", "Clearly", "Early", "Everywhere", "Finally", "Later", "Maybe", "Never", "Now", "Often",
    "Once", "Outside", "Perhaps", "Rarely", "Slowly", "Sometimes", "Soon", "Still", "Suddenly", "Then", "Today", "Together", "Usually",
    "Yesterday",
];

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Adam", "Alice", "Anna", "Ben", "Clara", "Daniel", "David", "Emma", "Frank", "Grace", "Helen", "Henry", "Jack", "James",
    "Jane", "John", "Julia", "Karl", "Laura", "Leo", "Lucy", "Maria", "Mark", "Martin", "Mary", "Oliver", "Paul", "Peter",
    "Robert", "Rose", "Sam", "Sarah", "Simon", "Sofia", "Thomas", "Victor", "William",
];

#[rustfmt::skip]
const DETERMINERS: &[&str] = &[
    "the", "the", "the", "this", "that", "each", "every", "another", "one", "their", "our", "his", "her", "my", "your", "no", "any",
];

#[rustfmt::skip]
const ADJECTIVES: &[&str] = &[
    "small", "large", "old", "new", "young", "quiet", "loud", "bright", "dark", "warm", "cold", "heavy", "light", "long", "short",
    "high", "low", "deep", "wide", "narrow", "early", "late", "slow", "quick", "strong", "weak", "clean", "dry", "wet", "soft",
    "hard", "simple", "strange", "common", "rare", "local", "foreign", "public", "private", "green", "red", "blue", "white",
    "black", "golden", "silver", "wooden", "broken", "empty", "full", "open", "closed", "hidden", "famous", "gentle", "honest",
    "careful", "clever", "patient", "proud", "brave", "calm", "curious", "distant", "final", "first", "second", "third", "last",
    "modern", "ancient", "certain", "central", "northern", "southern", "eastern", "western", "rich", "poor", "sharp", "smooth",
    "sweet", "thin", "thick", "whole", "wild", "young", "useful", "serious", "sudden",
];

#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "river", "mountain", "city", "village", "house", "garden", "street", "bridge", "road", "forest", "field", "island", "ocean",
    "lake", "harbor", "station", "train", "ship", "boat", "engine", "machine", "window", "door", "table", "chair", "lamp",
    "candle", "mirror", "letter", "book", "page", "story", "song", "picture", "map", "clock", "coin", "key", "box", "bag", "rope",
    "wheel", "stone", "glass", "paper", "metal", "water", "fire", "wind", "rain", "snow", "storm", "cloud", "sun", "moon", "star",
    "winter", "summer", "spring", "morning", "evening", "night", "hour", "minute", "week", "month", "year", "century", "teacher",
    "student", "doctor", "farmer", "sailor", "soldier", "captain", "driver", "painter", "writer", "singer", "baker", "merchant",
    "worker", "engineer", "neighbor", "stranger", "friend", "brother", "sister", "mother", "father", "child", "family", "king",
    "queen", "judge", "guard", "guest", "horse", "dog", "cat", "bird", "fish", "wolf", "bear", "tree", "flower", "leaf", "root",
    "seed", "grain", "bread", "apple", "salt", "sugar", "coffee", "market", "shop", "school", "church", "library", "museum",
    "theater", "office", "factory", "hospital", "kitchen", "tower", "wall", "gate", "roof", "floor", "corner", "room", "road",
    "journey", "question", "answer", "problem", "reason", "idea", "plan", "promise", "secret", "memory", "dream", "language",
    "number", "signal", "message", "report", "lesson", "game", "price", "law", "voice", "sound", "color", "shape", "shadow",
    "surface", "valley", "desert", "coast", "border", "country", "nation", "people", "crowd", "team", "council", "company",
];

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "found", "lost", "saw", "heard", "watched", "followed", "carried", "opened", "closed", "built", "broke", "painted", "sold",
    "bought", "borrowed", "returned", "remembered", "forgot", "described", "explained", "changed", "crossed", "reached", "left",
    "entered", "passed", "visited", "helped", "called", "answered", "asked", "praised", "trusted", "feared", "loved", "missed",
    "needed", "wanted", "chose", "counted", "measured", "moved", "pulled", "pushed", "raised", "dropped", "held", "kept", "gave",
    "took", "brought", "sent", "received", "wrote", "read", "copied", "studied", "taught", "learned", "noticed", "touched",
    "covered", "filled", "washed", "cut", "burned", "saved", "protected", "guarded", "warned", "met", "joined", "led", "served",
    "fed", "chased", "caught", "threw", "hid", "showed", "shared", "divided", "repaired", "replaced", "tested", "designed",
];

#[rustfmt::skip]
const ADVERBS: &[&str] = &[
    "slowly", "quickly", "quietly", "often", "never", "always", "soon", "later", "again", "once", "twice", "almost", "nearly",
    "carefully", "suddenly", "gently", "easily", "finally", "simply", "together", "alone", "today", "yesterday", "tomorrow",
    "everywhere", "somewhere", "outside", "inside", "early", "late", "perhaps", "clearly", "rarely", "usually", "already",
];

#[rustfmt::skip]
const PREPOSITIONS: &[&str] = &[
    "in", "on", "at", "near", "under", "over", "behind", "beside", "before", "after", "across", "through", "along", "around",
    "toward", "against", "without", "with", "from", "inside", "outside", "between", "beyond", "above", "below", "for", "by", "like",
];

#[rustfmt::skip]
const CONJUNCTIONS: &[&str] = &["and", "but", "while", "because", "although", "when", "until", "so", "where", "since", "as", "or", "if"];
