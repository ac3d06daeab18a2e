//! Which seed each run has.

use aiperf_config::Seeds;
use sha2::{Digest, Sha256};

/// Of what has no seed of its own and must be alike in every run of a command.
pub(crate) const USUAL: u64 = 42;

/// Of the trial (from 0) of a point of a search: the first point has the base, the others one that follows from their label.
pub(crate) fn of_point(seeds: &Seeds, cell: usize, label: &str, trial: u32) -> Option<u64> {
    let base = seeds.base?;
    if seeds.vary_by_trial || cell == 0 {
        return of_run(seeds, 0, label, trial);
    }
    Some(hashed(&format!("{base}:variation:{label}")))
}

/// Of the trial (from 0) of the cell at this place, whose label is `label`. `None`: it draws its own.
pub(crate) fn of_run(seeds: &Seeds, cell: usize, label: &str, trial: u32) -> Option<u64> {
    let base = seeds.base?;
    if seeds.vary_by_trial {
        return Some(hashed(&format!("{base}:variation:{label}:trial:{trial}")));
    }
    Some(if seeds.same_in_cells { base } else { base.wrapping_add(cell as u64) })
}

/// The first 8 bytes of the text's SHA-256, as a number that is not negative where others read it with a sign.
fn hashed(text: &str) -> u64 {
    let digest = Sha256::digest(text);
    let head: [u8; 8] = std::array::from_fn(|index| digest[index]);
    u64::from_be_bytes(head) & (u64::MAX >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Seeds = Seeds { base: Some(42), vary_by_trial: false, same_in_cells: false };

    #[test]
    fn trials_share_a_seed_and_points_do_not() {
        assert_eq!(of_run(&PLAIN, 0, "base", 0), Some(42));
        assert_eq!(of_run(&PLAIN, 0, "base", 4), Some(42));
        assert_eq!(of_run(&PLAIN, 3, "x", 1), Some(45));
        assert_eq!(of_run(&Seeds { same_in_cells: true, ..PLAIN }, 3, "x", 1), Some(42));
        assert_eq!(of_run(&Seeds { base: None, ..PLAIN }, 0, "base", 0), None);
    }

    #[test]
    fn points_of_a_search_have_the_seeds_of_the_reference() {
        assert_eq!(of_point(&PLAIN, 0, "search_iter_0000", 0), Some(42));
        assert_eq!(of_point(&PLAIN, 8, "search_iter_0008", 0), Some(5_208_681_604_541_636_733));
    }

    #[test]
    fn varied_seeds_are_those_of_the_reference() {
        let varied = Seeds { vary_by_trial: true, ..PLAIN };
        let seeds: Vec<_> = (0..3).filter_map(|trial| of_run(&varied, 0, "base", trial)).collect();
        assert_eq!(seeds, [6_858_774_025_263_032_934, 4_337_237_111_802_998_792, 5_285_968_998_097_472_628]);
    }
}
