//! Content codings: the same body, however its packed bytes were cut. The first two bytes choose the coding and the pieces.
#![no_main]

use aiperf_transport::ContentCoding;

const CODINGS: [&str; 6] = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, deflate"];
const LIMIT: usize = 1 << 20;
/// What may be unpacked before the limit is looked at.
const STEP: usize = 16 * 1024;

/// The body, and whether it came to its end; `None` if the bytes are not packed that way.
fn unpack<'a>(name: &str, pieces: impl Iterator<Item = &'a [u8]>) -> Option<(Vec<u8>, bool)> {
    let mut coding = ContentCoding::named(name.as_bytes(), LIMIT).ok()??;
    let mut body = Vec::new();
    for piece in pieces {
        let decoded = coding.decode(piece, &mut body);
        assert!(body.len() <= LIMIT + STEP);
        decoded.ok()?;
    }
    let ended = coding.finish().is_ok();
    Some((body, ended))
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [coding, step, packed @ ..] = data else { return };
    let name = CODINGS[usize::from(*coding) % CODINGS.len()];
    let whole = unpack(name, std::iter::once(packed));
    let cut = unpack(name, packed.chunks(usize::from(step % 64) + 1));
    // libzstd checks the content size that a frame declares only if the whole frame comes at once.
    if !name.contains("zstd") || (whole.is_some() && cut.is_some()) {
        assert_eq!(whole, cut, "{name}");
    }
});
