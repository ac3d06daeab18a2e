//! The choices of a search by the names that options and files have for them.

/// Declares an enum whose variants have names, and the list of them.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The variant of this name; `-` and case do not matter.
            pub fn from_name(name: &str) -> Option<Self> {
                match name.to_ascii_lowercase().replace('-', "_").as_str() {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// How the next point is chosen.
    PlannerKind {
        /// A Gaussian process with an acquisition function for noisy values.
        Bayesian = "bayesian",
        /// A sampler of the user's choice.
        Optuna = "optuna",
        /// Doubling, then bisection, by repeated verdicts.
        MonotonicSla = "monotonic_sla",
        /// Doubling, then the root of a monotone curve through the margins.
        SmoothIsotonic = "smooth_isotonic",
    }
}

impl PlannerKind {
    /// Whether it looks for the highest value that keeps the limits.
    pub const fn is_sla(self) -> bool {
        matches!(self, Self::MonotonicSla | Self::SmoothIsotonic)
    }
}

named! {
    /// How the model-based planners sample.
    Sampler {
        /// Tree-structured Parzen estimators.
        Tpe = "tpe",
        /// A Gaussian process; the best value so far is taken as measured.
        Gp = "gp",
        /// A Gaussian process; the noise of the best value so far is averaged over.
        Botorch = "botorch",
    }
}

named! {
    /// What a Gaussian process is asked to maximize. Names with `log` rank points as those without.
    Acquisition {
        LogEi = "logei",
        QLogEi = "qlogei",
        QNei = "qnei",
        QLogNei = "qlognei",
        QEhvi = "qehvi",
        QNehvi = "qnehvi",
        QLogNehvi = "qlognehvi",
    }
}

impl Acquisition {
    /// Whether it is for several objectives.
    pub const fn is_multi_objective(self) -> bool {
        matches!(self, Self::QEhvi | Self::QNehvi | Self::QLogNehvi)
    }

    /// Whether it averages over the noise of what was measured.
    pub const fn is_noisy(self) -> bool {
        matches!(self, Self::QNei | Self::QLogNei | Self::QNehvi | Self::QLogNehvi)
    }
}

named! {
    /// An additional rule that ends a model-based search.
    Terminator {
        /// The bound of what can still be gained is below the noise.
        Regret = "regret",
        /// The expected minimum model regret has become small.
        Emmr = "emmr",
    }
}

named! {
    /// How a percentile over several trials is taken.
    Pooling {
        /// The mean of the percentiles of the trials.
        Mean = "mean",
        /// The percentile of the values of all trials together.
        Pooled = "pooled",
    }
}

named! {
    /// How a model-based search treats points that break a limit.
    ConstraintMode {
        /// Their objective counts as the worst that was measured.
        Penalty = "penalty",
        /// A model of each limit gives the chance that a point keeps it.
        Eic = "eic",
    }
}

named! {
    /// Requests of one probe.
    SlaPrecision {
        Tight = "tight",
        Normal = "normal",
        Coarse = "coarse",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in PlannerKind::NAMES {
            assert_eq!(PlannerKind::from_name(name).map(PlannerKind::name), Some(*name));
        }
        assert_eq!(PlannerKind::from_name("Monotonic-SLA"), Some(PlannerKind::MonotonicSla));
        assert_eq!(Sampler::from_name("cmaes"), None);
    }
}
