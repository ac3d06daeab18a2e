//! A bare client on `epoll`, edge-triggered, one `recvmsg` per readable stream.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::Duration;

use crate::{CHUNK, Load, Received, stamps};

pub fn receive(streams: Vec<TcpStream>, load: &Load) -> io::Result<Received> {
    let mut received = Received::default();
    // SAFETY: plain system calls; every pointer is to a live buffer of the length that is given with it.
    unsafe {
        let poll = libc::epoll_create1(0);
        for stream in &streams {
            stream.set_nonblocking(true)?;
            stamps::ask_for(stream.as_raw_fd());
            let events = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET) as u32;
            let mut event = libc::epoll_event { events, u64: stream.as_raw_fd() as u64 };
            libc::epoll_ctl(poll, libc::EPOLL_CTL_ADD, stream.as_raw_fd(), &mut event);
        }
        let mut events = vec![libc::epoll_event { events: 0, u64: 0 }; 1024];
        let (mut buffer, mut control) = (vec![0_u8; 65_536], [0_u8; stamps::CONTROL]);
        let mut open = streams.len();
        while open > 0 {
            if load.batch_us > 0 {
                std::thread::sleep(Duration::from_micros(load.batch_us));
            }
            let ready = libc::epoll_wait(poll, events.as_mut_ptr(), 1024, -1);
            received.waits += 1;
            for event in &events[..ready.max(0) as usize] {
                let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
                let mut message: libc::msghdr = std::mem::zeroed();
                message.msg_iov = &mut part;
                message.msg_iovlen = 1;
                message.msg_control = control.as_mut_ptr().cast();
                message.msg_controllen = control.len();
                let count = libc::recvmsg(event.u64 as i32, &mut message, libc::MSG_DONTWAIT);
                // The end may come together with the last chunk, and is not told again.
                if count == 0 || event.events & libc::EPOLLRDHUP as u32 != 0 {
                    open -= 1;
                    libc::epoll_ctl(poll, libc::EPOLL_CTL_DEL, event.u64 as i32, std::ptr::null_mut());
                }
                if count > 0 {
                    received.chunks += count as u64 / CHUNK as u64;
                    received.merged += count as u64 / CHUNK as u64 - 1;
                    received.stamped += u64::from(stamps::find(&control[..message.msg_controllen]).is_some());
                }
            }
        }
    }
    Ok(received)
}
