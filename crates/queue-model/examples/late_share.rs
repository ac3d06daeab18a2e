//! Simulates a server for a long time and prints the share of requests that violate its objective, with the design effect for growing
//! block lengths: `late_share SERVER REQUESTS LOAD...`, where a load is a rate (`23.3`) or a number of users (`c70`).

use std::process::ExitCode;

use aiperf_queue_model::{KnownServer, Load};
use aiperf_seed::Seed;

const BLOCK: u64 = 64;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((server, requests, loads)) = read(&words) else {
        eprintln!("usage: late_share {:?} REQUESTS RATE|cUSERS...", KnownServer::ALL);
        return ExitCode::FAILURE;
    };
    for load in loads {
        simulate(server, requests, load);
    }
    ExitCode::SUCCESS
}

fn read(words: &[String]) -> Option<(KnownServer, u64, Vec<Load>)> {
    let (server, words) = words.split_first()?;
    let (requests, loads) = words.split_first()?;
    let loads = loads.iter().map(|word| match word.strip_prefix('c') {
        Some(users) => Some(Load::ClosedLoop { users: users.parse().ok()? }),
        None => Some(Load::OpenLoop { requests_per_s: word.parse().ok()? }),
    });
    let server = KnownServer::ALL.into_iter().find(|known| format!("{known:?}") == *server)?;
    Some((server, requests.parse().ok()?, loads.collect::<Option<_>>()?))
}

fn simulate(server: KnownServer, requests: u64, load: Load) {
    let objective = server.objective();
    let mut session = server.start(Seed::fixed(1));
    session.apply(load);
    for _ in 0..20_000 {
        session.next_completed();
    }
    let mut blocks = vec![0.0; (requests / BLOCK) as usize];
    for block in &mut blocks {
        session.take_sent();
        for request in (0..BLOCK).filter_map(|_| session.next_completed()) {
            *block += f64::from(u8::from(objective.ratio(&request) > 1.0));
        }
    }
    let share = blocks.iter().sum::<f64>() / (blocks.len() as u64 * BLOCK) as f64;
    let effects: Vec<String> = (0..12)
        .map(|doubling| {
            let length = 1_usize << doubling;
            let expected = share * (BLOCK * length as u64) as f64;
            let squares: f64 =
                blocks.chunks_exact(length).map(|chunk| (chunk.iter().sum::<f64>() - expected).powi(2)).sum();
            format!("{:.1}", squares / (blocks.len() / length) as f64 / (expected * (1.0 - share)))
        })
        .collect();
    println!(
        "{load:?}: {:.4} % late; design effect for blocks of {BLOCK}·2^k requests: {}",
        share * 100.0,
        effects.join(" ")
    );
}
