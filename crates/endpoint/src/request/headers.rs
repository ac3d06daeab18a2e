//! The header list of a request, laid out once per run and filled in for each request: order and spelling as the
//! reference sends them, later sources over earlier ones.

use aiperf_grpc::{MetadataError, check_metadata, timeout_value};
use aiperf_protocol::{AffinityHeaders, BodyForm, EndpointKind, TraceParent, Wire};
use thiserror::Error;

use crate::request::multipart;

/// What does not change from request to request.
#[derive(Debug, Clone, Copy, Default)]
pub struct HeaderOptions<'a> {
    /// Decides how the key is sent and whether bodies are JSON.
    pub kind: EndpointKind,
    /// Of this program, for `User-Agent`.
    pub version: &'a str,
    /// `--header`, in the order given.
    pub user: &'a [(String, String)],
    pub api_key: Option<&'a str>,
    pub streaming: bool,
    /// `--session-header`: sent instead of `X-Correlation-ID`.
    pub session_header: Option<&'a str>,
    pub affinity: AffinityHeaders,
    pub wire: Wire,
    /// Each request says its place in a distributed trace.
    pub traces: bool,
}

/// What is new in each request.
#[derive(Debug, Clone, Copy)]
pub struct RequestIds<'a> {
    /// Value of the `Host` header.
    pub host: &'a str,
    /// New for every request.
    pub request_id: &'a str,
    /// One per session.
    pub correlation_id: &'a str,
    /// Of the session that started this one, where there is one.
    pub parent_correlation_id: Option<&'a str>,
    /// From [`HeaderPlan::trace_parent`].
    pub trace_parent: Option<&'a str>,
}

/// The headers of a run in the order sent; the framing headers (`Content-Length`) come after them.
#[derive(Debug, Clone)]
pub struct HeaderPlan {
    lines: Vec<(String, HeaderLine)>,
    form: BodyForm,
}

#[derive(Debug, Clone)]
enum HeaderLine {
    Fixed(String),
    Host,
    RequestId,
    CorrelationId,
    /// Left out where no session started this one.
    ParentCorrelationId,
    TraceParent,
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HeaderError {
    #[error("header name {0:?} is not allowed in HTTP; use letters, digits and -")]
    Name(String),
    #[error("the value of header {0} holds a line break or control character; remove it")]
    Value(String),
    #[error("header {0} is set by this program, because it marks the end of the body; remove it from --header")]
    Framing(String),
    #[error(transparent)]
    Metadata(#[from] MetadataError),
}

const CONTENT_TYPE: &str = "Content-Type";
const ANTHROPIC_VERSION: &str = "anthropic-version";

impl HeaderPlan {
    pub fn new(options: &HeaderOptions<'_>) -> Result<Self, HeaderError> {
        let form = if options.wire.is_grpc() { BodyForm::Protobuf } else { options.kind.facts().form };
        let anthropic = options.kind == EndpointKind::Messages;
        let mut plan = Self { lines: Vec::new(), form };
        plan.set("Host", HeaderLine::Host)?;
        plan.set("User-Agent", HeaderLine::Fixed(format!("aiperf/{}", options.version)))?;
        plan.set("X-Request-ID", HeaderLine::RequestId)?;
        plan.set(options.session_header.unwrap_or("X-Correlation-ID"), HeaderLine::CorrelationId)?;
        if options.traces {
            plan.set("traceparent", HeaderLine::TraceParent)?;
        }
        if anthropic {
            plan.set(CONTENT_TYPE, HeaderLine::Fixed(form.media_type().to_owned()))?;
        }
        for (name, value) in options.user {
            // The type of a form names its boundary, which only the body knows.
            if form == BodyForm::Multipart && name.eq_ignore_ascii_case(CONTENT_TYPE) {
                continue;
            }
            if ["content-length", "transfer-encoding"].contains(&name.to_ascii_lowercase().as_str()) {
                return Err(HeaderError::Framing(name.clone()));
            }
            if form == BodyForm::Protobuf {
                check_metadata(name, value)?;
            }
            plan.set(name, HeaderLine::Fixed(value.clone()))?;
        }
        match options.api_key {
            Some(key) if anthropic => plan.set("x-api-key", HeaderLine::Fixed(key.to_owned()))?,
            Some(key) => plan.set("Authorization", HeaderLine::Fixed(format!("Bearer {key}")))?,
            None => {}
        }
        if anthropic && !plan.has(ANTHROPIC_VERSION) {
            plan.set(ANTHROPIC_VERSION, HeaderLine::Fixed("2023-06-01".to_owned()))?;
        }
        if let Wire::Grpc { deadline, .. } = options.wire {
            plan.set("TE", HeaderLine::Fixed("trailers".to_owned()))?;
            if let Some(deadline) = deadline {
                plan.set("grpc-timeout", HeaderLine::Fixed(timeout_value(deadline)))?;
            }
        } else {
            let accept = if options.streaming { "text/event-stream" } else { "application/json" };
            plan.set("Accept", HeaderLine::Fixed(accept.to_owned()))?;
        }
        if form != BodyForm::Multipart {
            plan.set(CONTENT_TYPE, HeaderLine::Fixed(form.media_type().to_owned()))?;
        }
        let affinity = options.affinity;
        for (on, name) in [
            (affinity.session_id, "X-Session-ID"),
            (affinity.session_affinity, "X-Session-Affinity"),
            (affinity.smg_routing_key, "X-SMG-Routing-Key"),
            (affinity.dynamo_session_id, "X-Dynamo-Session-ID"),
        ] {
            if on {
                plan.set(name, HeaderLine::CorrelationId)?;
            }
        }
        if affinity.dynamo_session_id {
            plan.set("X-Dynamo-Parent-Session-ID", HeaderLine::ParentCorrelationId)?;
        }
        Ok(plan)
    }

    /// The headers of one request.
    pub fn lines<'a>(&'a self, ids: RequestIds<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.lines.iter().filter_map(move |(name, line)| {
            let value = match line {
                HeaderLine::Fixed(value) => value,
                HeaderLine::Host => ids.host,
                HeaderLine::RequestId => ids.request_id,
                HeaderLine::CorrelationId => ids.correlation_id,
                HeaderLine::ParentCorrelationId => ids.parent_correlation_id?,
                HeaderLine::TraceParent => ids.trace_parent?,
            };
            Some((name.as_str(), value))
        })
    }

    /// The value of `traceparent` for the request with this id, if it is sent.
    pub fn trace_parent(&self, request_id: [u8; 16]) -> Option<String> {
        let is_sent = self.lines.iter().any(|(_, line)| matches!(line, HeaderLine::TraceParent));
        is_sent.then(|| TraceParent::of_request(request_id).to_string())
    }

    /// The value of `Content-Type` for this body, where it is not among the lines because it changes with the body. A
    /// ready-made body of an API that takes forms may be JSON all the same.
    pub fn content_type(&self, body: &[u8]) -> Option<String> {
        match self.form {
            BodyForm::Json | BodyForm::Protobuf => None,
            BodyForm::Multipart => {
                Some(multipart::content_type(body).unwrap_or_else(|| BodyForm::Json.media_type().to_owned()))
            }
        }
    }

    fn has(&self, name: &str) -> bool {
        self.lines.iter().any(|(there, _)| there.eq_ignore_ascii_case(name))
    }

    /// A later header takes the earlier one's place in the list, with its own spelling.
    fn set(&mut self, name: &str, line: HeaderLine) -> Result<(), HeaderError> {
        let is_token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(HeaderError::Name(name.to_owned()));
        }
        if let HeaderLine::Fixed(value) = &line
            && value.bytes().any(|b| b.is_ascii_control() && b != b'\t')
        {
            return Err(HeaderError::Value(name.to_owned()));
        }
        match self.lines.iter_mut().find(|(there, _)| there.eq_ignore_ascii_case(name)) {
            Some(there) => *there = (name.to_owned(), line),
            None => self.lines.push((name.to_owned(), line)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: RequestIds<'_> = RequestIds {
        host: "localhost:8000",
        request_id: "R",
        correlation_id: "C",
        parent_correlation_id: None,
        trace_parent: None,
    };

    fn headers(options: &HeaderOptions<'_>) -> Vec<(String, String)> {
        let plan = HeaderPlan::new(options).unwrap();
        plan.lines(IDS).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn the_order_is_that_of_the_reference() {
        let options = HeaderOptions { version: "0.13.0", ..HeaderOptions::default() };
        let expected = [
            ("Host", "localhost:8000"),
            ("User-Agent", "aiperf/0.13.0"),
            ("X-Request-ID", "R"),
            ("X-Correlation-ID", "C"),
            ("Accept", "application/json"),
            ("Content-Type", "application/json"),
            ("X-Session-Affinity", "C"),
        ];
        assert_eq!(headers(&options), pairs(&expected));
    }

    #[test]
    fn the_users_headers_keep_their_order_and_the_key_comes_after_them() {
        let user = pairs(&[("X-Foo", "bar"), ("User-Agent", "custom/1")]);
        let options = HeaderOptions {
            kind: EndpointKind::Chat,
            version: "1",
            user: &user,
            api_key: Some("sk-test"),
            streaming: true,
            session_header: Some("X-My-Session"),
            affinity: AffinityHeaders::default(),
            wire: Wire::Http,
            traces: false,
        };
        let expected = [
            ("Host", "localhost:8000"),
            ("User-Agent", "custom/1"),
            ("X-Request-ID", "R"),
            ("X-My-Session", "C"),
            ("X-Foo", "bar"),
            ("Authorization", "Bearer sk-test"),
            ("Accept", "text/event-stream"),
            ("Content-Type", "application/json"),
            ("X-Session-Affinity", "C"),
        ];
        assert_eq!(headers(&options), pairs(&expected));
    }

    #[test]
    fn a_later_source_wins_in_the_place_of_the_earlier_one() {
        let user = pairs(&[
            ("Authorization", "Basic abc"),
            ("Content-Type", "text/plain"),
            ("Accept", "x/y"),
            ("x-correlation-id", "mine"),
            ("x-session-affinity", "mine"),
        ]);
        let options = HeaderOptions { version: "1", user: &user, api_key: Some("KEY"), ..HeaderOptions::default() };
        let expected = [
            ("Host", "localhost:8000"),
            ("User-Agent", "aiperf/1"),
            ("X-Request-ID", "R"),
            ("x-correlation-id", "mine"),
            ("Authorization", "Bearer KEY"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json"),
            ("X-Session-Affinity", "C"),
        ];
        assert_eq!(headers(&options), pairs(&expected));
    }

    #[test]
    fn a_form_has_no_type_until_its_boundary_is_known() {
        let user = pairs(&[("content-type", "text/plain")]);
        let options = HeaderOptions { kind: EndpointKind::ImageEdit, user: &user, ..HeaderOptions::default() };
        assert!(headers(&options).iter().all(|(name, _)| !name.eq_ignore_ascii_case("content-type")));
        let plan = HeaderPlan::new(&options).unwrap();
        assert_eq!(plan.content_type(b"--ab\r\n").as_deref(), Some("multipart/form-data; boundary=ab"));
        assert_eq!(plan.content_type(b"{}").as_deref(), Some("application/json"));
        assert_eq!(HeaderPlan::new(&HeaderOptions::default()).unwrap().content_type(b"--ab\r\n"), None);
    }

    #[test]
    fn a_call_has_metadata_and_says_how_long_it_may_take() {
        let user = pairs(&[("X-Tenant", "a"), ("trace-bin", "AQID")]);
        let wire = Wire::Grpc { deadline: Some(std::time::Duration::from_millis(50)), message_limit: 1 };
        let kind = EndpointKind::Kserve;
        let options = HeaderOptions { kind, version: "1", user: &user, wire, ..HeaderOptions::default() };
        let expected = [
            ("Host", "localhost:8000"),
            ("User-Agent", "aiperf/1"),
            ("X-Request-ID", "R"),
            ("X-Correlation-ID", "C"),
            ("X-Tenant", "a"),
            ("trace-bin", "AQID"),
            ("TE", "trailers"),
            ("grpc-timeout", "50000000n"),
            ("Content-Type", "application/grpc"),
            ("X-Session-Affinity", "C"),
        ];
        assert_eq!(headers(&options), pairs(&expected));
        for wrong in [("trace-bin", "no base64"), ("grpc-status", "0"), ("x", "ä")] {
            let user = pairs(&[wrong]);
            let options = HeaderOptions { kind, user: &user, wire, ..HeaderOptions::default() };
            assert!(matches!(HeaderPlan::new(&options), Err(HeaderError::Metadata(_))), "{wrong:?}");
        }
    }

    #[test]
    fn the_affinity_headers_are_switched_one_by_one() {
        let affinity = AffinityHeaders {
            session_affinity: false,
            session_id: true,
            smg_routing_key: true,
            dynamo_session_id: true,
        };
        let sent = headers(&HeaderOptions { affinity, ..HeaderOptions::default() });
        let tail: Vec<&str> = sent.iter().skip(6).map(|(name, _)| name.as_str()).collect();
        assert_eq!(tail, ["X-Session-ID", "X-SMG-Routing-Key", "X-Dynamo-Session-ID"]);
        let child = RequestIds { parent_correlation_id: Some("P"), ..IDS };
        let plan = HeaderPlan::new(&HeaderOptions { affinity, ..HeaderOptions::default() }).unwrap();
        assert_eq!(plan.lines(child).last(), Some(("X-Dynamo-Parent-Session-ID", "P")));
    }

    #[test]
    fn a_request_says_its_place_in_a_trace_if_traces_are_sent_and_the_user_does_not() {
        let id = *b"\x01\x23\x45\x67\x89\xab\x4d\xef\x81\x23\x45\x67\x89\xab\xcd\xef";
        let plan = HeaderPlan::new(&HeaderOptions { traces: true, ..HeaderOptions::default() }).unwrap();
        let value = plan.trace_parent(id).unwrap();
        assert_eq!(value, "00-0123456789ab4def8123456789abcdef-8123456789abcdef-01");
        let ids = RequestIds { trace_parent: Some(&value), ..IDS };
        assert!(plan.lines(ids).any(|line| line == ("traceparent", &*value)));
        let user = pairs(&[("traceparent", "mine")]);
        let plan = HeaderPlan::new(&HeaderOptions { traces: true, user: &user, ..HeaderOptions::default() }).unwrap();
        assert_eq!(plan.trace_parent(id), None);
        assert!(plan.lines(IDS).any(|line| line == ("traceparent", "mine")));
        assert_eq!(HeaderPlan::new(&HeaderOptions::default()).unwrap().trace_parent(id), None);
    }

    #[test]
    fn what_could_break_the_request_apart_is_refused() {
        let refuse = |name: &str, value: &str| {
            let user = pairs(&[(name, value)]);
            HeaderPlan::new(&HeaderOptions { user: &user, ..HeaderOptions::default() }).unwrap_err()
        };
        assert_eq!(refuse("X-A", "a\r\nX-B: b"), HeaderError::Value("X-A".into()));
        assert_eq!(refuse("X-A\n", "a"), HeaderError::Name("X-A\n".into()));
        assert_eq!(refuse("X A", "a"), HeaderError::Name("X A".into()));
        assert_eq!(refuse("content-length", "3"), HeaderError::Framing("content-length".into()));
        let options = HeaderOptions { api_key: Some("k\n"), ..HeaderOptions::default() };
        assert!(HeaderPlan::new(&options).is_err());
    }
}
