//! An external VIN decoder, for what the embedded tables do not state.

use openidconnect::http::{Request, StatusCode, header::ACCEPT};
use partsight_domain::clean_line;
use serde::Deserialize;

use crate::Error;
use crate::http::OutgoingCalls;

/// Largest answer that is read, in bytes. That for one VIN has some 8 KB.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Longest value that is kept, in characters.
const MAX_VALUE_CHARS: usize = 80;
/// Longest remark that is kept, in characters; it may be several sentences.
const MAX_REMARK_CHARS: usize = 600;

/// Queries a service with the API of NHTSA's vPIC (<https://vpic.nhtsa.dot.gov/api/>). The VIN leaves this machine.
#[derive(Clone)]
pub struct VinDecoder {
    calls: OutgoingCalls,
    base_url: String,
}

/// What a service states about a VIN; `None` for what it does not state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VinAnswer {
    /// Such as `HONDA`, as the service writes it.
    pub make: Option<String>,
    /// Such as `Accord`.
    pub model: Option<String>,
    /// Model year.
    pub model_year: Option<u16>,
    /// Such as `EX`.
    pub trim: Option<String>,
    /// Such as `Sedan/Saloon`.
    pub body: Option<String>,
    /// Displacement in litres, as text such as `2.4`.
    pub displacement_l: Option<String>,
    /// Number of cylinders.
    pub cylinders: Option<u8>,
    /// Such as `Gasoline`.
    pub fuel: Option<String>,
    /// Such as `FWD/Front-Wheel Drive`.
    pub drive: Option<String>,
    /// Such as `Automatic`.
    pub transmission: Option<String>,
    /// What the service reports as wrong with the VIN, such as a wrong check digit.
    pub remark: Option<String>,
}

/// One answer; all values are text, empty if unknown.
#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "Results")]
    results: Vec<Values>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase", default)]
#[derive(Default)]
struct Values {
    make: Option<String>,
    model: Option<String>,
    model_year: Option<String>,
    trim: Option<String>,
    body_class: Option<String>,
    displacement_l: Option<String>,
    engine_cylinders: Option<String>,
    fuel_type_primary: Option<String>,
    drive_type: Option<String>,
    transmission_style: Option<String>,
    error_code: Option<String>,
    error_text: Option<String>,
}

impl VinDecoder {
    /// `base_url` is the folder of the API, such as `https://vpic.nhtsa.dot.gov/api`.
    ///
    /// # Errors
    /// [`Error::HttpClient`] when no client can be built.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        let calls = OutgoingCalls::to(base_url, MAX_ANSWER_BYTES)?;
        Ok(Self { calls, base_url: base_url.trim_end_matches('/').to_owned() })
    }

    /// What the service states about `vin`, which has 17 letters and digits.
    ///
    /// # Errors
    /// [`Error::VinDecoderUnavailable`] when the service cannot be reached, takes more than ten seconds, or does not
    /// answer in the expected form.
    pub async fn decode(&self, vin: &str) -> Result<VinAnswer, Error> {
        // It becomes part of the path unencoded.
        debug_assert!(vin.bytes().all(|byte| byte.is_ascii_alphanumeric()), "parsed before");
        let url = format!("{}/vehicles/DecodeVinValues/{vin}?format=json", self.base_url);
        let request = Request::get(url).header(ACCEPT, "application/json").body(Vec::new());
        let answer = self.calls.answer(request.map_err(unavailable)?).await.map_err(unavailable)?;
        if answer.status() != StatusCode::OK {
            return Err(unavailable(format!("it answered {}", answer.status())));
        }
        let answer: Answer = serde_json::from_slice(answer.body()).map_err(unavailable)?;
        let values = answer.results.into_iter().next().ok_or_else(|| unavailable("it answered nothing"))?;
        Ok(values.into())
    }
}

partsight_domain::debug_fields!(VinDecoder {});

impl From<Values> for VinAnswer {
    fn from(values: Values) -> Self {
        // There may be several codes, separated by commas; 0 alone means no error.
        let is_clean = values.error_code.as_deref().is_none_or(|code| code.trim() == "0");
        Self {
            make: text(values.make),
            model: text(values.model),
            model_year: text(values.model_year).and_then(|year| year.parse().ok()),
            trim: text(values.trim),
            body: text(values.body_class),
            displacement_l: text(values.displacement_l),
            cylinders: text(values.engine_cylinders).and_then(|number| number.parse().ok()),
            fuel: text(values.fuel_type_primary),
            drive: text(values.drive_type),
            transmission: text(values.transmission_style),
            remark: if is_clean { None } else { text_up_to(values.error_text, MAX_REMARK_CHARS) },
        }
    }
}

/// A value on one line, cut to [`MAX_VALUE_CHARS`]; `None` for an empty one.
fn text(value: Option<String>) -> Option<String> {
    text_up_to(value, MAX_VALUE_CHARS)
}

fn text_up_to(value: Option<String>, most: usize) -> Option<String> {
    Some(clean_line(&value?, most)).filter(|value| !value.is_empty() && value != "Not Applicable")
}

fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::VinDecoderUnavailable(source.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_values_are_none_and_a_clean_number_has_no_remark() {
        let json = r#"{"Count": 1, "Message": "Results returned successfully", "SearchCriteria": "VIN:x", "Results": [
            {"Make": "HONDA", "Model": "Accord", "ModelYear": "2003", "Trim": " ", "EngineCylinders": "6",
             "DisplacementL": "3.0", "TransmissionStyle": "", "DriveType": "Not Applicable", "ErrorCode": "0",
             "ErrorText": "0 - VIN decoded clean."}]}"#;
        let values = serde_json::from_str::<Answer>(json).unwrap().results.remove(0);
        let expected = VinAnswer {
            make: Some("HONDA".to_owned()),
            model: Some("Accord".to_owned()),
            model_year: Some(2003),
            displacement_l: Some("3.0".to_owned()),
            cylinders: Some(6),
            ..VinAnswer::default()
        };
        assert_eq!(VinAnswer::from(values), expected);
    }

    #[test]
    fn what_is_said_against_a_number_is_kept_short_and_plain() {
        let error_text = Some(format!("1 - Check Digit\u{7} {}", "x".repeat(900)));
        let values = Values { error_code: Some("1,400".to_owned()), error_text, ..Values::default() };
        let remark = VinAnswer::from(values).remark.unwrap();
        assert!(
            remark.starts_with("1 - Check Digit x") && remark.chars().count() == MAX_REMARK_CHARS,
            "{remark}"
        );
    }
}
