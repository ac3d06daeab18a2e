//! Kernel timestamps of received bytes.

use std::os::fd::RawFd;

/// Room for one control message of a time.
pub const CONTROL: usize = 64;

pub fn ask_for(fd: RawFd) {
    let on: libc::c_int = 1;
    // SAFETY: the option value is an int of the length that is given.
    unsafe {
        libc::setsockopt(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, (&raw const on).cast(), size_of_val(&on) as u32);
    }
}

/// The time in the control data of a received message.
pub fn find(control: &[u8]) -> Option<u64> {
    let header = size_of::<libc::cmsghdr>();
    if control.len() < header + size_of::<libc::timespec>() {
        return None;
    }
    // SAFETY: the lengths were checked; both types are plain integers and read without alignment.
    unsafe {
        let head: libc::cmsghdr = control.as_ptr().cast::<libc::cmsghdr>().read_unaligned();
        if head.cmsg_level != libc::SOL_SOCKET || head.cmsg_type != libc::SCM_TIMESTAMPNS {
            return None;
        }
        let time: libc::timespec = control.as_ptr().add(header).cast::<libc::timespec>().read_unaligned();
        Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
    }
}
