//! Models of what was measured: a monotone curve, Gaussian processes, Parzen estimators.

pub(crate) mod acquisition;
pub(crate) mod cholesky;
pub(crate) mod gaussian_process;
pub(crate) mod isotonic_regression;
pub(crate) mod maximize;
pub(crate) mod parzen;
pub(crate) mod pchip;
pub(crate) mod terminator;
