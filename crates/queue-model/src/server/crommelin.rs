//! The waiting time of M/D/1 in closed form, so that its capacity needs no simulation.

/// The share of requests of an M/D/1 queue that take longer than `limit_s` (Crommelin, "Delay probability formulae", 1934; Erlang
/// 1909). Accurate while the alternating sum stays small: loads up to about 0.95 and limits up to some 30 services.
pub fn crommelin_late_share(requests_per_s: f64, service_s: f64, limit_s: f64) -> f64 {
    let load = requests_per_s * service_s;
    if load >= 1.0 {
        return 1.0;
    }
    let wait_s = limit_s - service_s;
    if wait_s < 0.0 {
        return 1.0;
    }
    let mut sum = 0.0;
    for k in 0..=(wait_s / service_s + 1e-9).floor() as u32 {
        let rest = requests_per_s * (wait_s - f64::from(k) * service_s).max(0.0);
        let mut term = rest.exp();
        for i in 1..=k {
            term *= -rest / f64::from(i);
        }
        sum += term;
    }
    1.0 - (1.0 - load) * sum
}
