use partsight_app::LoadSpeed;

use super::super::plot::{Axis, Plot};

/// Latency against offered load, as an SVG file. `capacity` is the throughput of bulk work, in photographs per second.
pub fn load_picture(loads: &[LoadSpeed], capacity: f64) -> String {
    let millis = |duration: std::time::Duration| duration.as_secs_f64() * 1000.0;
    let answered: Vec<_> =
        loads.iter().filter_map(|load| Some((load.offered_per_second, load.durations?))).collect();
    let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
    let slowest = most(&mut answered.iter().map(|(_, durations)| millis(durations.p99)));
    let fastest_rate = most(&mut loads.iter().map(|load| load.offered_per_second).chain([capacity]));
    let mut plot = Plot::new(
        "load",
        "Latency against offered load",
        "From when a photograph is due to its answer: the median, and the 99th percentile above it.",
        Axis::numbers("offered photographs per second", fastest_rate),
        Axis::numbers("milliseconds", slowest),
    );
    plot.rule(capacity, "bulk work");
    plot.line(answered.iter().map(|(rate, durations)| (*rate, millis(durations.p99))), "ideal");
    plot.line(answered.iter().map(|(rate, durations)| (*rate, millis(durations.median))), "line");
    for (rate, durations) in &answered {
        for (what, duration, class) in
            [("99th percentile", durations.p99, "dot now"), ("median", durations.median, "dot")]
        {
            let text = format!("{rate:.1} a second: {what} {:.1} ms", millis(duration));
            plot.dot(*rate, millis(duration), class, &text);
        }
    }
    if let Some((rate, durations)) = answered.last() {
        let texts = vec![
            (millis(durations.median), "median".to_owned()),
            (millis(durations.p99), "99th percentile".to_owned()),
        ];
        plot.texts_beside(*rate, texts);
    }
    plot.finish_file()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use partsight_app::Durations;

    use super::*;

    fn load(offered_per_second: f64, millis: Option<[u64; 2]>) -> LoadSpeed {
        let durations = millis.map(|[median, p99]| Durations {
            median: Duration::from_millis(median),
            p99: Duration::from_millis(p99),
        });
        LoadSpeed { offered_per_second, answered_per_second: 1.0, sent: 10, refused: 0, durations }
    }

    #[test]
    fn loads_that_were_answered_have_two_points_each() {
        let picture = load_picture(&[load(10.0, Some([20, 35])), load(90.0, None)], 50.0);
        assert_eq!(picture.matches("<circle").count(), 2, "{picture}");
        assert!(picture.contains("10.0 a second: 99th percentile 35.0 ms"), "{picture}");
        assert!(picture.starts_with("<svg xmlns="), "{picture}");
    }
}
