//! The simulated servers behave as queueing theory says.

use aiperf_queue_model::{KnownServer, Load, crommelin_late_share, pool_late_share};
use aiperf_seed::Seed;

/// The share of requests that violate the objective, and the throughput.
fn simulate(server: KnownServer, load: Load, requests: u32) -> (f64, f64) {
    let mut session = server.start(Seed::fixed(7));
    session.apply(load);
    for _ in 0..2_000 {
        session.next_completed();
    }
    let start_s = session.now_s();
    let mut late = 0;
    for _ in 0..requests {
        let request = session.next_completed().unwrap_or_else(|| unreachable!("a loaded server completes requests"));
        late += u32::from(server.objective().ratio(&request) > 1.0);
    }
    (f64::from(late) / f64::from(requests), f64::from(requests) / (session.now_s() - start_s))
}

fn assert_near(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured / expected - 1.0).abs() < tolerance, "{measured} is not {expected}");
}

#[test]
fn mm1_is_late_in_one_percent_at_its_capacity() {
    let rate = KnownServer::MM1.rate_capacity();
    assert_near(rate, 10.79, 1e-3);
    let (late, throughput) = simulate(KnownServer::MM1, Load::OpenLoop { requests_per_s: rate }, 300_000);
    assert_near(late, 0.01, 0.1);
    assert_near(throughput, rate, 0.01);
}

#[test]
fn md1_agrees_with_crommelins_formula() {
    assert_near(crommelin_late_share(KnownServer::MD1.rate_capacity(), 0.05, 0.5), 0.01, 1e-3);
    for rate in [15.5, 17.0] {
        let (late, _) = simulate(KnownServer::MD1, Load::OpenLoop { requests_per_s: rate }, 2_000_000);
        assert_near(late, crommelin_late_share(rate, 0.05, 0.5), 0.15);
    }
}

#[test]
fn several_servers_agree_with_erlangs_formula() {
    let capacity = KnownServer::Pool.rate_capacity();
    assert_near(pool_late_share(capacity, 4, 0.2, 1.5), 0.01, 1e-3);
    // One server is M/M/1.
    assert_near(pool_late_share(10.0, 1, 0.05, 0.5), (-5.0_f64).exp(), 1e-9);
    let (late, _) = simulate(KnownServer::Pool, Load::OpenLoop { requests_per_s: capacity }, 2_000_000);
    assert_near(late, 0.01, 0.1);
}

#[test]
fn servers_without_a_formula_are_late_as_often_as_allowed_at_their_capacity() {
    for server in [KnownServer::LogNormal, KnownServer::TwoClasses, KnownServer::SmallBatch] {
        let load = Load::OpenLoop { requests_per_s: server.rate_capacity() };
        let (late, _) = simulate(server, load, 1_000_000);
        assert_near(late, server.objective().allowed_share, 0.2);
    }
}

#[test]
fn a_closed_loop_on_mm1_has_erlang_latencies() {
    // P(Erlang(4, 20/s) > 0.5 s) = P(Poisson(10) <= 3).
    let (late, throughput) = simulate(KnownServer::MM1, Load::ClosedLoop { users: 4 }, 200_000);
    assert_near(late, 0.010_336, 0.1);
    assert_near(throughput, 20.0, 0.01);
}

#[test]
fn a_closed_loop_on_md1_waits_for_each_user_once() {
    assert_near(simulate(KnownServer::MD1, Load::ClosedLoop { users: 10 }, 10_000).1, 20.0, 1e-3);
    assert!(simulate(KnownServer::MD1, Load::ClosedLoop { users: 10 }, 10_000).0 < 1e-9);
    assert!(simulate(KnownServer::MD1, Load::ClosedLoop { users: 11 }, 10_000).0 > 0.99);
}

#[test]
fn a_full_batch_gives_the_throughput_that_its_step_time_allows() {
    // 64 sequences: each step serves 0.64 requests and costs 8 ms + 64 · 0.15 ms + 0.64 · 500 · 0.02 ms = 24 ms.
    let (_, throughput) = simulate(KnownServer::Batching, Load::ClosedLoop { users: 80 }, 30_000);
    assert_near(throughput, 0.64 / 0.024, 0.02);
}

#[test]
fn a_power_saving_server_is_late_more_often_at_a_lower_rate() {
    let late = |requests_per_s| simulate(KnownServer::PowerSaving, Load::OpenLoop { requests_per_s }, 20_000).0;
    assert!(late(4.5) > 5.0 * late(9.0));
}

#[test]
fn a_session_changes_its_load_without_losing_requests() {
    let mut session = KnownServer::Batching.start(Seed::fixed(3));
    session.apply(Load::ClosedLoop { users: 20 });
    let mut completed = 0;
    for load in
        [Load::OpenLoop { requests_per_s: 30.0 }, Load::ClosedLoop { users: 5 }, Load::OpenLoop { requests_per_s: 0.0 }]
    {
        for _ in 0..500 {
            completed += u64::from(session.next_completed().is_some());
        }
        session.apply(load);
    }
    while session.next_completed().is_some() {
        completed += 1;
    }
    assert_eq!(completed, session.sent());
    assert_eq!(session.in_flight(), 0);
    assert_eq!(session.take_sent().count() as u64, completed);
}

#[test]
fn the_same_seed_gives_the_same_session() {
    let run = |seed| {
        let mut session = KnownServer::Batching.start(Seed::fixed(seed));
        session.apply(Load::OpenLoop { requests_per_s: 20.0 });
        (0..100).filter_map(|_| session.next_completed()).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
