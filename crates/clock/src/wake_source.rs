//! What wakes a thread's [`Timer`](crate::Timer) at a point in time.

#[cfg(not(target_os = "linux"))]
pub(crate) use self::runtime_timer::RuntimeTimer as WakeSource;
#[cfg(target_os = "linux")]
pub(crate) use self::timer_fd::TimerFd as WakeSource;

#[cfg(target_os = "linux")]
mod timer_fd {
    use std::os::fd::OwnedFd;

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
    };
    use tokio::io::unix::AsyncFd;

    use crate::Mono;

    #[derive(Debug)]
    pub(crate) struct TimerFd(AsyncFd<OwnedFd>);

    impl TimerFd {
        pub(crate) fn new() -> std::io::Result<Self> {
            let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
            // SAFETY: the descriptor is owned by the `AsyncFd`, never replaced and closed only when both are dropped.
            #[allow(unsafe_code)]
            let registered = unsafe { AsyncFd::register(fd) };
            Ok(Self(registered.map_err(|e| e.into_parts().1)?))
        }

        pub(crate) fn set(&self, at: Mono) {
            let nanos = at.as_nanos().max(1);
            let spec = Itimerspec {
                it_interval: Timespec { tv_sec: 0, tv_nsec: 0 },
                it_value: Timespec { tv_sec: (nanos / 1_000_000_000) as i64, tv_nsec: (nanos % 1_000_000_000) as i64 },
            };
            // Only a bad descriptor or a bad time can fail here, and both are made above.
            let _ = timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::ABSTIME, &spec);
        }

        pub(crate) async fn fired(&self) -> std::io::Result<()> {
            let mut guard = self.0.readable().await?;
            let mut count = [0_u8; 8];
            let _ = rustix::io::read(self.0.get_ref(), &mut count);
            guard.clear_ready();
            Ok(())
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod runtime_timer {
    use std::cell::Cell;
    use std::time::Duration;

    use tokio::sync::Notify;

    use crate::Mono;

    /// The runtime's own timer, for platforms without `timerfd`: accurate to one millisecond.
    #[derive(Debug)]
    pub(crate) struct RuntimeTimer {
        at: Cell<Option<Mono>>,
        changed: Notify,
    }

    impl RuntimeTimer {
        #[allow(clippy::unnecessary_wraps)]
        pub(crate) fn new() -> std::io::Result<Self> {
            Ok(Self { at: Cell::new(None), changed: Notify::new() })
        }

        pub(crate) fn set(&self, at: Mono) {
            self.at.set(Some(at));
            self.changed.notify_one();
        }

        #[allow(clippy::unnecessary_wraps)]
        pub(crate) async fn fired(&self) -> std::io::Result<()> {
            loop {
                match self.at.get() {
                    None => self.changed.notified().await,
                    Some(at) => {
                        let left = Duration::from_nanos(at.since(Mono::now()).0);
                        tokio::select! {
                            () = tokio::time::sleep(left) => { self.at.set(None); return Ok(()); }
                            () = self.changed.notified() => {}
                        }
                    }
                }
            }
        }
    }
}
