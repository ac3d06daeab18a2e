//! The same client on `io_uring`: one multishot `recvmsg` per stream, buffers from a ring that is shared by all of them.

use std::io;
use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use io_uring::types::{BufRingEntry, Fd, RecvMsgOut};
use io_uring::{IoUring, cqueue, opcode};

use crate::{CHUNK, Load, Received, stamps};

const BUFFERS: u16 = 4096;
const BUFFER: usize = 2048;
const GROUP: u16 = 0;

pub fn receive(streams: Vec<TcpStream>, load: &Load) -> io::Result<Received> {
    let mut ring: IoUring = IoUring::builder()
        .setup_single_issuer()
        .setup_coop_taskrun()
        .setup_cqsize(16_384)
        .build(4_096)?;
    let mut buffers = Buffers::new(&ring)?;
    // SAFETY: a message header without pointers: only its lengths count for a multishot receive.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_controllen = stamps::CONTROL;
    let arm = |place: usize| {
        opcode::RecvMsgMulti::new(Fd(streams[place].as_raw_fd()), &raw const message, GROUP).build().user_data(place as u64)
    };
    for (place, stream) in streams.iter().enumerate() {
        stamps::ask_for(stream.as_raw_fd());
        // SAFETY: the header outlives the ring's use of it, and the streams stay open.
        while unsafe { ring.submission().push(&arm(place)) }.is_err() {
            ring.submit()?;
        }
    }
    let mut received = Received::default();
    let mut open = streams.len();
    let mut again = Vec::new();
    while open > 0 {
        if load.batch_us > 0 {
            std::thread::sleep(Duration::from_micros(load.batch_us));
        }
        ring.submit_and_wait(1)?;
        received.waits += 1;
        for entry in ring.completion() {
            let (result, place) = (entry.result(), entry.user_data() as usize);
            let Some(id) = cqueue::buffer_select(entry.flags()) else {
                // The end of a stream, or no buffer was free.
                if result == -libc::ENOBUFS {
                    again.push(place);
                } else {
                    open -= 1;
                }
                continue;
            };
            if result > 0 && let Ok(parsed) = RecvMsgOut::parse(&buffers.of(id)[..result as usize], &message) {
                let count = parsed.payload_data().len();
                if count == 0 {
                    open -= 1;
                } else {
                    received.chunks += (count / CHUNK) as u64;
                    received.merged += (count / CHUNK).saturating_sub(1) as u64;
                    received.stamped += u64::from(stamps::find(parsed.control_data()).is_some());
                    if !cqueue::more(entry.flags()) {
                        again.push(place);
                    }
                }
            }
            buffers.give_back(id);
        }
        buffers.publish();
        for place in again.drain(..) {
            // SAFETY: as above.
            while unsafe { ring.submission().push(&arm(place)) }.is_err() {
                ring.submit()?;
            }
        }
    }
    Ok(received)
}

/// The buffers that the kernel chooses from, and the ring that tells it which are free.
struct Buffers {
    ring: *mut BufRingEntry,
    memory: Vec<u8>,
    tail: u16,
}

impl Buffers {
    fn new(uring: &IoUring) -> io::Result<Self> {
        let size = usize::from(BUFFERS) * size_of::<BufRingEntry>();
        // SAFETY: anonymous memory of this process, kept until it ends, and entries that are written before they are published.
        unsafe {
            let flags = libc::MAP_ANONYMOUS | libc::MAP_PRIVATE | libc::MAP_POPULATE;
            let ring = libc::mmap(std::ptr::null_mut(), size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            uring.submitter().register_buf_ring_with_flags(ring as u64, BUFFERS, GROUP, 0)?;
            let mut buffers =
                Self { ring: ring.cast(), memory: vec![0; usize::from(BUFFERS) * BUFFER], tail: 0 };
            for id in 0..BUFFERS {
                buffers.give_back(id);
            }
            buffers.publish();
            Ok(buffers)
        }
    }

    fn of(&self, id: u16) -> &[u8] {
        &self.memory[usize::from(id) * BUFFER..][..BUFFER]
    }

    fn give_back(&mut self, id: u16) {
        // SAFETY: the place is within the ring, and the kernel reads it only after the tail has moved past it.
        unsafe {
            let entry = &mut *self.ring.add(usize::from(self.tail % BUFFERS));
            entry.set_addr(self.memory.as_ptr().add(usize::from(id) * BUFFER) as u64);
            entry.set_len(BUFFER as u32);
            entry.set_bid(id);
        }
        self.tail = self.tail.wrapping_add(1);
    }

    fn publish(&self) {
        // SAFETY: the tail lies in the first entry of the ring.
        unsafe {
            let tail = BufRingEntry::tail(self.ring).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }
}
