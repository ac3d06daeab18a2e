//! The queue alone, against a model, and between threads.

use std::collections::VecDeque;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use aiperf_clock::Nanos;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

#[test]
fn things_come_out_in_order_and_end_with_the_last_sender() {
    let (sender, receiver) = unbounded();
    let other = sender.clone();
    let thread = thread::spawn(move || std::iter::from_fn(|| receiver.receive()).collect::<Vec<_>>());
    for number in 0..1_000 {
        assert!(if number % 2 == 0 { sender.send(number) } else { other.send(number) });
    }
    drop((sender, other));
    assert_eq!(thread.join().unwrap(), (0..1_000).collect::<Vec<_>>());
}

#[test]
fn a_queue_without_receivers_takes_nothing() {
    let (sender, receiver) = unbounded();
    assert!(sender.send(1));
    assert_eq!((receiver.take(), receiver.is_empty()), (Some(1), true));
    drop(receiver);
    assert!(!sender.send(2));
}

#[test]
fn a_wait_ends_at_its_time_or_with_what_came() {
    let (sender, receiver) = unbounded::<u8>();
    assert_eq!(receiver.receive_until(Mono::now() + Nanos(1_000_000)), WaitResult::TimedOut);
    sender.send(1);
    assert_eq!(receiver.receive_until(Mono::now()), WaitResult::Item(1));
    drop(sender);
    assert_eq!(receiver.receive_until(Mono::now() + Nanos(3_600_000_000_000)), WaitResult::Closed);
}

#[test]
fn what_nobody_took_is_dropped_with_the_last_receiver_even_if_it_holds_a_sender() {
    let (sender, receiver) = unbounded::<Option<Box<dyn Send>>>();
    let inside = sender.clone();
    sender.send(Some(Box::new(inside)));
    drop(receiver);
    assert!(!sender.send(None));
}

/// What can be done with a queue without waiting.
#[derive(Debug, Clone, Copy)]
enum QueueStep {
    Send,
    Take,
    Receive,
    ReceiveUntilNow,
    CloneSender,
    DropSender,
    CloneReceiver,
    DropReceiver,
}

fn queue_step() -> impl Strategy<Value = QueueStep> {
    prop_oneof![
        8 => Just(QueueStep::Send),
        2 => Just(QueueStep::Take),
        4 => Just(QueueStep::Receive),
        2 => Just(QueueStep::ReceiveUntilNow),
        1 => Just(QueueStep::CloneSender),
        1 => Just(QueueStep::DropSender),
        1 => Just(QueueStep::CloneReceiver),
        1 => Just(QueueStep::DropReceiver),
    ]
}

/// Does the same to a queue and to a list, and compares what comes of it.
fn compare_with_model(steps: &[QueueStep]) {
    let (sender, receiver) = unbounded();
    let (mut senders, mut receivers, mut model) = (vec![sender], vec![receiver], VecDeque::new());
    for (number, step) in steps.iter().enumerate() {
        match (*step, senders.first(), receivers.first()) {
            (QueueStep::Send, Some(sender), receiver) => {
                assert_eq!(sender.send(number), receiver.is_some());
                if receiver.is_some() {
                    model.push_back(number);
                }
            }
            (QueueStep::Take, _, Some(receiver)) => assert_eq!(receiver.take(), model.pop_front()),
            // With nothing in it this would wait for a sender.
            (QueueStep::Receive, Some(_), Some(_)) if model.is_empty() => {}
            (QueueStep::Receive, _, Some(receiver)) => assert_eq!(receiver.receive(), model.pop_front()),
            (QueueStep::ReceiveUntilNow, sender, Some(receiver)) => {
                let nothing = if sender.is_some() { WaitResult::TimedOut } else { WaitResult::Closed };
                let expected = model.pop_front().map_or(nothing, WaitResult::Item);
                assert_eq!(receiver.receive_until(Mono::default()), expected);
            }
            (QueueStep::CloneSender, Some(sender), _) => senders.push(sender.clone()),
            (QueueStep::DropSender, Some(_), _) => drop(senders.pop()),
            (QueueStep::CloneReceiver, _, Some(receiver)) => receivers.push(receiver.clone()),
            (QueueStep::DropReceiver, _, Some(_)) => {
                receivers.pop();
                if receivers.is_empty() {
                    model.clear();
                }
            }
            _ => {}
        }
        if let Some(receiver) = receivers.first() {
            assert_eq!(receiver.is_empty(), model.is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(18), failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn a_queue_does_what_a_list_would(steps in prop::collection::vec(queue_step(), 1..60)) {
        compare_with_model(&steps);
    }
}

/// However receivers wait, each is woken for what comes: nobody sleeps while something is there.
#[test]
fn no_wake_up_is_lost_between_threads() {
    const PER_SENDER: usize = 2_000;
    for round in 0..5 {
        let (sender, receiver) = unbounded();
        let (done, all_done) = mpsc::channel();
        for index in 0..3 {
            let (receiver, done) = (receiver.clone(), done.clone());
            thread::spawn(move || {
                let next = || match (index + round) % 2 {
                    0 => receiver.receive(),
                    _ => loop {
                        match receiver.receive_until(Mono::now() + Nanos(1_000_000)) {
                            WaitResult::Item(item) => break Some(item),
                            WaitResult::TimedOut => {}
                            WaitResult::Closed => break None,
                        }
                    },
                };
                let taken: Vec<usize> = std::iter::from_fn(next).collect();
                let _ = done.send(taken);
            });
        }
        for index in 0..3 {
            let sender = sender.clone();
            thread::spawn(move || {
                for number in 0..PER_SENDER {
                    assert!(sender.send(index * PER_SENDER + number));
                    if number % 7 == index {
                        thread::yield_now();
                    }
                }
            });
        }
        drop((sender, receiver, done));
        let wait = || all_done.recv_timeout(Duration::from_secs(120)).expect("a receiver sleeps for good");
        let mut all: Vec<usize> = (0..3).flat_map(|_| wait()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..3 * PER_SENDER).collect::<Vec<_>>());
    }
}
