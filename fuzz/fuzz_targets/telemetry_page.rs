//! Metrics pages: a reader that has seen other pages reads a page like one that has not, and its memory stays within its limits. A
//! zero byte ends a page; the first byte says which format they have.
#![no_main]

use aiperf_telemetry::prometheus::{PageFormat, PageLimits, PageReader};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&format, rest)) = data.split_first() else { return };
    let format = if format % 2 == 0 { PageFormat::Prometheus } else { PageFormat::OpenMetrics };
    let limits = PageLimits { line: 4096, samples: 500, series: 300, text: 64 * 1024 };
    let mut known = PageReader::new(limits);
    for page in rest.split(|byte| *byte == 0).take(8) {
        let with_memory = known.read(page, format);
        assert!(known.series().len() <= limits.series);
        let alone = PageReader::new(limits).read(page, format);
        // Series that found no room in the one may find it in the other.
        if let (Ok(with_memory), Ok(alone)) = (with_memory, alone)
            && with_memory.left_out == 0
            && alone.left_out == 0
        {
            assert_eq!(with_memory.values.len(), alone.values.len());
            let bits = |values: &[(_, f64)]| values.iter().map(|(_, value)| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&with_memory.values), bits(&alone.values));
        }
    }
});
