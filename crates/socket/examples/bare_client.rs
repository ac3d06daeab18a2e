//! The least that a client must do to time streams: one thread or a few, each with an `epoll` and a `recvmsg` with the kernel's receive
//! stamp. It looks for the ends of events and for nothing else. `benches/run` divides what a chunk or a request costs by what it costs
//! here.
//!
//! ```text
//! bare_client HOST:PORT streams=1000 requests=1000 tokens=100 threads=2 output=records.jsonl
//! ```
//!
//! `tokens=0` asks for whole replies of one token. The output has a line for each request: its id, when it started and when each event
//! arrived, on the wall clock. One line on standard output says what the run took.

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::fs::File;
    use std::io::{BufWriter, ErrorKind, Write};
    use std::net::{SocketAddr, TcpStream};
    use std::os::fd::{AsFd, OwnedFd};
    use std::path::PathBuf;

    use aiperf_clock::{Mono, WallAnchor, process_cpu};
    use aiperf_socket::{ask_for_stamps, grow_descriptor_table, raise_descriptor_limit, receive_stamped};
    use rustix::event::epoll;

    type Failure = Box<dyn Error + Send + Sync>;

    /// Large enough for all that waits in a socket of a slow reader.
    const READ_SIZE: usize = 256 * 1024;
    const END_OF_CHUNKS: &[u8] = b"0\r\n\r\n";

    #[derive(Debug, Clone)]
    struct Settings {
        server: SocketAddr,
        streams: usize,
        requests: usize,
        /// Output tokens of a streamed reply; zero: a whole reply of one token.
        tokens: u32,
        threads: usize,
        output: Option<PathBuf>,
    }

    /// One request and its reply.
    #[derive(Debug, Default)]
    struct TimedRequest {
        number: usize,
        start: u64,
        events: Vec<u64>,
        end: u64,
    }

    /// A connection and what is known of the reply that it receives.
    struct Connection {
        stream: TcpStream,
        request: TimedRequest,
        /// Of the whole reply with its head, once the head was read; `None` for chunked replies.
        length: Option<usize>,
        received: usize,
        /// The last bytes of the read before.
        tail: Vec<u8>,
    }

    pub(crate) fn main() -> Result<(), Failure> {
        let settings = settings()?;
        raise_descriptor_limit();
        grow_descriptor_table(settings.streams as u64 + 64);
        let anchor = WallAnchor::take();
        let began = Mono::now();
        let threads: Vec<_> = (0..settings.threads)
            .map(|thread| {
                let settings = settings.clone();
                std::thread::spawn(move || run(&settings, thread, anchor))
            })
            .collect();
        let mut requests = Vec::new();
        for thread in threads {
            requests.extend(thread.join().map_err(|_| "a thread panicked")??);
        }
        let (wall, cpu) = (Mono::now().since(began).as_secs_f64(), process_cpu().as_secs_f64());
        let events: usize = requests.iter().map(|request| request.events.len()).sum();
        writeln!(
            std::io::stdout(),
            r#"{{"requests":{},"events":{events},"wall_s":{wall},"cpu_s":{cpu}}}"#,
            requests.len()
        )?;
        settings.output.map_or(Ok(()), |path| write_records(&path, &requests))
    }

    fn settings() -> Result<Settings, Failure> {
        let mut words = std::env::args().skip(1);
        let server = words
            .next()
            .ok_or("usage: bare_client HOST:PORT [streams=N] [requests=N] [tokens=N] [threads=N] [output=FILE]")?;
        let mut settings =
            Settings { server: server.parse()?, streams: 64, requests: 1_000, tokens: 0, threads: 1, output: None };
        for word in words {
            match word.split_once('=') {
                Some(("streams", value)) => settings.streams = value.parse()?,
                Some(("requests", value)) => settings.requests = value.parse()?,
                Some(("tokens", value)) => settings.tokens = value.parse()?,
                Some(("threads", value)) => settings.threads = value.parse::<usize>()?.max(1),
                Some(("output", value)) => settings.output = Some(value.into()),
                _ => return Err(format!("unknown setting {word}").into()),
            }
        }
        Ok(settings)
    }

    /// Sends the requests whose number, divided by the number of threads, leaves that of this thread.
    fn run(settings: &Settings, thread: usize, anchor: WallAnchor) -> Result<Vec<TimedRequest>, Failure> {
        let mut numbers = (thread..settings.requests).step_by(settings.threads);
        let mine = (thread..settings.streams).step_by(settings.threads).count();
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let mut connections = Vec::with_capacity(mine);
        for number in numbers.by_ref().take(mine) {
            connections.push(open(settings, &poll, connections.len(), number, anchor)?);
        }
        let mut done = Vec::with_capacity(settings.requests / settings.threads + 1);
        let mut open_count = connections.len();
        let mut events = Vec::with_capacity(1024);
        let mut buffer = vec![0; READ_SIZE];
        while open_count > 0 {
            events.clear();
            epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None)?;
            for event in &events {
                let connection = &mut connections[event.data.u64() as usize];
                if !connection.read(&mut buffer)? {
                    continue;
                }
                let tokens = connection.request.events.capacity();
                let next = numbers.next();
                let fresh = TimedRequest { number: next.unwrap_or(0), ..TimedRequest::default() };
                done.push(std::mem::replace(&mut connection.request, fresh));
                if next.is_some() {
                    connection.request.events.reserve(tokens);
                    connection.send(settings, anchor)?;
                } else {
                    epoll::delete(&poll, &connection.stream)?;
                    open_count -= 1;
                }
            }
        }
        Ok(done)
    }

    fn open(
        settings: &Settings,
        poll: &OwnedFd,
        slot: usize,
        number: usize,
        anchor: WallAnchor,
    ) -> Result<Connection, Failure> {
        let start = anchor.epoch(Mono::now()).0;
        let stream = TcpStream::connect(settings.server)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        ask_for_stamps(&stream)?;
        let events = Vec::with_capacity(settings.tokens as usize + 4);
        let request = TimedRequest { number, events, ..TimedRequest::default() };
        let mut connection = Connection { stream, request, length: None, received: 0, tail: Vec::new() };
        connection.send(settings, anchor)?;
        // The first request on a connection includes its set-up.
        connection.request.start = start;
        epoll::add(poll, connection.stream.as_fd(), epoll::EventData::new_u64(slot as u64), epoll::EventFlags::IN)?;
        Ok(connection)
    }

    impl Connection {
        fn send(&mut self, settings: &Settings, anchor: WallAnchor) -> Result<(), Failure> {
            let (tokens, stream) = match settings.tokens {
                0 => (1, String::from("false")),
                tokens => (tokens, String::from(r#"true,"stream_options":{"include_usage":true}"#)),
            };
            let body = format!(
                r#"{{"messages":[{{"role":"user","content":"one two three four"}}],"model":"sim-model","max_completion_tokens":{tokens},"stream":{stream}}}"#
            );
            let text = format!(
                "POST /v1/chat/completions HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nX-Request-ID: bare-{}\r\nContent-Length: {}\r\n\r\n{body}",
                settings.server,
                self.request.number,
                body.len()
            );
            self.length = None;
            self.received = 0;
            self.tail.clear();
            self.request.start = anchor.epoch(Mono::now()).0;
            // A socket that has nothing to send takes a request of a few hundred bytes at once.
            Ok(self.stream.write_all(text.as_bytes())?)
        }

        /// Reads once. Whether the reply is complete.
        fn read(&mut self, buffer: &mut [u8]) -> Result<bool, Failure> {
            let (count, stamp) = match receive_stamped(&self.stream, buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                result => result?,
            };
            if count == 0 {
                return Err(format!("the server closed the connection of request {}", self.request.number).into());
            }
            let stamp = stamp.ok_or("the kernel gave no receive stamp")?.0;
            let bytes = &buffer[..count];
            if self.received == 0 {
                self.length = whole_length(bytes);
            }
            self.received += count;
            // The blank line that ends an event may be split over two reads.
            let mut last = self.tail.last().copied().unwrap_or(0);
            for &byte in bytes {
                if byte == b'\n' && last == b'\n' {
                    self.request.events.push(stamp);
                }
                last = byte;
            }
            self.tail.extend_from_slice(&bytes[count.saturating_sub(END_OF_CHUNKS.len())..]);
            self.tail.drain(..self.tail.len().saturating_sub(END_OF_CHUNKS.len()));
            self.request.end = stamp;
            Ok(match self.length {
                Some(length) => self.received >= length,
                None => self.tail == END_OF_CHUNKS,
            })
        }
    }

    /// Head and body together, if the head states the length of the body.
    fn whole_length(bytes: &[u8]) -> Option<usize> {
        let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
        let text = std::str::from_utf8(&bytes[..head]).ok()?;
        let value = text.lines().find_map(|line| line.strip_prefix("content-length: "))?;
        Some(head + value.parse::<usize>().ok()?)
    }

    fn write_records(path: &std::path::Path, requests: &[TimedRequest]) -> Result<(), Failure> {
        let mut out = BufWriter::new(File::create(path)?);
        for TimedRequest { number, start, events, end } in requests {
            writeln!(
                out,
                r#"{{"request_id":"bare-{number}","start_ns":{start},"events_ns":{events:?},"end_ns":{end}}}"#
            )?;
        }
        Ok(out.flush()?)
    }
}
