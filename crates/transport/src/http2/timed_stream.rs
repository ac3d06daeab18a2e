//! A connection that notes when the frames on it were read and written.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use aiperf_clock::Mono;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::frame_times::FrameTimes;
use crate::connection::ByteStream;

#[derive(Debug)]
pub(super) struct TimedStream {
    pub(super) stream: ByteStream,
    pub(super) times: Rc<RefCell<FrameTimes>>,
}

impl AsyncRead for TimedStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(this.stream.poll_read(cx, buffer))?;
        let stamp = this.stream.socket().last_read();
        this.times.borrow_mut().received(&buffer.filled()[before..], stamp);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for TimedStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(this.stream.poll_write(cx, parts))?;
        let at = Mono::now();
        let mut left = written;
        let mut times = this.times.borrow_mut();
        for part in parts {
            let count = left.min(part.len());
            times.written(&part[..count], at);
            left -= count;
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().stream.poll_shutdown(cx)
    }
}
