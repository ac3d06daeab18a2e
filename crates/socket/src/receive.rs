//! One read from a socket, with the kernel's receive timestamp if there is one.

pub use platform::{ask_for_stamps, receive_stamped};

#[cfg(target_os = "linux")]
mod platform {
    use std::io::{self, IoSliceMut};
    use std::os::fd::{AsFd, AsRawFd};

    use aiperf_clock::EpochNanos;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};

    /// Room for one control message of a time (32 bytes); aligned as the kernel's headers are.
    #[repr(align(8))]
    struct ControlBuffer([u8; 64]);

    /// From now on reads of this socket bring the time at which the last byte read had come in.
    pub fn ask_for_stamps(socket: &impl AsFd) -> io::Result<()> {
        Ok(setsockopt(&socket.as_fd(), sockopt::ReceiveTimestampns, &true)?)
    }

    /// Reads what is there, never waits. The stamp is wall-clock time.
    pub fn receive_stamped(socket: &impl AsFd, buffer: &mut [u8]) -> io::Result<(usize, Option<EpochNanos>)> {
        let mut control = ControlBuffer([0; 64]);
        let mut parts = [IoSliceMut::new(buffer)];
        let fd = socket.as_fd().as_raw_fd();
        let message = recvmsg::<()>(fd, &mut parts, Some(&mut control.0), MsgFlags::MSG_DONTWAIT)?;
        let stamp = message.cmsgs()?.find_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(at) => {
                Some(EpochNanos(at.tv_sec() as u64 * 1_000_000_000 + at.tv_nsec() as u64))
            }
            _ => None,
        });
        Ok((message.bytes, stamp))
    }
}

/// Other systems stamp datagrams only.
#[cfg(not(target_os = "linux"))]
mod platform {
    use std::io::{self, Read};
    #[cfg(unix)]
    use std::os::fd::AsFd;
    #[cfg(windows)]
    use std::os::windows::io::AsSocket as AsFd;

    use aiperf_clock::EpochNanos;
    use socket2::SockRef;

    pub fn ask_for_stamps(_socket: &impl AsFd) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn receive_stamped(socket: &impl AsFd, buffer: &mut [u8]) -> io::Result<(usize, Option<EpochNanos>)> {
        Ok(((&*SockRef::from(socket)).read(buffer)?, None))
    }
}
