//! Timestamps in JSON: RFC 3339 in UTC, always with milliseconds, as the database stores them.

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// For `serialize_with`.
pub(crate) fn moment<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{moment:.3}"))
}

/// For `serialize_with`.
#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
pub(crate) fn moment_if_any<S: Serializer>(
    moment: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    moment.map(Moment).serialize(serializer)
}

/// For `serialize_with`.
pub(crate) fn moments<S: Serializer>(moments: &[Timestamp], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(moments.iter().copied().map(Moment))
}

struct Moment(Timestamp);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        moment(&self.0, serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Times {
        #[serde(serialize_with = "moment")]
        one: Timestamp,
        #[serde(serialize_with = "moment_if_any")]
        none: Option<Timestamp>,
        #[serde(serialize_with = "moments")]
        several: Vec<Timestamp>,
    }

    #[test]
    fn a_moment_has_milliseconds_whatever_it_was_measured_in() {
        let moment = |nanoseconds| Timestamp::from_nanosecond(nanoseconds).unwrap();
        let times =
            Times { one: moment(1_999_999), none: None, several: vec![moment(0), moment(120_000_000)] };
        assert_eq!(
            serde_json::to_value(times).unwrap(),
            serde_json::json!({
                "one": "1970-01-01T00:00:00.001Z",
                "none": null,
                "several": ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.120Z"],
            })
        );
    }
}
