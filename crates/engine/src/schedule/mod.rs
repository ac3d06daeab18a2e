//! When requests are due. Each schedule is one file that turns configuration and a random stream into times, counted
//! from the start of the phase; nothing here reads a clock.

mod arrivals;
mod ramp;
mod rate;
mod stagger;
mod stepped_arrivals;
mod trajectory;

pub(crate) use arrivals::ArrivalTimes;
pub(crate) use ramp::step_times;
pub(crate) use rate::RateFunction;
pub(crate) use stagger::{StaggeredUser, UserStagger};
pub(crate) use stepped_arrivals::SteppedArrivals;
pub(crate) use trajectory::{Trajectory, TrajectoryStream};
