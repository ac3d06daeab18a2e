//! Checks the sizes in an Arrow file before it is read. A damaged or malicious file can claim any amount of data, and the
//! reader would allocate memory for it first.

use arrow_ipc::reader::read_footer_length;
use arrow_ipc::{root_as_footer, root_as_message};

use crate::MOST_UNPACKED;

const MARKER: &[u8] = &[0xff; 4];
const DAMAGED: &str = "the Arrow file is damaged";

/// Checks a file with a footer: all blocks lie within the file, and their decompressed size is limited.
pub(super) fn check_file(bytes: &[u8]) -> Result<(), String> {
    let damaged = || DAMAGED.to_owned();
    let (front, end) = bytes.split_last_chunk::<10>().ok_or_else(damaged)?;
    let length = read_footer_length(*end).map_err(|error| error.to_string())?;
    let footer = front.len().checked_sub(length).map(|start| &front[start..]).ok_or_else(damaged)?;
    let footer = root_as_footer(footer).map_err(|_| damaged())?;
    let mut left = MOST_UNPACKED;
    for block in footer.recordBatches().iter().flatten().chain(footer.dictionaries().iter().flatten()) {
        let place = |number: i64| usize::try_from(number).map_err(|_| damaged());
        let start = place(block.offset())?;
        let body = start.checked_add(place(block.metaDataLength().into())?).ok_or_else(damaged)?;
        let end = body.checked_add(place(block.bodyLength())?).ok_or_else(damaged)?;
        let (head, body) = bytes.get(start..body).zip(bytes.get(body..end)).ok_or_else(damaged)?;
        check_message(head, body, &mut left)?;
    }
    Ok(())
}

/// Checks a stream, message by message.
pub(super) fn check_stream(mut bytes: &[u8]) -> Result<(), String> {
    let damaged = || DAMAGED.to_owned();
    let mut left = MOST_UNPACKED;
    while let Some((head, _)) = bytes.split_first_chunk::<8>().filter(|(head, _)| head.starts_with(MARKER)) {
        let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        if length == 0 {
            break;
        }
        let (head, rest) = bytes.split_at_checked(8 + length).ok_or_else(damaged)?;
        let message = root_as_message(&head[8..]).map_err(|_| damaged())?;
        let length = usize::try_from(message.bodyLength()).map_err(|_| damaged())?;
        let (body, rest) = rest.split_at_checked(length).ok_or_else(damaged)?;
        check_message(head, body, &mut left)?;
        bytes = rest;
    }
    Ok(())
}

/// Checks one message. A compressed buffer begins with its decompressed size.
fn check_message(head: &[u8], body: &[u8], left: &mut u64) -> Result<(), String> {
    let damaged = || DAMAGED.to_owned();
    let message = head.get(if head.starts_with(MARKER) { 8 } else { 4 }..).ok_or_else(damaged)?;
    let message = root_as_message(message).map_err(|_| damaged())?;
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else { return Ok(()) };
    for buffer in batch.buffers().iter().flatten().filter(|buffer| buffer.length() > 0) {
        let start = usize::try_from(buffer.offset()).map_err(|_| damaged())?;
        let size = body.get(start..).and_then(|rest| rest.first_chunk::<8>()).ok_or_else(damaged)?;
        // A negative size marks a buffer that is not compressed.
        let size = u64::try_from(i64::from_le_bytes(*size)).unwrap_or(0);
        *left = left.checked_sub(size).ok_or("is larger when decompressed than is read into memory")?;
    }
    Ok(())
}
