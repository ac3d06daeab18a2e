//! Mixed text that is hard for tokenizers: code, prose, many scripts, emoji, bytes that are not UTF-8, added tokens, long runs.

/// An endless source of texts, always the same ones.
pub(crate) struct MixedText {
    state: u64,
    /// Added tokens of the vocabulary.
    added: Vec<String>,
}

const SOURCES: [&str; 4] = [
    include_str!("main.rs"),
    include_str!("../../src/chat.rs"),
    include_str!("../../../../docs/compatibility.md"),
    include_str!("../../../../benches/instructions"),
];
const WORDS: &str = "the of and to in is was for that with as on by at from they'll I'D can't it's WE'VE don'T naïve façade \
    Größe ÉTÉ Здравствуйте как дела Ελληνικά עברית العربية हिन्दी ภาษาไทย 한국어 ǅungla ŉ HTTPServer camelCase snake_case x2 \
    3.14159 2,000,000 0xDEADBEEF user@example.com https://example.com/a?b=c#d \u{2581}mark <0x0A> <unk>";
const EMOJI: [&str; 8] = ["😀", "👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "❤️", "\u{200d}", "\u{fe0f}", "🏳️‍🌈"];
const BLANKS: [&str; 10] = [" ", "  ", "\n", "\r\n", "\t", "\u{a0}", "\u{3000}", "\u{2028}", "\u{85}", "\u{b}"];
const UNITS: [&str; 12] = ["a", " ", "\n", "=", "漢", "ab", "-", "0", "é", "\u{301}", "ひ", "A"];

impl MixedText {
    pub(crate) fn new(added: Vec<String>) -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15, added }
    }

    /// A text of up to some ten thousand bytes.
    pub(crate) fn next_text(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(40) {
            self.add(&mut text);
        }
        text
    }

    fn add(&mut self, text: &mut String) {
        let count = 1 + self.below(60);
        match self.below(14) {
            0..=2 => self.add_words(text, count),
            3 | 4 => {
                let source = self.pick(&SOURCES);
                let start = self.below(source.len());
                text.extend(source.chars().skip(start).take(20 * count));
            }
            5 => self.add_chars(text, count, &[(0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7A3), (0x3001, 0x3002)]),
            6 => (0..count).for_each(|_| text.push_str(self.pick(&EMOJI))),
            7 => self.add_chars(text, count, &[(0, 0x10_FFFF), (0, 0x2FFF), (0x20, 0x7E), (0x20, 0x7E)]),
            8 => {
                let bytes: Vec<u8> = (0..count).map(|_| self.below(256) as u8).collect();
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            9 => {
                for _ in 0..count % 8 {
                    let token = self.below(self.added.len().max(1));
                    text.push_str(self.added.get(token).map_or("<|none|>", String::as_str));
                    text.push_str(self.pick(&["", "", " ", "\n", "word"]));
                }
            }
            10 => {
                let unit = self.pick(&UNITS);
                let most = [10, 100, 3_000][self.below(3)];
                text.push_str(&unit.repeat(self.below(most)));
            }
            11 => (0..count % 12).for_each(|_| text.push_str(self.pick(&BLANKS))),
            12 => self.add_chars(text, count, &[(0x300, 0x36F), (0x41, 0x7A), (0xC0, 0x24F), (0x900, 0x97F)]),
            _ => self.add_chars(text, count, &[(0x30, 0x39), (0x660, 0x669), (0x20, 0x2F), (0xB2, 0xBE), (0x27, 0x27)]),
        }
    }

    fn add_words(&mut self, text: &mut String, count: usize) {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        for _ in 0..count {
            text.push_str(self.pick(&words));
            text.push_str(self.pick(&[" ", " ", " ", ", ", ". ", "\n", "-", "/", "!\n\n", "'s "]));
        }
    }

    fn add_chars(&mut self, text: &mut String, count: usize, ranges: &[(u32, u32)]) {
        for _ in 0..count {
            let (first, last) = ranges[self.below(ranges.len())];
            text.extend(char::from_u32(first + self.below((last - first + 1) as usize) as u32));
        }
    }

    fn pick<'p>(&mut self, from: &[&'p str]) -> &'p str {
        from[self.below(from.len())]
    }

    /// Xorshift (Marsaglia, 2003).
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 16) % limit as u64) as usize
    }
}
