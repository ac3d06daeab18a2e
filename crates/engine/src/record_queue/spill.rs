//! Finished requests on disk: the bulk of an exchange is written to a file that has no name and is gone when the process ends, in whatever
//! way. About 1 kB of each request stays in memory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use aiperf_clock::{Mono, ReadMark, ReadStamp, StampSource};
use bytes::Bytes;

use crate::request::finished::{ExchangeError, Finished};

/// The file that exchanges are spilled to. Its space is used again when everything was read back.
#[derive(Debug)]
pub(super) struct SpillFile {
    file: File,
    end: Mutex<u64>,
    /// Exchanges that were not read back.
    live: AtomicU64,
}

/// A finished request whose response is on disk.
#[derive(Debug)]
pub(super) struct SpilledExchange {
    finished: Box<Finished>,
    file: Arc<SpillFile>,
    offset: u64,
    length: u64,
}

impl SpillFile {
    /// A file without a name in `folder`, or in the system's folder for temporary files if that is not possible.
    pub(super) fn create(folder: &Path) -> io::Result<Self> {
        tempfile::tempfile_in(folder).or_else(|_| tempfile::tempfile()).map(Self::of)
    }

    pub(super) fn of(file: File) -> Self {
        Self { file, end: Mutex::new(0), live: AtomicU64::new(0) }
    }

    /// Writes the response of a request. If that fails, the request is returned as it was.
    pub(super) fn spill(
        self: &Arc<Self>,
        mut finished: Box<Finished>,
        scratch: &mut Vec<u8>,
    ) -> Result<Box<SpilledExchange>, (Box<Finished>, io::Error)> {
        scratch.clear();
        encode(&finished, scratch);
        let length = scratch.len() as u64;
        let offset = {
            let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            if self.live.load(Ordering::Acquire) == 0 {
                *end = 0;
            }
            let offset = *end;
            if let Err(cause) = write_all_at(&self.file, scratch, offset) {
                return Err((finished, cause));
            }
            *end += length;
            self.live.fetch_add(1, Ordering::AcqRel);
            offset
        };
        strip(&mut finished);
        Ok(Box::new(SpilledExchange { finished, file: Arc::clone(self), offset, length }))
    }
}

impl SpilledExchange {
    /// Bytes on disk.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// The request as it was. One that cannot be read back has failed, and its record says why.
    pub(super) fn read_back(self) -> Box<Finished> {
        let mut finished = self.finished;
        let mut bytes = vec![0; usize::try_from(self.length).unwrap_or(0)];
        let read = read_exact_at(&self.file.file, &mut bytes, self.offset);
        self.file.live.fetch_sub(1, Ordering::AcqRel);
        if let Err(cause) = read.and_then(|()| decode(&bytes, &mut finished)) {
            log::error!(
                "a response that was spilled to disk cannot be read back: {cause}; its request counts as failed"
            );
            finished.result = Err(ExchangeError::SpillLost(cause));
        }
        finished
    }
}

#[cfg(unix)]
fn write_all_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_all_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        (bytes, offset) = (&bytes[written..], offset + written as u64);
    }
    Ok(())
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, offset)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (bytes, offset) = (&mut bytes[read..], offset + read as u64);
    }
    Ok(())
}

/// Frees what is on disk.
fn strip(finished: &mut Finished) {
    let exchange = &mut finished.exchange;
    exchange.body = Vec::new();
    exchange.marks = Vec::new();
    exchange.headers = Vec::new();
    exchange.trailers = Vec::new();
    if !finished.body_is_fixed {
        finished.body = Bytes::new();
    }
}

fn encode(finished: &Finished, out: &mut Vec<u8>) {
    let exchange = &finished.exchange;
    put(out, &exchange.body);
    put_number(out, exchange.marks.len() as u64);
    for mark in &exchange.marks {
        put_number(out, mark.end as u64);
        put_number(out, mark.at.as_nanos());
        put_number(out, mark.read_at.as_nanos());
        out.push(u8::from(mark.source == StampSource::Kernel));
    }
    for headers in [&exchange.headers, &exchange.trailers] {
        put_number(out, headers.len() as u64);
        for (name, value) in headers {
            put(out, name.as_bytes());
            put(out, value.as_bytes());
        }
    }
    put(out, if finished.body_is_fixed { &[] } else { &finished.body });
}

fn decode(bytes: &[u8], finished: &mut Finished) -> io::Result<()> {
    let mut source = SpillBytes(bytes);
    let body = source.bytes()?.to_vec();
    let marks = (0..source.number()?).map(|_| source.mark()).collect::<io::Result<_>>()?;
    let headers = source.headers()?;
    let trailers = source.headers()?;
    let sent = source.bytes()?;
    if !finished.body_is_fixed {
        finished.body = Bytes::copy_from_slice(sent);
    }
    let exchange = &mut finished.exchange;
    (exchange.body, exchange.marks, exchange.headers, exchange.trailers) = (body, marks, headers, trailers);
    Ok(())
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

/// What is left to decode.
struct SpillBytes<'a>(&'a [u8]);

impl<'a> SpillBytes<'a> {
    fn take(&mut self, length: usize) -> io::Result<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(io::ErrorKind::InvalidData)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> io::Result<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn bytes(&mut self) -> io::Result<&'a [u8]> {
        let length = self.number()?;
        self.take(usize::try_from(length).map_err(|_| io::ErrorKind::InvalidData)?)
    }

    fn text(&mut self) -> io::Result<String> {
        String::from_utf8(self.bytes()?.to_vec()).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn headers(&mut self) -> io::Result<Vec<(String, String)>> {
        (0..self.number()?).map(|_| Ok((self.text()?, self.text()?))).collect()
    }

    fn mark(&mut self) -> io::Result<ReadMark> {
        let (end, at, read_at) = (self.number()?, self.number()?, self.number()?);
        let source = if self.take(1)? == [1] { StampSource::Kernel } else { StampSource::User };
        let stamp = ReadStamp { at: Mono::from_nanos(at), read_at: Mono::from_nanos(read_at), source };
        Ok(ReadMark::new(usize::try_from(end).map_err(|_| io::ErrorKind::InvalidData)?, stamp))
    }
}
