//! Images as data URLs. Formats that servers can open pass through unchanged, since encoding them again would change the
//! measurement.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::table_row::ColumnValue;

/// The image in a column: bytes, a record of bytes and path, or the first of a list of these. `None` if there is none.
pub(super) fn data_url(cell: &ColumnValue) -> Result<Option<String>, String> {
    match cell {
        ColumnValue::Null => Ok(None),
        ColumnValue::Bytes(bytes) => encode(bytes).map(Some),
        ColumnValue::Text(url) if url.contains("://") || url.starts_with("data:") => Ok(Some(url.clone())),
        ColumnValue::List(list) => list.first().map_or(Ok(None), data_url),
        ColumnValue::Record(row) => match (row.get("bytes"), row.get("path")) {
            (Some(bytes), _) => data_url(bytes),
            (None, Some(path)) => data_url(path),
            (None, None) => Ok(None),
        },
        _ => Err("its image is neither bytes nor a URL".to_owned()),
    }
}

fn encode(bytes: &[u8]) -> Result<String, String> {
    let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
    let kind = match bytes {
        [0xff, 0xd8, 0xff, ..] => "jpeg",
        [0x89, b'P', b'N', b'G', ..] => "png",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        _ if is_webp => "webp",
        _ => return Err("its image is not JPEG, PNG, WebP or GIF".to_owned()),
    };
    Ok(format!("data:image/{kind};base64,{}", STANDARD.encode(bytes)))
}

#[cfg(test)]
mod tests {
    use super::super::table_row::TableRow;
    use super::*;

    #[test]
    fn pictures_are_known_by_their_first_bytes_and_not_changed() {
        for (bytes, start) in [
            (&b"\xff\xd8\xff\xe0"[..], "data:image/jpeg;base64,/9j/4A=="),
            (b"\x89PNG\r\n", "data:image/png;base64,"),
            (b"GIF89a", "data:image/gif;base64,"),
            (b"RIFF....WEBP", "data:image/webp;base64,"),
        ] {
            let record = ColumnValue::Record(TableRow(vec![
                ("bytes".into(), ColumnValue::Bytes(bytes.into())),
                ("path".into(), ColumnValue::Null),
            ]));
            let url = data_url(&ColumnValue::List(vec![record])).unwrap().unwrap();
            assert!(url.starts_with(start), "{url}");
        }
        assert!(data_url(&ColumnValue::Bytes(b"BM....".to_vec())).unwrap_err().contains("not JPEG"));
        assert_eq!(data_url(&ColumnValue::List(Vec::new())).unwrap(), None);
        assert_eq!(data_url(&ColumnValue::Text("https://x/y".into())).unwrap().unwrap(), "https://x/y");
    }
}
