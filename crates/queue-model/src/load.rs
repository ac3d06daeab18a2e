//! What is asked of a server, and what came back.

/// How requests are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Poisson arrivals, independent of the replies.
    OpenLoop { requests_per_s: f64 },
    /// As many requests in flight as there are users; each reply is followed by the next request.
    ClosedLoop { users: u32 },
}

/// A request and its reply, in seconds since the session began.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompletedRequest {
    pub arrival_s: f64,
    pub first_token_s: f64,
    pub finish_s: f64,
}
