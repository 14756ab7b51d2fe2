use std::time::Duration;

use partsight_domain::{Decimal, InvalidSetting, Plan, Secret, ServiceUrl, settings};
use serde::{Deserialize, Serialize};

use crate::is_encrypted_or_private;

/// Which API the judge is asked through, and how it wants our key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeProvider {
    /// `OpenAI`'s chat completions.
    Openai,
    /// The same on Azure, where the key has a header of its own. The address is that of the resource with
    /// `/openai/v1`, or that of a deployment with its `api-version`.
    Azure,
    /// The same from others: `OpenRouter`, vLLM, Ollama, llama.cpp.
    OpenaiCompatible,
    /// Anthropic's messages.
    Anthropic,
}

/// How the form of the answer is asked for where the API is one of chat completions. Anthropic's is always asked for
/// as the input of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerFormat {
    /// `response_format` with the JSON schema: the server allows no other answer.
    #[default]
    JsonSchema,
    /// `response_format` with any JSON object, for servers that know no schema.
    JsonObject,
    /// In words alone, for servers that know neither.
    Text,
}

/// Whether the judge may see the photographs of somebody who has said neither yes nor no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeConsent {
    /// No: each must allow it first.
    #[default]
    Ask,
    /// Yes, until they forbid it: for a shop whose server and photographs are its own.
    Given,
}

settings! {
    /// A vision LLM that is asked where the model is not sure: [the judge](judge.md).
    /// With a judge on another machine, photographs leave yours.
    pub struct JudgeSettings {
        /// API of the LLM provider: `openai`, `azure`, `openai-compatible` (OpenRouter, vLLM, Ollama, llama.cpp) or `anthropic`.
        "judge_provider" provider: Option<JudgeProvider> = None,
            without "no judge";
        /// Address of that API, such as `http://localhost:11434/v1`; on Azure that of the resource with `/openai/v1`, or of
        /// a deployment with its `api-version`.
        "judge_base_url" base_url: Option<ServiceUrl> = None, without "that of OpenAI or Anthropic";
        /// Name of the model at the provider, which must accept images.
        "judge_model" model: Option<String> = None;
        /// API key of this server at the provider; an LLM server of your own may need none.
        "judge_api_key" api_key: Option<Secret> = None;
        /// How the form of the LLM's answer is requested: `json-schema`, `json-object` or `text`. Anthropic is always
        /// asked by a tool.
        "judge_answer_format" answer_format: AnswerFormat = AnswerFormat::JsonSchema;
        /// Seconds that an answer of the judge may take, one retry included.
        "judge_timeout_seconds" timeout_seconds: u32 = 20, in 1..=120;
        /// Most output tokens of an answer; a reasoning model needs more.
        "judge_max_output_tokens" max_output_tokens: u32 = 1000, in 100..=100_000;
        /// Most tokens of a photograph of 1024 by 1024 pixels, used to reserve money before a call. What the answer
        /// says counts afterwards.
        "judge_photo_tokens" photo_tokens: u32 = 2000, in 0..=1_000_000;
        /// Price of input tokens in dollars per million, without the discount of a cache.
        "judge_input_price" input_price: Option<Decimal> = None;
        /// Price of output tokens in dollars per million.
        "judge_output_price" output_price: Option<Decimal> = None;
        /// Dollars that all users together may spend on the judge in a day, by UTC. Then scans are answered without it.
        "judge_daily_budget" daily_budget: Decimal = Decimal::from_millionths(5_000_000);
        /// Dollars that all users together may spend on the judge in a month.
        "judge_monthly_budget" monthly_budget: Decimal = Decimal::from_millionths(50_000_000);
        /// Dollars that one user or company may spend on the judge in a day. Each can set less on the page Accuracy.
        "judge_tenant_daily_budget" tenant_daily_budget: Decimal = Decimal::from_millionths(1_000_000);
        /// Dollars that one user or company may spend on the judge in a month.
        "judge_tenant_monthly_budget" tenant_monthly_budget: Decimal = Decimal::from_millionths(10_000_000);
        /// Lowest plan that includes the judge: `basic`, `pro` or `business`.
        "judge_plan" plan: Plan = Plan::Pro;
        /// Consent of each user or company to the judge. `ask`: opt-in; `given`: opt-out.
        "judge_consent" consent: JudgeConsent = JudgeConsent::Ask;
        /// Cosine similarity from which two photographs of one tenant share a verdict.
        "judge_reuse_similarity" reuse_similarity: Option<Decimal> = None,
            in Decimal::from_millionths(900_000)..=Decimal::from_millionths(1_000_000),
            without "`reuse_similarity` in the `model.toml` of the model in use";
        /// Days for which a verdict is reused; 0 for never.
        "judge_reuse_days" reuse_days: u32 = 90, in 0..=3650;
        /// Assumed accuracy of the judge, used to weigh its answer.
        "judge_trust" trust: Decimal = Decimal::from_millionths(900_000),
            in Decimal::from_millionths(500_000)..=Decimal::from_millionths(990_000);
        /// Calls of the judge at a time.
        "judge_concurrency" concurrency: u32 = 4, in 1..=1000;
    }
}

impl JudgeSettings {
    /// Total time limit of an answer, including a second attempt.
    pub(super) fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.into())
    }

    /// Address of the API: the setting, or the provider's default; `None` if there is neither.
    pub fn effective_base_url(&self) -> Option<&str> {
        let default = match self.provider? {
            JudgeProvider::Openai => Some("https://api.openai.com/v1"),
            JudgeProvider::Anthropic => Some("https://api.anthropic.com"),
            JudgeProvider::Azure | JudgeProvider::OpenaiCompatible => None,
        };
        self.base_url.as_deref().or(default)
    }

    /// Checks the settings that a judge requires.
    ///
    /// # Errors
    /// An invalid or unencrypted public address, no model, or no price.
    pub fn check_together(&self) -> Result<(), InvalidSetting> {
        if self.provider.is_none() {
            return Ok(());
        }
        InvalidSetting::unless(
            self.effective_base_url().is_some_and(is_encrypted_or_private),
            "judge_base_url",
            self.base_url.as_ref().map(ToString::to_string).unwrap_or_default(),
            "an address such as `https://api.openai.com/v1`; `http` only on this machine or in this network",
        )?;
        let model = self.model.as_deref().unwrap_or_default();
        let rule = "the model's name where `judge_provider` is set";
        InvalidSetting::unless(!model.trim().is_empty(), "judge_model", model, rule)?;
        let prices = [("judge_input_price", self.input_price), ("judge_output_price", self.output_price)];
        // Required even if they are 0: without prices no budget can be enforced.
        for (name, price) in prices {
            let rule = "dollars per million tokens where `judge_provider` is set, 0 for a model of your own";
            InvalidSetting::unless(price.is_some(), name, "", rule)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use partsight_domain::SettingsGroup as _;

    use super::*;

    type Change = fn(&mut JudgeSettings);

    #[test]
    fn a_judge_needs_a_model_its_prices_and_an_address_that_may_see_photographs() {
        let set = || JudgeSettings {
            provider: Some(JudgeProvider::Openai),
            model: Some("m".to_owned()),
            input_price: Some(Decimal::default()),
            output_price: Some(Decimal::default()),
            ..JudgeSettings::default()
        };
        let check = |settings: &JudgeSettings| settings.check().and_then(|()| settings.check_together());
        assert_eq!(check(&set()), Ok(()));
        let cases: [(Change, &str); 10] = [
            (|s| s.model = None, "`judge_model`"),
            (|s| s.input_price = None, "`judge_input_price`"),
            (|s| s.output_price = None, "`judge_output_price`"),
            (|s| s.provider = Some(JudgeProvider::OpenaiCompatible), "`judge_base_url`"),
            (|s| s.base_url = Some(ServiceUrl::new("http://api.example.com")), "`judge_base_url`"),
            (
                |s| s.base_url = Some(ServiceUrl::new("http://ann:geheim@api.example.com/v1")),
                "`judge_base_url` is http://***@api.example.com/v1",
            ),
            (|s| s.timeout_seconds = 0, "`judge_timeout_seconds` is 0, but it must be 1 to 120"),
            (
                |s| s.reuse_similarity = Some(Decimal::from_millionths(500_000)),
                "`judge_reuse_similarity` is 0.5, but it must be 0.9 to 1",
            ),
            (|s| s.trust = Decimal::from_millionths(1_000_000), "`judge_trust` is 1, but it must be 0.5 to"),
            (|s| s.concurrency = 0, "`judge_concurrency`"),
        ];
        for (change, expected) in cases {
            let mut settings = set();
            change(&mut settings);
            let message = check(&settings).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
