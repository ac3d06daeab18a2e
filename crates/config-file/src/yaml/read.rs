//! Reads one YAML document strictly: a key that is given twice, a key that is not text, a cycle and nesting without end are
//! refused, and aliases cannot make a small file large.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};

use super::node::{Entry, Node, NodeValue, Position};
use super::scalar;
use crate::FileError;

/// Most levels of lists and maps in each other.
const MAX_DEPTH: usize = 256;
/// Most values of a document, with all aliases replaced. Rows of an inline data set count too.
const MAX_NODES: usize = 2_000_000;

pub fn read(text: &str) -> Result<Node, FileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let options = granit_parser::options! { flow_nesting_limit: MAX_DEPTH, block_nesting_limit: MAX_DEPTH };
    let parser = Parser::new_from_str_with_options(text, options);
    let mut builder = Builder::default();
    let mut root = None;
    let mut documents = 0;
    for event in parser {
        let (event, span) = event.map_err(|error| syntax_error(&error))?;
        let position = position(&span);
        match event {
            Event::DocumentStart(..) => {
                documents += 1;
                if documents > 1 {
                    return Err(FileError::at(position, "", "the file has a second document; keep only one"));
                }
            }
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            event => {
                if let Some(finished) = builder.take(event, position)? {
                    root = Some(finished);
                }
            }
        }
    }
    root.ok_or_else(|| {
        let start = Position { line: 1, column: 1 };
        FileError::at(start, "", "the file is empty; `aiperf config init` prints files to begin with")
    })
}

fn syntax_error(error: &ScanError) -> FileError {
    let marker = error.marker();
    // The message ends with its place in another form.
    let text = match error.kind().to_string() {
        text if text.contains("recursion limit") => format!("lists and maps are nested more than {MAX_DEPTH} deep"),
        text => text,
    };
    FileError::at(Position { line: marker.line(), column: marker.col() + 1 }, "", format!("not valid YAML: {text}"))
}

fn position(span: &Span) -> Position {
    Position { line: span.start.line(), column: span.start.col() + 1 }
}

/// A list or map whose end has not come yet.
enum Open {
    List { items: Vec<Node>, position: Position, anchor: usize },
    Map(OpenMap),
}

struct OpenMap {
    entries: Vec<Entry>,
    names: HashSet<String>,
    /// The key whose value comes next.
    key: Option<PendingKey>,
    /// Maps whose keys are taken over at the end, so that the keys of this map are known by then.
    merged: Vec<Node>,
    position: Position,
    anchor: usize,
}

struct PendingKey {
    name: String,
    position: Position,
    /// `<<` without quotes.
    merges: bool,
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    /// Complete values that have an anchor, with the number of values in them.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    /// The last scalar had no quotes.
    is_plain: bool,
}

impl Builder {
    /// Takes the next event; gives the root when it is complete.
    fn take(&mut self, event: Event<'_>, position: Position) -> Result<Option<Node>, FileError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let value =
                    scalar_value(&text, style, tag.as_deref()).map_err(|problem| self.error(position, problem))?;
                self.is_plain = style == ScalarStyle::Plain;
                self.place(Node { value, position }, anchor)
            }
            Event::Alias(anchor) => {
                let Some(size) = self.anchors.get(&anchor).map(|(_, size)| *size) else {
                    let problem = "the alias stands inside of what it refers to; a value cannot contain itself";
                    return Err(self.error(position, problem));
                };
                self.count(size, position)?;
                let node = self.anchors.get(&anchor).map(|(node, _)| node.clone());
                node.map_or(Ok(None), |node| self.place(node, 0))
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(Open::List { items: Vec::new(), position, anchor }, tag.as_deref(), position)
            }
            Event::MappingStart(_, anchor, tag) => {
                let open = OpenMap {
                    entries: Vec::new(),
                    names: HashSet::new(),
                    key: None,
                    merged: Vec::new(),
                    position,
                    anchor,
                };
                self.open(Open::Map(open), tag.as_deref(), position)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { items, position, anchor }) => {
                    self.place(Node { value: NodeValue::List(items), position }, anchor)
                }
                Some(Open::Map(mut map)) => {
                    let path = self.path();
                    for other in std::mem::take(&mut map.merged) {
                        merge(&mut map, &other, &path)?;
                    }
                    self.place(Node { value: NodeValue::Map(map.entries), position: map.position }, map.anchor)
                }
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn open(&mut self, open: Open, tag: Option<&Tag>, position: Position) -> Result<Option<Node>, FileError> {
        if let Some(tag) = tag.filter(|tag| !["seq", "map"].contains(&tag.suffix())) {
            return Err(self.error(position, format!("the tag {} is not supported; leave it out", tag_text(tag))));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.error(position, format!("lists and maps are nested more than {MAX_DEPTH} deep")));
        }
        self.open.push(open);
        Ok(None)
    }

    /// Puts a complete value where it belongs.
    fn place(&mut self, node: Node, anchor: usize) -> Result<Option<Node>, FileError> {
        self.count(1, node.position)?;
        if anchor != 0 {
            let size = size(&node);
            self.count(size, node.position)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        // Only a key can be wrong here, so that values need no path.
        let is_key = matches!(self.open.last(), Some(Open::Map(map)) if map.key.is_none());
        let path = if is_key { self.path() } else { String::new() };
        match self.open.last_mut() {
            None => return Ok(Some(node)),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map(map)) => match map.key.take() {
                None => map.key = Some(key_of(&node, self.is_plain, &mut map.names, &path)?),
                Some(key) if key.merges => map.merged.push(node),
                Some(key) => map.entries.push(Entry { key: key.name, key_position: key.position, value: node }),
            },
        }
        Ok(None)
    }

    fn count(&mut self, nodes: usize, position: Position) -> Result<(), FileError> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MAX_NODES {
            let problem = format!("the document has more than {MAX_NODES} values; do aliases repeat each other?");
            return Err(self.error(position, problem));
        }
        Ok(())
    }

    fn error(&self, position: Position, problem: impl Into<String>) -> FileError {
        FileError::at(position, self.path(), problem)
    }

    /// The keys that lead to the value that is being read.
    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match open {
                Open::List { items, .. } => path.push_str(&format!("[{}]", items.len())),
                Open::Map(OpenMap { key: Some(key), .. }) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&key.name);
                }
                Open::Map(_) => {}
            }
        }
        path
    }
}

/// Values in a tree.
fn size(node: &Node) -> usize {
    match &node.value {
        NodeValue::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        NodeValue::Map(entries) => 1 + entries.iter().map(|entry| 1 + size(&entry.value)).sum::<usize>(),
        _ => 1,
    }
}

fn key_of(node: &Node, is_plain: bool, names: &mut HashSet<String>, path: &str) -> Result<PendingKey, FileError> {
    let NodeValue::Text(name) = &node.value else {
        let shown = node.word().map_or_else(String::new, |word| format!(" {word}"));
        let problem = format!("the key{shown} is {}; a key must be text, so put it into quotes", node.kind());
        return Err(FileError::at(node.position, path, problem));
    };
    let merges = is_plain && name == "<<";
    if !merges && !names.insert(name.clone()) {
        return Err(FileError::at(node.position, path, format!("the key {name} is given twice; keep one of them")));
    }
    Ok(PendingKey { name: name.clone(), position: node.position, merges })
}

/// `<<: *defaults`: takes over the keys that the map does not have itself.
fn merge(map: &mut OpenMap, other: &Node, path: &str) -> Result<(), FileError> {
    match &other.value {
        NodeValue::Map(entries) => {
            for entry in entries {
                if map.names.insert(entry.key.clone()) {
                    map.entries.push(entry.clone());
                }
            }
            Ok(())
        }
        NodeValue::List(maps) => maps.iter().try_for_each(|one| merge(map, one, path)),
        _ => {
            let problem = format!("<< needs a map of keys to take over, not {}", other.kind());
            Err(FileError::at(other.position, path, problem))
        }
    }
}

fn scalar_value(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<NodeValue, String> {
    let Some(tag) = tag else {
        return Ok(if style == ScalarStyle::Plain { scalar::plain(text) } else { NodeValue::Text(text.to_owned()) });
    };
    match tag.suffix() {
        "str" | "" => Ok(NodeValue::Text(text.to_owned())),
        "int" | "float" | "bool" | "null" => Ok(scalar::plain(text)),
        _ => Err(format!("the tag {} is not supported; leave it out", tag_text(tag))),
    }
}

fn tag_text(tag: &Tag) -> String {
    let handle = if tag.handle() == "tag:yaml.org,2002:" { "!!" } else { tag.handle() };
    format!("{handle}{}", tag.suffix())
}

#[cfg(test)]
mod tests;
