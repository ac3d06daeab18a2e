//! Program code from templates: functions, diffs, logs, JSON, tracebacks and questions about them. Names are combined from
//! the vocabulary of the prose, so that no two passages are equal.

use std::fmt::Write;

use aiperf_seed::Stream;

use super::vocabulary::WordClass;

/// Adds one block and a blank line.
pub(super) fn add_block(text: &mut String, stream: &mut Stream) {
    let block = BLOCKS[stream.below(BLOCKS.len() as u64) as usize];
    // Writing to a string cannot fail.
    let _ = block(text, &mut NameSource(stream));
    text.push('\n');
}

type BlockWriter = fn(&mut String, &mut NameSource<'_>) -> std::fmt::Result;

const BLOCKS: [BlockWriter; 9] = [python, rust, typescript, sql, diff, log, json, traceback, question];
const LEVELS: [&str; 4] = ["DEBUG", "INFO", "WARN", "ERROR"];
const TYPES: [&str; 6] = ["u64", "String", "bool", "f64", "usize", "Duration"];
const ERRORS: [&str; 5] = ["KeyError", "ValueError", "TimeoutError", "TypeError", "IndexError"];
const TASKS: [&str; 5] =
    ["Please review this change", "Explain why this fails", "Write a test for", "Make this faster", "Add logging to"];

/// Draws names and numbers.
struct NameSource<'a>(&'a mut Stream);

impl NameSource<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.below(from.len() as u64) as usize]
    }

    fn noun(&mut self) -> &'static str {
        self.pick(WordClass::Noun.words())
    }

    fn adjective(&mut self) -> &'static str {
        self.pick(WordClass::Adjective.words())
    }

    fn verb(&mut self) -> &'static str {
        self.pick(WordClass::Verb.words())
    }

    /// A variable name such as `golden_river` or `river`.
    fn name(&mut self) -> String {
        let noun = self.noun();
        if self.0.below(3) == 0 { noun.to_owned() } else { format!("{}_{noun}", self.adjective()) }
    }

    /// A type name such as `GoldenRiver`.
    fn type_name(&mut self) -> String {
        let (one, two) = (self.adjective(), self.noun());
        [one, two].map(|word| format!("{}{}", word[..1].to_ascii_uppercase(), &word[1..])).concat()
    }

    fn number(&mut self, below: u64) -> u64 {
        self.0.below(below)
    }

    /// A number from two to five.
    fn several(&mut self) -> u64 {
        2 + self.number(4)
    }
}

fn python(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let (function, argument, result) = (draw.name(), draw.name(), draw.name());
    writeln!(
        text,
        "def {}_{function}({argument}: list[int], limit: int = {}) -> dict:",
        draw.verb(),
        draw.number(500)
    )?;
    let (verb, noun) = (draw.verb(), draw.noun());
    writeln!(text, "    \"\"\"Return the {noun} that was {verb}.\"\"\"\n    {result} = {{}}")?;
    for _ in 0..draw.several() {
        let (key, divisor) = (draw.name(), 2 + draw.number(30));
        writeln!(text, "    for index, value in enumerate({argument}):")?;
        writeln!(text, "        if value % {divisor} == 0 and index < limit:")?;
        writeln!(text, "            {result}[\"{key}\"] = value // {divisor}")?;
    }
    writeln!(text, "    return {result}")
}

fn rust(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let name = draw.type_name();
    writeln!(text, "#[derive(Debug, Clone)]\npub struct {name} {{")?;
    let fields: Vec<String> = (0..draw.several()).map(|_| draw.name()).collect();
    for field in &fields {
        let kind = draw.pick(&TYPES);
        writeln!(text, "    {field}: {kind},")?;
    }
    writeln!(text, "}}\n\nimpl {name} {{")?;
    for field in fields.iter().take(2) {
        let (verb, error) = (draw.verb(), draw.type_name());
        writeln!(text, "    pub fn {verb}_{field}(&mut self) -> Result<(), {error}> {{")?;
        writeln!(text, "        let next = self.{field}.clone();")?;
        writeln!(text, "        self.entries.push(next).map_err({error}::from)\n    }}")?;
    }
    writeln!(text, "}}")
}

fn typescript(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let (name, path, kind) = (draw.name(), draw.name(), draw.type_name());
    writeln!(text, "export async function fetch_{name}(id: string): Promise<{kind} | null> {{")?;
    writeln!(text, "  const response = await fetch(`/api/v{}/{path}/${{id}}`);", 1 + draw.number(4))?;
    writeln!(text, "  if (!response.ok) {{\n    console.warn(\"{path}\", response.status);\n    return null;\n  }}")?;
    for _ in 0..draw.several() {
        let (left, right) = (draw.name(), draw.noun());
        writeln!(text, "  const {left} = (await response.json()).{right} ?? [];")?;
    }
    writeln!(text, "  return {name};\n}}")
}

fn sql(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let (table, other) = (draw.name(), draw.name());
    let columns: Vec<String> = (0..draw.several()).map(|_| format!("t.{}", draw.name())).collect();
    writeln!(text, "SELECT {}, COUNT(*) AS total\nFROM {table} AS t", columns.join(", "))?;
    writeln!(text, "LEFT JOIN {other} AS o ON o.{table}_id = t.id")?;
    writeln!(text, "WHERE o.created_at > NOW() - INTERVAL '{} days'", 1 + draw.number(90))?;
    writeln!(text, "GROUP BY {}\nORDER BY total DESC\nLIMIT {};", columns.join(", "), 10 * draw.several())
}

fn diff(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let file = format!("src/{}/{}.py", draw.noun(), draw.name());
    let (old, new, line) = (draw.number(1 << 28), draw.number(1 << 28), 1 + draw.number(400));
    writeln!(text, "diff --git a/{file} b/{file}\nindex {old:07x}..{new:07x} 100644\n--- a/{file}\n+++ b/{file}")?;
    writeln!(text, "@@ -{line},7 +{line},8 @@ class {}:", draw.type_name())?;
    for _ in 0..draw.several() {
        let (name, call) = (draw.name(), draw.name());
        writeln!(text, "         self.{name} = {call}\n-        return self.{name}.{call}({})", draw.number(100))?;
        writeln!(text, "+        return self.{name}.{call}({}, strict=True)", draw.number(100))?;
    }
    Ok(())
}

fn log(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let (mut seconds, service) = (draw.number(80_000), draw.name());
    for _ in 0..3 + draw.several() {
        seconds += draw.number(40);
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let (level, verb, noun) = (draw.pick(&LEVELS), draw.verb(), draw.name());
        let (millis, took) = (draw.number(1000), draw.number(9000));
        writeln!(
            text,
            "2024-03-{:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z {level:5} {service}: {verb} {noun} request_id={:08x} took={took}ms",
            1 + draw.number(28),
            draw.number(1 << 32)
        )?;
    }
    Ok(())
}

fn json(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    writeln!(text, "{{\n  \"{}\": [", draw.name())?;
    let count = draw.several();
    for place in 0..count {
        let (key, value, flag) = (draw.name(), draw.name(), draw.number(2) == 0);
        let comma = if place + 1 < count { "," } else { "" };
        let id = draw.number(100_000);
        writeln!(text, "    {{\"id\": {id}, \"{key}\": \"{value}\", \"enabled\": {flag}}}{comma}")?;
    }
    writeln!(text, "  ],\n  \"page\": {{\"size\": {}, \"next\": null}}\n}}", 10 * draw.several())
}

fn traceback(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    writeln!(text, "Traceback (most recent call last):")?;
    for _ in 0..draw.several() {
        let (folder, file, function, argument) = (draw.noun(), draw.name(), draw.name(), draw.name());
        writeln!(text, "  File \"/srv/{folder}/{file}.py\", line {}, in {function}", 1 + draw.number(900))?;
        writeln!(text, "    return self.{function}({argument}, retries={})", draw.number(9))?;
    }
    let (error, key) = (draw.pick(&ERRORS), draw.name());
    writeln!(text, "{error}: '{key}' was not {}", draw.verb())
}

fn question(text: &mut String, draw: &mut NameSource<'_>) -> std::fmt::Result {
    let (task, name, kind) = (draw.pick(&TASKS), draw.name(), draw.type_name());
    let (one, two) = (draw.noun(), draw.noun());
    writeln!(text, "# {task}: `{name}` in `{kind}` keeps the {one} but not the {two}, and only on every second call.")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use aiperf_seed::Seed;

    use super::*;

    #[test]
    fn every_kind_of_block_can_be_written_many_times() {
        let mut stream = Seed::fixed(1).stream("code");
        for block in BLOCKS {
            let mut all = HashSet::new();
            for _ in 0..50 {
                let mut text = String::new();
                block(&mut text, &mut NameSource(&mut stream)).unwrap();
                assert!(text.ends_with('\n') && text.len() > 40, "{text}");
                all.insert(text);
            }
            assert_eq!(all.len(), 50);
        }
    }

    #[test]
    fn what_should_be_json_is() {
        let mut text = String::new();
        json(&mut text, &mut NameSource(&mut Seed::fixed(2).stream("code"))).unwrap();
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    }
}
