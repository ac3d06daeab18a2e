//! Whether the connections of a run are stamped by the kernel, and what turns such stamps into monotonic time.

use std::io;
use std::sync::Arc;

use aiperf_clock::{OffsetHistory, OffsetWatch, StampSource};
use socket2::{Domain, Socket, Type};

use crate::receive;

/// Shared by all connections of a run. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Stamping {
    kernel: Option<Arc<Kernel>>,
}

#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) offset: OffsetWatch,
    /// The kernel stamps packets only while a socket asks for it, and begins a moment after the first one has asked. This
    /// one asks before there are connections, and for as long as the run lasts.
    _asking: Socket,
}

impl Stamping {
    /// Kernel timestamps if the kernel provides them, otherwise those of the reading threads; [`Self::source`] says which.
    pub fn start() -> Self {
        Self::start_with(OffsetWatch::start())
    }

    /// As [`Self::start`], with a wall clock that the caller provides.
    pub fn start_with(offset: OffsetWatch) -> Self {
        match Self::kernel(offset) {
            Ok(kernel) => Self { kernel: Some(Arc::new(kernel)) },
            Err(cause) => {
                log::debug!("no kernel stamps: {cause}");
                Self::user()
            }
        }
    }

    /// The time is taken by the thread that reads.
    pub const fn user() -> Self {
        Self { kernel: None }
    }

    pub fn source(&self) -> StampSource {
        if self.kernel.is_some() { StampSource::Kernel } else { StampSource::User }
    }

    /// Measures the offset of the two clocks again. Returns the step in nanoseconds, if the wall clock was set.
    pub fn resample(&self) -> Option<i64> {
        self.kernel.as_ref().and_then(|kernel| kernel.offset.resample())
    }

    /// The history of the offset; `None` without kernel timestamps, because then nothing is converted.
    pub fn offset(&self) -> Option<OffsetHistory> {
        self.kernel.as_ref().map(|kernel| kernel.offset.history())
    }

    fn kernel(offset: OffsetWatch) -> io::Result<Kernel> {
        let asking = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        receive::ask_for_stamps(&asking)?;
        Ok(Kernel { offset, _asking: asking })
    }

    /// Has a new connection stamped. A kernel that refuses this one leaves it to the reading thread.
    pub(crate) fn apply(&self, socket: &Socket) -> Option<Arc<Kernel>> {
        let kernel = self.kernel.as_ref()?;
        receive::ask_for_stamps(socket).ok().map(|()| Arc::clone(kernel))
    }
}
