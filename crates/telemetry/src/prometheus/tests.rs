//! Pages as servers write them, and pages that they should not.

use proptest::prelude::*;

use super::*;

const VLLM: &str = r#"# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
# HELP vllm:generation_tokens_total Number of generation tokens processed.
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{engine="0",model_name="m"} 1.92e+02
# HELP vllm:time_to_first_token_seconds Histogram of time to first token in seconds.
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{engine="0",le="0.001",model_name="m"} 0.0
vllm:time_to_first_token_seconds_bucket{engine="0",le="+Inf",model_name="m"} 12.0
vllm:time_to_first_token_seconds_count{engine="0",model_name="m"} 12.0
vllm:time_to_first_token_seconds_sum{engine="0",model_name="m"} 0.64
# TYPE go_gc_duration_seconds summary
go_gc_duration_seconds{quantile="0.5"} 0.1
go_gc_duration_seconds_sum 17.5
go_gc_duration_seconds_count 2693
no_type 12.47 1395066363000
"#;

fn parse(text: &str) -> Result<MetricPage, PageError> {
    MetricPage::parse(text.as_bytes(), PageFormat::Prometheus, PageLimits::default())
}

fn roles(page: &MetricPage, name: &str) -> Vec<(SampleRole, f64)> {
    page.samples(name).iter().map(|sample| (sample.role.clone(), sample.value)).collect()
}

#[test]
fn families_of_every_type_are_read() {
    let page = parse(VLLM).unwrap();
    let kinds: Vec<_> = page.families.iter().map(|(family, _)| (family.name.as_str(), family.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("vllm:num_requests_running", MetricType::Gauge),
            ("vllm:generation_tokens_total", MetricType::Counter),
            ("vllm:time_to_first_token_seconds", MetricType::Histogram),
            ("go_gc_duration_seconds", MetricType::Summary),
            ("no_type", MetricType::Unknown),
        ]
    );
    assert_eq!(page.families[0].0.help, "Number of requests in model execution batches.");
    let ttft = page.samples("vllm:time_to_first_token_seconds");
    assert_eq!(ttft[1].role, SampleRole::Bucket("+Inf".into()));
    assert_eq!((ttft[1].labels.get("le"), ttft[1].labels.get("engine")), (None, Some("0")));
    assert_eq!(ttft[0].labels, ttft[2].labels, "buckets and sums of one histogram have the same labels");
    assert_eq!(
        roles(&page, "go_gc_duration_seconds"),
        [(SampleRole::Quantile("0.5".into()), 0.1), (SampleRole::Sum, 17.5), (SampleRole::Count, 2693.0)]
    );
    assert_eq!(roles(&page, "no_type"), [(SampleRole::Value, 12.47)]);
}

#[test]
fn labels_are_unescaped() {
    let page = parse("m { a = \"x\\\\y\\\"z\\n\" , b=\"}\" ,} 1\n").unwrap();
    let labels = &page.samples("m")[0].labels;
    assert_eq!((labels.get("a"), labels.get("b")), (Some("x\\y\"z\n"), Some("}")));
}

#[test]
fn quoted_names_are_names() {
    let page = parse("# TYPE \"my.metric\" gauge\n{\"my.metric\",\"odd label\"=\"1\"} 2\n").unwrap();
    assert_eq!(page.families[0].0.kind, MetricType::Gauge);
    assert_eq!(page.samples("my.metric")[0].labels.get("odd label"), Some("1"));
}

#[test]
fn special_values_are_read() {
    let page = parse("a NaN\nb +Inf\nc -Inf\nd 1e-3\n").unwrap();
    assert!(page.samples("a")[0].value.is_nan());
    assert_eq!((page.samples("b")[0].value, page.samples("c")[0].value), (f64::INFINITY, f64::NEG_INFINITY));
    assert_eq!(page.samples("d")[0].value, 0.001);
}

#[test]
fn open_metrics_needs_its_end() {
    let text = "# TYPE foo counter\n# UNIT foo seconds\nfoo_total{a=\"1\"} 5 # {trace=\"x\"} 0.3 1.5\nfoo_created 1.5e9\n\
                # TYPE build info\nbuild_info{v=\"1\"} 1\n";
    let read = |text: &str| MetricPage::parse(text.as_bytes(), PageFormat::OpenMetrics, PageLimits::default());
    assert_eq!(read(text), Err(PageError::BrokenOff));
    let page = read(&format!("{text}# EOF\n")).unwrap();
    assert_eq!(roles(&page, "foo"), [(SampleRole::Value, 5.0), (SampleRole::Created, 1.5e9)]);
    assert_eq!(page.families[0].0.unit.as_deref(), Some("seconds"));
    assert_eq!(roles(&page, "build"), [(SampleRole::Value, 1.0)]);
    assert!(matches!(read(&format!("{text}# EOF\nfoo_total 6\n")), Err(PageError::Line { line: 8, .. })));
}

#[test]
fn what_is_not_prometheus_text_is_refused_with_its_line() {
    assert_eq!(parse("{\"iter\": 1}"), Err(PageError::NotMetrics));
    assert_eq!(parse("<html></html>"), Err(PageError::NotMetrics));
    assert_eq!(parse(""), Err(PageError::Empty));
    assert_eq!(parse("# only a comment\n"), Err(PageError::Empty));
    for (text, line) in [
        ("a 1\nb\n", 2),
        ("a one\n", 1),
        ("a{b=\"1\" 2\n", 1),
        ("a{b=1} 2\n", 1),
        ("a{b} 2\n", 1),
        ("a 1 soon\n", 1),
        ("1a 1\n", 1),
    ] {
        assert!(matches!(parse(text), Err(PageError::Line { line: at, .. }) if at == line), "{text:?}");
    }
    assert_eq!(MetricPage::parse(b"a\xff 1\n", PageFormat::Prometheus, PageLimits::default()), Err(PageError::NotText));
}

#[test]
fn pages_beyond_the_limits_are_refused_or_cut() {
    let limits = PageLimits { line: 20, samples: 3, series: 2, text: 1000 };
    let mut reader = PageReader::new(limits);
    let mut read = |text: &str| reader.read(text.as_bytes(), PageFormat::Prometheus);
    assert_eq!(read(&format!("{} 1\n", "a".repeat(30))), Err(PageError::LineTooLong { line: 1, limit: 20 }));
    assert_eq!(read("a 1\nb 1\nc 1\n").map(|page| (page.values.len(), page.left_out)), Ok((2, 1)));
    assert_eq!(read("a 1\na 2\na 3\na 4\n"), Err(PageError::TooManySamples { limit: 3 }));
}

#[test]
fn later_pages_are_read_like_first_ones() {
    let mut reader = PageReader::new(PageLimits::default());
    let first = reader.read(VLLM.as_bytes(), PageFormat::Prometheus).unwrap();
    let second = VLLM.replace("3.0", "5.0").replace("no_type", "new{a=\"1\",b=\"2\"} 1\nno_type");
    let second = reader.read(second.as_bytes(), PageFormat::Prometheus).unwrap();
    assert_eq!(second.values.len(), first.values.len() + 1);
    assert_eq!(second.values[0], (SeriesId(0), 5.0));
    let third = reader.read(b"no_type 1\nnew{b=\"2\",a=\"1\"} 4\n", PageFormat::Prometheus).unwrap();
    assert_eq!(third.values[1].0, second.values[first.values.len() - 1].0, "the order of labels means nothing");
}

#[test]
fn a_type_that_changes_is_reported_and_the_first_is_kept() {
    let mut reader = PageReader::new(PageLimits::default());
    reader.read(b"# TYPE a gauge\na 1\n", PageFormat::Prometheus).unwrap();
    reader.read(b"# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\n", PageFormat::Prometheus).unwrap();
    let family = &reader.families()[0];
    assert_eq!((family.kind, family.changed_to), (MetricType::Gauge, Some(MetricType::Histogram)));
}

#[test]
fn the_content_type_tells_the_format() {
    let format = PageFormat::of_content_type;
    assert_eq!(format(Some("application/openmetrics-text; version=1.0.0")), PageFormat::OpenMetrics);
    assert_eq!(format(Some("text/plain; version=0.0.4")), PageFormat::Prometheus);
    assert_eq!(format(None), PageFormat::Prometheus);
}

fn some_line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_:]{1,4}( |\\{[a-z]{1,2}=\"[^\"\\\\]{0,5}\"(,[a-z]=\"[a-z\\\\\"]{0,3}\")?\\} )[0-9.e+-]{1,5}",
        "# (HELP|TYPE|UNIT) [a-z_]{1,4} (counter|gauge|histogram|summary|info|.{0,5})",
        "\\PC{0,20}",
        "# EOF",
    ]
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in [PageFormat::Prometheus, PageFormat::OpenMetrics] {
            let _ = MetricPage::parse(&bytes, format, PageLimits::default());
        }
    }

    #[test]
    fn a_reader_that_knows_other_pages_reads_the_same(
        pages in prop::collection::vec(prop::collection::vec(some_line(), 0..12), 1..5),
    ) {
        let mut known = PageReader::new(PageLimits::default());
        for page in pages {
            let text = page.join("\n");
            let mut fresh = PageReader::new(PageLimits::default());
            // Types that an earlier page declared stay: give the fresh reader the same declarations.
            let declared = known.families().to_vec();
            let with_memory = known.read(text.as_bytes(), PageFormat::Prometheus);
            let alone = fresh.read(text.as_bytes(), PageFormat::Prometheus);
            prop_assert_eq!(with_memory.is_ok(), alone.is_ok());
            if let (Ok(a), Ok(b)) = (with_memory, alone) {
                let bits = |page: PageValues| page.values.iter().map(|(_, v)| v.to_bits()).collect::<Vec<_>>();
                prop_assert_eq!(bits(a), bits(b));
            }
            prop_assert!(known.families().len() >= declared.len());
        }
    }
}
