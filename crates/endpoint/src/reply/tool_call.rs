//! Tool calls, put together from the fragments that a stream sends.

use aiperf_protocol::{ToolCall, ToolKind};

/// The part of a call that one event holds. Texts that are absent are empty.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CallFragment<'a> {
    /// The number of the call within the message, if the server sends it.
    pub(crate) index: Option<u64>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) kind: ToolKind,
}

/// The calls of one message, in the order in which they began.
#[derive(Debug, Default)]
pub(crate) struct CallAssembly(Vec<(Option<u64>, ToolCall)>);

impl CallAssembly {
    pub(crate) fn add(&mut self, fragment: CallFragment<'_>) {
        let place = self.place(fragment).unwrap_or_else(|| {
            self.0.push((fragment.index, ToolCall::default()));
            self.0.len() - 1
        });
        let call = &mut self.0[place].1;
        if call.id.is_empty() {
            call.id.push_str(fragment.id);
        }
        call.kind = fragment.kind;
        call.name.push_str(fragment.name);
        call.arguments.push_str(fragment.arguments);
    }

    /// The call that the fragment goes on with. Some servers number every call of a message 0 and tell them apart by
    /// their ids only; others send neither number nor id, and a name begins the next call.
    fn place(&self, fragment: CallFragment<'_>) -> Option<usize> {
        let same_id = |call: &ToolCall| fragment.id.is_empty() || call.id.is_empty() || call.id == fragment.id;
        match fragment.index {
            Some(_) => self.0.iter().rposition(|(index, call)| *index == fragment.index && same_id(call)),
            None if !fragment.id.is_empty() => self.0.iter().rposition(|(_, call)| call.id == fragment.id),
            None if fragment.name.is_empty() => self.0.len().checked_sub(1),
            None => None,
        }
    }

    pub(crate) fn into_calls(self) -> Vec<ToolCall> {
        self.0.into_iter().map(|(_, call)| call).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assembled(fragments: &[(Option<u64>, &str, &str, &str)]) -> Vec<[String; 3]> {
        let mut calls = CallAssembly::default();
        for &(index, id, name, arguments) in fragments {
            calls.add(CallFragment { index, id, name, arguments, ..CallFragment::default() });
        }
        calls.into_calls().into_iter().map(|call| [call.id, call.name, call.arguments]).collect()
    }

    #[test]
    fn fragments_are_joined_by_their_index_however_they_are_mixed() {
        let calls = assembled(&[
            (Some(0), "a", "f", ""),
            (Some(1), "b", "g", "{"),
            (Some(0), "", "", "{\"x\":"),
            (Some(1), "b", "", "}"),
            (Some(0), "", "", "1}"),
        ]);
        assert_eq!(calls, [["a", "f", "{\"x\":1}"], ["b", "g", "{}"]]);
    }

    #[test]
    fn calls_that_share_an_index_are_told_apart_by_their_ids() {
        assert_eq!(assembled(&[(Some(0), "a", "f", "{}"), (Some(0), "b", "g", "{}")]).len(), 2);
    }

    #[test]
    fn without_index_an_id_or_a_name_begins_the_next_call() {
        let calls = assembled(&[(None, "", "f", ""), (None, "", "", "{}"), (None, "", "g", "{}")]);
        assert_eq!(calls, [["", "f", "{}"], ["", "g", "{}"]]);
        let calls = assembled(&[(None, "a", "f", "{"), (None, "b", "g", ""), (None, "a", "", "}")]);
        assert_eq!(calls, [["a", "f", "{}"], ["b", "g", ""]]);
    }
}
