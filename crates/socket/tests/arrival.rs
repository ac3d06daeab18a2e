//! Stamps against the truth on loopback: never before the peer wrote, never after the read, and not moved by a reader that
//! comes late.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixListener;
use std::thread;
use std::time::Duration;

use aiperf_address::SocketOptions;
use aiperf_clock::{Mono, Nanos, ReadStamp, StampSource};
use aiperf_socket::{SourceAddresses, StampedStream, Stamping, connect_tcp, connect_unix};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

fn on_runtime<F: Future>(body: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(body)
}

/// A connection and the peer's end of it.
async fn connected(stamping: &Stamping) -> (StampedStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let ours =
        connect_tcp(listener.local_addr().unwrap(), &SourceAddresses::default(), &SocketOptions::default(), stamping)
            .await
            .unwrap();
    let (theirs, _) = listener.accept().unwrap();
    theirs.set_nodelay(true).unwrap();
    (ours, theirs)
}

fn kernel_stamps() -> Stamping {
    let stamping = Stamping::start();
    assert_eq!(stamping.source(), StampSource::Kernel);
    // The kernel begins to stamp a moment after it was first asked to.
    thread::sleep(Duration::from_millis(50));
    stamping
}

async fn read(ours: &mut StampedStream) -> (Vec<u8>, ReadStamp) {
    let mut buffer = [0; 256];
    let count = ours.read(&mut buffer).await.unwrap();
    (buffer[..count].to_vec(), ours.last_read())
}

#[test]
#[cfg(target_os = "linux")]
fn bytes_are_stamped_between_their_writing_and_their_reading() {
    let stamping = kernel_stamps();
    on_runtime(async {
        let (mut ours, mut theirs) = connected(&stamping).await;
        let mut last = Mono::default();
        for _ in 0..20 {
            let written = Mono::now();
            theirs.write_all(b"chunk").unwrap();
            let (bytes, stamp) = read(&mut ours).await;
            let after = Mono::now();
            assert_eq!((bytes.as_slice(), stamp.source), (&b"chunk"[..], StampSource::Kernel));
            // The offset of the clocks is known to within its uncertainty, far below this slack.
            let slack = Nanos(100_000);
            assert!(stamp.at + slack >= written && stamp.at <= stamp.read_at && stamp.read_at <= after, "{stamp:?}");
            assert!(stamp.at >= last);
            last = stamp.at;
        }
        assert!(!stamping.offset().unwrap().stepped());
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_reader_that_comes_late_still_learns_when_the_bytes_arrived() {
    let stamping = kernel_stamps();
    on_runtime(async {
        let (mut ours, mut theirs) = connected(&stamping).await;
        for late in [20, 60] {
            theirs.write_all(b"early").unwrap();
            let written = Mono::now();
            thread::sleep(Duration::from_millis(late));
            let (_, stamp) = read(&mut ours).await;
            assert!(stamp.at <= written + Nanos(10_000_000), "{stamp:?} {written:?}");
            assert!(stamp.delay().unwrap() + Nanos(10_000_000) >= Nanos(late * 1_000_000), "{stamp:?}");
        }
    });
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_of_several_segments_has_the_time_of_the_last() {
    let stamping = kernel_stamps();
    on_runtime(async {
        let (mut ours, mut theirs) = connected(&stamping).await;
        theirs.write_all(b"one").unwrap();
        thread::sleep(Duration::from_millis(30));
        let second = Mono::now();
        theirs.write_all(b"two").unwrap();
        thread::sleep(Duration::from_millis(30));
        let (bytes, stamp) = read(&mut ours).await;
        assert_eq!(bytes, b"onetwo");
        assert!(stamp.at + Nanos(100_000) >= second && stamp.delay().unwrap() >= Nanos(25_000_000), "{stamp:?}");
    });
}

#[test]
fn without_kernel_stamps_the_reading_thread_takes_the_time() {
    on_runtime(async {
        let (mut ours, mut theirs) = connected(&Stamping::user()).await;
        theirs.write_all(b"x").unwrap();
        thread::sleep(Duration::from_millis(20));
        let before = Mono::now();
        let (_, stamp) = read(&mut ours).await;
        assert_eq!((stamp.source, stamp.delay()), (StampSource::User, None));
        assert!(stamp.at >= before && stamp.at == stamp.read_at);
    });
}

#[test]
fn all_bytes_come_through_in_both_directions_up_to_the_end() {
    const SIZE: usize = 3_000_000;
    on_runtime(async {
        let (mut ours, mut theirs) = connected(&Stamping::start()).await;
        let peer = thread::spawn(move || {
            let mut echo = theirs.try_clone().unwrap();
            let copied = std::io::copy(&mut echo, &mut theirs).unwrap();
            theirs.shutdown(std::net::Shutdown::Write).unwrap();
            copied
        });
        let sent: Vec<u8> = (0..SIZE).map(|n| (n % 251) as u8).collect();
        let (mut reader, mut writer) = tokio::io::split(&mut ours);
        let mut received = Vec::new();
        let (wrote, read) = tokio::join!(
            async {
                writer.write_all(&sent).await?;
                writer.shutdown().await
            },
            reader.read_to_end(&mut received)
        );
        wrote.unwrap();
        assert_eq!(read.unwrap(), SIZE);
        assert_eq!(peer.join().unwrap(), SIZE as u64);
        assert!(received == sent);
    });
}

#[test]
fn a_connection_is_quiet_until_the_peer_sends_or_closes() {
    on_runtime(async {
        let (ours, mut theirs) = connected(&Stamping::start()).await;
        assert!(ours.is_quiet());
        theirs.write_all(b"!").unwrap();
        while ours.is_quiet() {
            thread::yield_now();
        }
        let (ours, theirs) = connected(&Stamping::start()).await;
        drop(theirs);
        while ours.is_quiet() {
            thread::yield_now();
        }
        assert!(ours.local_addr().is_some() && ours.peer_addr().is_some());
    });
}

#[test]
fn a_refused_connection_is_an_error() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let refused =
        on_runtime(connect_tcp(address, &SourceAddresses::default(), &SocketOptions::default(), &Stamping::start()));
    assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn a_unix_socket_is_read_with_the_time_of_the_reading_thread() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("server.sock");
    let listener = UnixListener::bind(&path).unwrap();
    on_runtime(async {
        let mut ours = connect_unix(&path).await.unwrap();
        let (mut theirs, _) = listener.accept().unwrap();
        ours.write_all(b"ask").await.unwrap();
        let mut asked = [0; 3];
        theirs.read_exact(&mut asked).unwrap();
        theirs.write_all(b"answer").unwrap();
        let before = Mono::now();
        let (bytes, stamp) = read(&mut ours).await;
        assert_eq!((bytes.as_slice(), stamp.source), (&b"answer"[..], StampSource::User));
        assert!(stamp.at >= before && ours.is_quiet() && ours.peer_addr().is_none());
        assert!(connect_unix(&dir.path().join("nobody.sock")).await.is_err());
    });
}

/// All of 127.0.0.0/8 is this machine's on Linux.
#[test]
#[cfg(target_os = "linux")]
fn connections_leave_from_the_source_addresses_in_turn() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let sources = SourceAddresses::new(vec!["127.0.0.2".parse().unwrap(), "127.0.0.3".parse().unwrap()]);
    on_runtime(async {
        for expected in ["127.0.0.2", "127.0.0.3", "127.0.0.2"] {
            let ours = connect_tcp(address, &sources, &SocketOptions::default(), &Stamping::user()).await.unwrap();
            assert_eq!(ours.local_addr().unwrap().ip().to_string(), expected);
        }
        let foreign = SourceAddresses::new(vec!["192.0.2.1".parse().unwrap()]);
        let error =
            connect_tcp(address, &foreign, &SocketOptions::default(), &Stamping::user()).await.unwrap_err().to_string();
        assert!(error.contains("--source-address 192.0.2.1"), "{error}");
    });
}
