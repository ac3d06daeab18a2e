//! Walks through a document and the tree of rules side by side. What no rule asks for is skipped without being stored.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::Role;
use super::found::Found;
use super::tree::{RuleNode, RuleTree};
use crate::reply::lenient::{Text, Truthy, nothing_for, skip_map, skip_seq};
use crate::reply::usage::UsageField;

/// One value of the document, and the node of the tree for it.
pub(super) struct Walk<'r, 'f, 'a> {
    tree: &'r RuleTree,
    at: usize,
    /// The choice that the value belongs to.
    slot: usize,
    found: &'f mut Found<'a>,
}

impl<'r, 'f, 'a> Walk<'r, 'f, 'a> {
    pub(super) fn new(tree: &'r RuleTree, found: &'f mut Found<'a>) -> Self {
        Self { tree, at: 0, slot: 0, found }
    }

    fn node(&self) -> &'r RuleNode {
        self.tree.node(self.at)
    }

    fn number(self, value: u64) {
        self.node().roles.iter().for_each(|role| self.found.number(*role, self.slot, value));
    }

    fn below(&mut self, at: usize) -> Walk<'r, '_, 'a> {
        Walk { tree: self.tree, at, slot: self.slot, found: self.found }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_, '_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let node = self.node();
        match node.roles[..] {
            [Role::Usage] if node.is_leaf() => {
                self.found.usage(UsageField::deserialize(deserializer)?.0);
                Ok(())
            }
            [role @ (Role::ErrorMark | Role::Done)] if node.is_leaf() => {
                if Truthy::deserialize(deserializer)?.0 {
                    self.found.flag(role);
                }
                Ok(())
            }
            [Role::Items] if node.is_leaf() => {
                self.found.items(ItemCount::deserialize(deserializer)?.0);
                Ok(())
            }
            ref roles if roles.iter().any(|role| role.looks_into_values()) => {
                // Several rules want the same value, or parts of it: it is kept, and each rule looks at it.
                let value = Value::deserialize(deserializer)?;
                for role in roles {
                    self.found.take_owned(*role, self.slot, value.clone());
                }
                if value.is_object() || value.is_array() {
                    let mut inner = Found::default();
                    let walk = Walk { tree: self.tree, at: self.at, slot: 0, found: &mut inner };
                    let _ = (&value).deserialize_any(walk);
                    self.found.absorb(self.slot, inner);
                }
                Ok(())
            }
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        if value {
            self.node().roles.iter().for_each(|role| self.found.flag(*role));
        }
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.number(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        if let Ok(value) = u64::try_from(value) {
            self.number(value);
        }
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        if value >= 0.0 && value.is_finite() {
            self.number(value as u64);
        }
        Ok(())
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        for role in &self.node().roles {
            self.found.text(*role, self.slot, Cow::Borrowed(text));
        }
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        for role in &self.node().roles {
            self.found.text(*role, self.slot, Cow::Owned(text.to_owned()));
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        let node = self.node();
        if !node.has_items() {
            return skip_seq(seq);
        }
        for index in 0.. {
            let Some(at) = node.item(index) else {
                if seq.next_element::<IgnoredAny>()?.is_none() {
                    return Ok(());
                }
                continue;
            };
            let mut item = self.below(at);
            if item.node().begins_choice {
                item.slot = item.found.begin_choice(index as u64);
            }
            if seq.next_element_seed(item)?.is_none() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let node = self.node();
        if !node.has_names() {
            return skip_map(map);
        }
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match node.named(key.as_str()) {
                Some(at) => map.next_value_seed(self.below(at))?,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// How many pieces of content a value has: the items of a list, one for an object.
struct ItemCount(usize);

impl<'de> Deserialize<'de> for ItemCount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = ItemCount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("content")
            }

            nothing_for!(ItemCount(0); null);
            nothing_for!(ItemCount(1); boolean number string object);

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ItemCount, A::Error> {
                let mut count = 0;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(ItemCount(count))
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}
