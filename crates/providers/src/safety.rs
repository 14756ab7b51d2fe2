//! Recalls and complaints as the US traffic safety administration lists them.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use openidconnect::HttpResponse;
use openidconnect::http::header::ACCEPT;
use openidconnect::http::{Request, StatusCode};
use partsight_domain::{Complaint, Recall, SafetyRecords, VehicleName, clean_line};
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout};

use crate::breaker::Breaker;
use crate::http::{CallOptions, OutgoingCalls, retry_after};
use crate::{Error, is_on_this_machine};

/// Largest answer that is read, in bytes. A model with 3,000 complaints has some 6 MB of them.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// Time limit of both requests together. A page waits for it, and shows older records if it is exceeded.
const ANSWER_LIMIT: Duration = Duration::from_secs(6);
/// Failures in a row that open the circuit breaker, and how long it stays open.
const FAILURES_TO_OPEN: u32 = 3;
const OPEN_FOR: Duration = Duration::from_mins(1);
/// Longest `Retry-After` that is respected.
const MAX_LEFT_ALONE: Duration = Duration::from_mins(30);
/// Most recalls of one vehicle that are read.
const MAX_RECALLS: usize = 200;
/// Newest complaints that are kept; the rest are only counted.
const KEPT_COMPLAINTS: usize = 50;
/// Longest texts that are kept, in characters: of free text, and of names.
const MAX_TEXT_CHARS: usize = 2000;
const MAX_NAME_CHARS: usize = 300;

/// Queries a service with the API of NHTSA (<https://www.nhtsa.gov/nhtsa-datasets-and-apis>) for the recalls and
/// complaints of a make, model and model year. No VIN leaves this machine. Cheap to clone; clones share the circuit
/// breaker.
#[derive(Clone)]
pub struct SafetyService {
    calls: OutgoingCalls,
    base_url: Url,
    breaker: Arc<Breaker>,
}

/// The form of both lists; recalls write `Count`, complaints `count`.
#[derive(Deserialize)]
struct Answer<T> {
    results: Vec<T>,
}

#[derive(Deserialize)]
struct ListedRecall {
    #[serde(rename = "NHTSACampaignNumber")]
    campaign: String,
    #[serde(rename = "ReportReceivedDate", default)]
    reported_on: Option<String>,
    #[serde(rename = "Component", default)]
    component: Option<String>,
    #[serde(rename = "Summary", default)]
    summary: Option<String>,
    #[serde(rename = "Consequence", default)]
    consequence: Option<String>,
    #[serde(rename = "Remedy", default)]
    remedy: Option<String>,
    #[serde(rename = "parkIt", default)]
    park_it: Option<bool>,
    #[serde(rename = "parkOutSide", default)]
    park_outside: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListedComplaint {
    odi_number: u64,
    #[serde(default)]
    date_complaint_filed: Option<String>,
    #[serde(default)]
    components: Option<String>,
    #[serde(default)]
    summary: Option<String>,
    #[serde(default)]
    crash: Option<bool>,
    #[serde(default)]
    fire: Option<bool>,
}

/// Why a request failed, and how long the service asks to wait.
struct Failure {
    source: Box<dyn std::error::Error + Send + Sync>,
    wait: Option<Duration>,
    /// Whether the request caused it, so that it does not count as a failure of the service.
    is_question_fault: bool,
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for Failure {
    fn from(source: E) -> Self {
        Self { source: source.into(), wait: None, is_question_fault: false }
    }
}

impl SafetyService {
    /// `base_url` is the folder of the API, such as `https://api.nhtsa.gov`.
    ///
    /// # Errors
    /// [`Error::SafetyUnavailable`] for a malformed address, [`Error::HttpClient`] when no client can be built.
    pub fn new(base_url: &str) -> Result<Self, Error> {
        let base_url = Url::parse(base_url).map_err(|error| Error::SafetyUnavailable(error.into()))?;
        let calls = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: ANSWER_LIMIT,
            is_direct: is_on_this_machine(base_url.as_str()),
        })?;
        Ok(Self { calls, base_url, breaker: Arc::new(Breaker::new(FAILURES_TO_OPEN, OPEN_FOR)) })
    }

    /// What the service lists of a make, model and model year.
    ///
    /// # Errors
    /// [`Error::SafetyUnavailable`] when the service cannot be reached, does not answer in time or in the expected
    /// form, or when the circuit breaker is open.
    pub async fn ask(&self, vehicle: &VehicleName) -> Result<SafetyRecords, Error> {
        let unavailable = Error::SafetyUnavailable;
        let Some(pass) = self.breaker.enter(Instant::now()) else {
            return Err(unavailable("it is left alone after failures".into()));
        };
        let answers = async {
            // In parallel, and both or neither: recalls stored without complaints would look for a week as if there
            // were none.
            tokio::try_join!(
                self.list::<ListedRecall>(&["recalls", "recallsByVehicle"], vehicle),
                self.list::<ListedComplaint>(&["complaints", "complaintsByVehicle"], vehicle)
            )
        };
        let failure = match timeout(ANSWER_LIMIT, answers).await {
            Ok(Ok((recalls, complaints))) => {
                pass.succeeded();
                let recalls = recalls.into_iter().take(MAX_RECALLS).map(Recall::from).collect();
                let complaints = complaints.into_iter().map(Complaint::from).collect();
                return Ok(SafetyRecords::new(vehicle.clone(), recalls, complaints, KEPT_COMPLAINTS));
            }
            Ok(Err(failure)) => failure,
            Err(elapsed) => elapsed.into(),
        };
        if failure.is_question_fault {
            // Otherwise a few vehicles with odd names would open the breaker for everybody.
            pass.succeeded();
        } else {
            pass.failed(failure.wait.map(|wait| wait.min(MAX_LEFT_ALONE)), Instant::now());
        }
        Err(unavailable(failure.source))
    }

    async fn list<T: DeserializeOwned>(
        &self,
        path: &[&str],
        vehicle: &VehicleName,
    ) -> Result<Vec<T>, Failure> {
        let mut url = self.base_url.clone();
        url.path_segments_mut().map_err(|()| "the address has no path")?.pop_if_empty().extend(path);
        // The names are user input; `query_pairs_mut` encodes them.
        url.query_pairs_mut()
            .append_pair("make", &vehicle.make)
            .append_pair("model", &vehicle.model)
            .append_pair("modelYear", &vehicle.year.get().to_string());
        let request = Request::get(url.as_str()).header(ACCEPT, "application/json").body(Vec::new())?;
        read(&self.calls.answer(request).await?)
    }
}

partsight_domain::debug_fields!(SafetyService {});

/// The list of an answer. For an unknown model the service answers 400 with an empty list.
fn read<T: DeserializeOwned>(answer: &HttpResponse) -> Result<Vec<T>, Failure> {
    let list = || serde_json::from_slice::<Answer<T>>(answer.body()).map(|answer| answer.results);
    match answer.status() {
        StatusCode::OK => Ok(list()?),
        status @ (StatusCode::BAD_REQUEST | StatusCode::NOT_FOUND) => match list() {
            Ok(list) if list.is_empty() => Ok(list),
            _ => Err(Failure {
                source: format!("it answered {status}").into(),
                wait: None,
                is_question_fault: true,
            }),
        },
        status => Err(Failure {
            source: format!("it answered {status}").into(),
            wait: retry_after(answer.headers()),
            is_question_fault: false,
        }),
    }
}

impl From<ListedRecall> for Recall {
    fn from(listed: ListedRecall) -> Self {
        Self {
            campaign: text(Some(listed.campaign), MAX_NAME_CHARS).unwrap_or_default(),
            reported_on: listed.reported_on.as_deref().and_then(|day| slashed_day(day, Order::DayFirst)),
            component: text(listed.component, MAX_NAME_CHARS).unwrap_or_default(),
            summary: text(listed.summary, MAX_TEXT_CHARS),
            consequence: text(listed.consequence, MAX_TEXT_CHARS),
            remedy: text(listed.remedy, MAX_TEXT_CHARS),
            is_do_not_drive: listed.park_it == Some(true),
            is_park_outside: listed.park_outside == Some(true),
        }
    }
}

impl From<ListedComplaint> for Complaint {
    fn from(listed: ListedComplaint) -> Self {
        Self {
            number: listed.odi_number,
            filed_on: listed
                .date_complaint_filed
                .as_deref()
                .and_then(|day| slashed_day(day, Order::MonthFirst)),
            components: text(listed.components, MAX_NAME_CHARS).unwrap_or_default(),
            summary: text(listed.summary, MAX_TEXT_CHARS),
            is_crash: listed.crash == Some(true),
            is_fire: listed.fire == Some(true),
        }
    }
}

/// The order of day and month in a date with slashes.
#[derive(Clone, Copy)]
enum Order {
    /// `24/03/2021`, as in recalls.
    DayFirst,
    /// `03/24/2021`, as in complaints.
    MonthFirst,
}

/// The date of a text with slashes, in the other order if only that one is a date.
fn slashed_day(text: &str, order: Order) -> Option<Date> {
    let mut numbers = text.trim().splitn(3, '/').map(|number| number.parse::<i16>().ok());
    let (first, second, year) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let day = |month: i16, day: i16| Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok();
    match order {
        Order::DayFirst => day(second, first).or_else(|| day(first, second)),
        Order::MonthFirst => day(first, second).or_else(|| day(second, first)),
    }
}

/// A text on one line, cut to `max_chars`; `None` for an empty one.
fn text(value: Option<String>, max_chars: usize) -> Option<String> {
    Some(clean_line(&value?, max_chars)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use openidconnect::http::Response;

    use super::*;

    #[test]
    fn recalls_write_the_day_first_and_complaints_the_month() {
        for (text, order, expected) in [
            ("07/03/2019", Order::DayFirst, Some(date(2019, 3, 7))),
            ("07/03/2019", Order::MonthFirst, Some(date(2019, 7, 3))),
            ("24/03/2021", Order::MonthFirst, Some(date(2021, 3, 24))),
            ("02/28/2019", Order::DayFirst, Some(date(2019, 2, 28))),
            ("31/31/2019", Order::DayFirst, None),
            ("2019-03-07", Order::DayFirst, None),
            ("", Order::DayFirst, None),
            ("1/2/99999", Order::DayFirst, None),
        ] {
            assert_eq!(slashed_day(text, order), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_model_has_an_empty_list_and_any_other_refusal_is_a_failure() {
        let answer = |status: u16, body: &str| {
            read::<ListedComplaint>(
                &Response::builder().status(status).body(body.as_bytes().to_vec()).unwrap(),
            )
            .map(|list| list.len())
            .ok()
        };
        let (one, none) = (r#"{"count":1,"results":[{"odiNumber":1}]}"#, r#"{"count":0,"results":[]}"#);
        assert_eq!(answer(200, one), Some(1));
        assert_eq!((answer(200, none), answer(400, none), answer(404, none)), (Some(0), Some(0), Some(0)));
        assert_eq!((answer(400, one), answer(400, "bad"), answer(503, none)), (None, None, None));
        // A rejected name does not open the breaker.
        let is_question_fault = |status: u16| {
            let answer = Response::builder().status(status).body(b"bad".to_vec()).unwrap();
            read::<ListedComplaint>(&answer).map(|_| ()).unwrap_err().is_question_fault
        };
        assert_eq!((is_question_fault(400), is_question_fault(404)), (true, true));
        assert_eq!((is_question_fault(500), is_question_fault(200)), (false, false));
        assert_eq!((answer(200, "<html>"), answer(200, r#"{"results":"x"}"#)), (None, None));
    }
}
