//! A connection that enters what passes through it into the ledger.

use std::cell::RefCell;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use aiperf_clock::Mono;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::ledger::Ledger;
use crate::connection::Wire;

#[derive(Debug)]
pub(super) struct Observed {
    pub(super) wire: Wire,
    pub(super) ledger: Rc<RefCell<Ledger>>,
}

impl AsyncRead for Observed {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(this.wire.poll_read(cx, buffer))?;
        let stamp = this.wire.socket().last_read();
        this.ledger.borrow_mut().received(&buffer.filled()[before..], stamp);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Observed {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = ready!(this.wire.poll_write(cx, parts))?;
        let at = Mono::now();
        let mut left = written;
        let mut ledger = this.ledger.borrow_mut();
        for part in parts {
            let count = left.min(part.len());
            ledger.written(&part[..count], at);
            left -= count;
        }
        Poll::Ready(Ok(written))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().wire.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().wire.poll_shutdown(cx)
    }
}
