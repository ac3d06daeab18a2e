//! The words that the simulated model generates. Each is exactly one o200k token, at the start of a text and after a space, and
//! a space before a word always starts a new token: so N words are N tokens, however they are cut into chunks.

/// A power of two, so that picking one is a mask.
#[rustfmt::skip] // one word a line would be all there is to see of this file
static WORDS: [&str; 256] = [
    "student", "business", "support", "prefer", "education", "father", "think", "member", "iron", "join", "company",
    "cold", "eat", "people", "gray", "cross", "judge", "hand", "describe", "measure", "child", "sea", "cook",
    "woman", "coffee", "color", "seed", "dog", "value", "tea", "server", "letter", "story", "discover", "black",
    "driver", "read", "health", "answer", "cost", "grass", "home", "word", "travel", "eye", "jump", "lot", "request",
    "law", "shop", "change", "fly", "boy", "temperature", "song", "work", "train", "music", "screen", "see",
    "small", "salt", "game", "sleep", "begin", "way", "sun", "hotel", "pass", "airport", "drive", "result",
    "signal", "country", "paper", "issue", "agree", "carry", "pull", "love", "man", "large", "money", "rise", "sky",
    "minute", "rice", "area", "teach", "great", "day", "follow", "bread", "boat", "yellow", "bird", "distance",
    "city", "person", "wood", "rest", "wash", "width", "young", "remain", "girl", "government", "group", "client",
    "know", "forest", "kind", "exist", "network", "weight", "little", "cut", "case", "pressure", "party", "camera",
    "food", "leave", "show", "store", "give", "storm", "lake", "problem", "live", "tree", "line", "visit",
    "teacher", "planet", "stay", "fill", "bank", "red", "hold", "push", "door", "help", "body", "cloud", "fall",
    "week", "stage", "orange", "flower", "bring", "research", "wind", "head", "study", "price", "hear", "plastic",
    "height", "moon", "hour", "market", "tell", "side", "voice", "wish", "movie", "back", "picture", "fish", "gold",
    "clean", "return", "fruit", "start", "milk", "kid", "stone", "rain", "throw", "window", "search", "listen",
    "write", "program", "touch", "look", "green", "world", "root", "take", "night", "dance", "appear", "forget",
    "information", "leaf", "place", "artist", "watch", "choose", "heat", "policy", "metal", "system", "chair",
    "thing", "blue", "ship", "close", "empty", "wait", "memory", "end", "reach", "job", "moment", "dream",
    "question", "catch", "service", "station", "room", "family", "continue", "share", "total", "silver", "earth",
    "protect", "writer", "phone", "walk", "offer", "late", "bridge", "send", "parent", "turn", "house", "receive",
    "sound", "snow", "farm", "grow", "speed", "plane", "ride", "depth", "oil", "build", "community", "serve", "run",
    "life", "film",
];

/// The words of one reply: the same key gives the same words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary {
    key: u64,
}

impl Vocabulary {
    pub(crate) const fn new(key: u64) -> Self {
        Self { key }
    }

    /// The word at a position of the reply (the output mix of `SplitMix64`, Steele et al. 2014).
    pub(crate) fn word(self, position: u64) -> &'static str {
        let mut z = self.key.wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        WORDS[((z ^ (z >> 31)) & 0xff) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_one_token_with_and_without_a_space() {
        for word in WORDS {
            assert_eq!(aiperf_o200k::count(word), 1, "{word}");
            assert_eq!(aiperf_o200k::count(&format!(" {word}")), 1, "{word}");
        }
    }

    #[test]
    fn a_text_has_as_many_tokens_as_words() {
        for (key, length) in [(1, 1), (2, 2), (3, 63), (4, 1_000)] {
            let words = Vocabulary::new(key);
            let text = (0..length).map(|i| words.word(i)).collect::<Vec<_>>().join(" ");
            assert_eq!(aiperf_o200k::count(&text), length as usize);
        }
    }

    #[test]
    fn another_key_says_something_else() {
        let say = |key| (0..20).map(|i| Vocabulary::new(key).word(i)).collect::<Vec<_>>();
        assert_eq!(say(1), say(1));
        assert_ne!(say(1), say(2));
    }
}
