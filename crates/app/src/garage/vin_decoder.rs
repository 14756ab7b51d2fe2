use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use partsight_domain::User;
use partsight_providers::{VinAnswer, VinDecoder};

use crate::garage::Garage;
use crate::limits::rate_limit::RateLimit;
use crate::limits::reads::outside;
use crate::{Error, Result};

/// Burst of questions of one person, and the interval until one more. Nobody has more vehicles to enter, and the
/// service is free and asks for restraint.
const QUESTIONS: u32 = 20;
const QUESTION_INTERVAL: Duration = Duration::from_mins(1);
/// Most cached answers.
const REMEMBERED: usize = 1000;

/// The external VIN decoder, with a cache and a rate limit.
pub(crate) struct AskedDecoder {
    decoder: VinDecoder,
    by_user: RateLimit,
    /// The newest answers, the oldest first.
    answers: Mutex<Vec<(String, VinAnswer)>>,
}

impl AskedDecoder {
    pub(crate) fn new(url: &str) -> Result<Self> {
        let decoder = VinDecoder::new(url).map_err(Error::Provider)?;
        let by_user = RateLimit::new(QUESTIONS, QUESTION_INTERVAL);
        Ok(Self { decoder, by_user, answers: Mutex::default() })
    }

    fn remembered(&self, vin: &str) -> Option<VinAnswer> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        // A list, because the oldest entry must be found too; a thousand comparisons cost little compared with a
        // request.
        answers.iter().find(|(of, _)| of == vin).map(|(_, answer)| answer.clone())
    }

    fn remember(&self, vin: String, answer: VinAnswer) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= REMEMBERED {
            answers.remove(0);
        }
        answers.push((vin, answer));
    }
}

impl Garage {
    /// What an external decoder states about the VIN `text`.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a malformed VIN; [`Error::VinDecoderOff`] if no decoder is configured;
    /// [`Error::TooManyAttempts`] beyond a burst of 20 questions; [`Error::VinDecoder`] when it does not answer.
    pub async fn ask_vin_decoder(&self, user: &User, text: &str) -> Result<VinAnswer> {
        let vin = self.decode_vin(text)?.vin.vin;
        let asked = self.vin_decoder.as_ref().ok_or(Error::VinDecoderOff)?;
        // Before the limit: a cached answer costs the service nothing.
        if let Some(answer) = asked.remembered(&vin) {
            return Ok(answer);
        }
        asked.by_user.take(&user.id.to_string(), self.clock.steady())?;
        let answer = outside(asked.decoder.decode(&vin)).await?.map_err(Error::VinDecoder)?;
        asked.remember(vin, answer.clone());
        Ok(answer)
    }
}
