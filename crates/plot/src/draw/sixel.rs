//! Sixels: six rows of pixels at a time, one colour after the other.

use std::fmt::Write as _;

/// Steps of red, green and blue: 216 colours, which every terminal with sixels has.
const STEPS: usize = 6;
const COLOURS: usize = STEPS * STEPS * STEPS;
/// Rows of a band.
const ROWS: usize = 6;

pub(super) fn encode(rgb: &[u8], width: usize, height: usize) -> String {
    let mut text = format!("\u{1b}Pq\"1;1;{width};{height}");
    for colour in 0..COLOURS {
        let part = |index: usize| index * 100 / (STEPS - 1);
        let (red, green, blue) = (colour / (STEPS * STEPS), colour / STEPS % STEPS, colour % STEPS);
        let _ = write!(text, "#{colour};2;{};{};{}", part(red), part(green), part(blue));
    }
    let step = |value: u8| (usize::from(value) * (STEPS - 1) + 127) / 255;
    let colour_at = |x: usize, y: usize| {
        let at = (y * width + x) * 3;
        (step(rgb[at]) * STEPS + step(rgb[at + 1])) * STEPS + step(rgb[at + 2])
    };
    for top in (0..height).step_by(ROWS) {
        let mut bits = vec![Vec::new(); COLOURS];
        for y in top..(top + ROWS).min(height) {
            for x in 0..width {
                let row: &mut Vec<u8> = &mut bits[colour_at(x, y)];
                row.resize(width, 0);
                row[x] |= 1 << (y - top);
            }
        }
        for (colour, row) in bits.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            let _ = write!(text, "#{colour}");
            write_row(&mut text, row);
            text.push('$');
        }
        text.push('-');
    }
    text.push_str("\u{1b}\\\n");
    text
}

/// Equal sixels that follow each other are counted.
fn write_row(text: &mut String, row: &[u8]) {
    for run in row.chunk_by(|one, other| one == other) {
        let letter = char::from(run[0] + 63);
        if run.len() > 3 {
            let _ = write!(text, "!{}{letter}", run.len());
        } else {
            text.extend(std::iter::repeat_n(letter, run.len()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_white_square_is_one_run_of_full_sixels() {
        let text = encode(&[255; 6 * 6 * 3], 6, 6);
        assert!(text.contains("#215!6~$-"), "{text}");
        assert!(text.starts_with("\u{1b}Pq\"1;1;6;6#0;2;0;0;0"));
        assert!(text.ends_with("\u{1b}\\\n"));
    }
}
