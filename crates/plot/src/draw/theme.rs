//! Colours for light and dark backgrounds. The colours of groups are those of Okabe and Ito, which readers with any kind of
//! colour blindness can tell apart.

use super::canvas::Paint;
use crate::figure::Ink;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// Colours of a heat map, from few to many.
const STOPS: [[f64; 3]; 5] =
    [[0.0, 32.0, 81.0], [60.0, 77.0, 110.0], [127.0, 124.0, 117.0], [187.0, 175.0, 113.0], [253.0, 234.0, 69.0]];

impl Theme {
    /// As `--theme` spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme with this name, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Light, Self::Dark].into_iter().find(|theme| theme.name().eq_ignore_ascii_case(name))
    }

    const fn pick(self, light: u32, dark: u32) -> Paint {
        Paint::of(match self {
            Self::Light => light,
            Self::Dark => dark,
        })
    }

    pub(super) const fn paper(self) -> Paint {
        self.pick(0xff_ff_ff, 0x1b_1d_20)
    }

    pub(super) const fn text(self) -> Paint {
        self.pick(0x1a_1c_1f, 0xec_ec_ec)
    }

    /// Text that explains.
    pub(super) const fn faint_text(self) -> Paint {
        self.pick(0x5c_61_68, 0xa9_ae_b5)
    }

    pub(super) const fn grid(self) -> Paint {
        self.pick(0xe3_e5_e8, 0x33_37_3c)
    }

    pub(super) const fn axis(self) -> Paint {
        self.pick(0x8d_93_9b, 0x7a_80_88)
    }

    pub(super) fn ink(self, ink: Ink) -> Paint {
        const LIGHT: [u32; 8] =
            [0x00_72_b2, 0xd5_5e_00, 0x00_9e_73, 0xcc_79_a7, 0xe6_9f_00, 0x56_b4_e9, 0x6b_4c_9a, 0x7f_6a_3f];
        const DARK: [u32; 8] =
            [0x56_b4_e9, 0xf2_8e_4b, 0x3c_c8_9c, 0xe3_9c_c6, 0xf5_c2_42, 0x8c_a8_ff, 0xb7_9c_ed, 0xc9_b4_83];
        match ink {
            Ink::Group(index) => self.pick(LIGHT[index % LIGHT.len()], DARK[index % DARK.len()]),
            Ink::Reference => Paint::of(0x99_99_99),
            Ink::Candidate => self.pick(0x5a_8f_00, 0x76_b9_00),
            Ink::Alert => self.pick(0xc6_28_28, 0xff_6b_6b),
            Ink::Neutral => self.pick(0x5c_61_68, 0xa9_ae_b5),
            Ink::Prefill => self.ink(Ink::Group(2)),
            Ink::Decode => self.ink(Ink::Group(1)),
        }
    }

    /// The colour of a heat map, from few (0) to full (1): between yellow and dark blue, in even steps of lightness, away from
    /// the lightness of the paper.
    pub(super) fn heat(self, share: f64) -> Paint {
        let share = if self == Self::Light { 1.0 - share } else { share };
        let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
        let (index, part) = (place.floor() as usize, place.fract());
        let (from, to) = (STOPS[index], STOPS[(index + 1).min(STOPS.len() - 1)]);
        let mix = |channel: usize| (from[channel] + (to[channel] - from[channel]) * part).round() as u8;
        Paint { rgb: [mix(0), mix(1), mix(2)], opacity: 1.0 }
    }
}

/// Which shape the dots of an ink have.
pub(super) fn group_index(ink: Ink) -> usize {
    match ink {
        Ink::Group(index) => index,
        Ink::Candidate => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn themes_have_names_in_any_case() {
        assert_eq!(Theme::from_name("Dark"), Some(Theme::Dark));
        assert_eq!(Theme::from_name("pink"), None);
    }

    /// Contrast by WCAG: text needs 4.5 to its background, marks need 3.
    #[test]
    fn text_and_marks_stand_out_from_the_paper() {
        let channel = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let light = |paint: Paint| {
            let [red, green, blue] = paint.rgb.map(channel);
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let contrast = |one: Paint, other: Paint| {
            let (one, other) = (light(one), light(other));
            (one.max(other) + 0.05) / (one.min(other) + 0.05)
        };
        for theme in [Theme::Light, Theme::Dark] {
            assert!(contrast(theme.text(), theme.paper()) > 7.0);
            assert!(contrast(theme.faint_text(), theme.paper()) > 4.5);
            for index in 0..4 {
                let found = contrast(theme.ink(Ink::Group(index)), theme.paper());
                assert!(found > 2.9, "{theme:?} {index}: {found}");
            }
        }
    }
}
