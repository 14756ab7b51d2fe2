//! The settings of the judge, their rules, and what they come to.

use std::net::IpAddr;

use partsight_providers::{JudgeAnswerFormat, JudgeProtocol, is_on_this_machine};
use serde::{Deserialize, Serialize};

use super::Settings;

/// Where `OpenAI`'s API is.
const OPENAI: &str = "https://api.openai.com/v1";
/// Where Anthropic's API is.
const ANTHROPIC: &str = "https://api.anthropic.com";

/// Which API the judge is asked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgeProvider {
    /// `OpenAI`.
    Openai,
    /// `OpenAI`'s models on Azure.
    Azure,
    /// A server that speaks as `OpenAI` does: `OpenRouter`, vLLM, Ollama, llama.cpp.
    OpenaiCompatible,
    /// Anthropic.
    Anthropic,
}

impl JudgeProvider {
    pub(crate) const fn protocol(self) -> JudgeProtocol {
        match self {
            Self::Openai => JudgeProtocol::OpenAi,
            Self::Azure => JudgeProtocol::Azure,
            Self::OpenaiCompatible => JudgeProtocol::OpenAiCompatible,
            Self::Anthropic => JudgeProtocol::Anthropic,
        }
    }
}

/// How the judge is told what form its answer must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerFormat {
    /// With a JSON schema, which the server enforces.
    #[default]
    JsonSchema,
    /// As any JSON object.
    JsonObject,
    /// In words alone.
    Text,
}

impl From<AnswerFormat> for JudgeAnswerFormat {
    fn from(format: AnswerFormat) -> Self {
        match format {
            AnswerFormat::JsonSchema => Self::JsonSchema,
            AnswerFormat::JsonObject => Self::JsonObject,
            AnswerFormat::Text => Self::Text,
        }
    }
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

/// Name, value, whether it fits, and the rule.
type Rule = (&'static str, String, bool, &'static str);

impl Settings {
    /// Where the judge is: the setting, or the address of the provider.
    pub fn effective_judge_base_url(&self) -> Option<String> {
        let default = match self.judge_provider? {
            JudgeProvider::Openai => Some(OPENAI),
            JudgeProvider::Anthropic => Some(ANTHROPIC),
            JudgeProvider::Azure | JudgeProvider::OpenaiCompatible => None,
        };
        self.judge_base_url.clone().or_else(|| default.map(str::to_owned))
    }

    /// The settings that name a service on another machine, by their names. The database is not among them: it is
    /// the server's own.
    pub fn outside_services(&self) -> Vec<&'static str> {
        let leads_out = |url: Option<&str>| url.is_some_and(|url| !is_on_this_machine(url));
        let judge = self.effective_judge_base_url();
        let stripe = self.stripe_api_base.as_deref().unwrap_or("https://api.stripe.com");
        [
            ("smtp_url", leads_out(self.smtp_url.as_ref().map(super::Secret::reveal))),
            ("oidc_issuer", leads_out(self.oidc_issuer.as_deref())),
            ("qdrant_url", leads_out(self.qdrant_url.as_deref())),
            ("otlp_endpoint", leads_out(self.otlp_endpoint.as_deref())),
            ("vin_decoder_url", leads_out(self.vin_decoder_url.as_deref())),
            ("stripe_secret_key", self.stripe_secret_key.is_some() && leads_out(Some(stripe))),
            ("judge_provider", leads_out(judge.as_deref())),
            ("ebay_client_id", self.ebay_client_id.is_some() && leads_out(Some(self.effective_ebay_url()))),
            ("supplier_service_url", leads_out(self.supplier_service_url.as_deref())),
        ]
        .into_iter()
        .filter_map(|(name, leads_out)| leads_out.then_some(name))
        .collect()
    }

    /// The rule of the zero-egress switch: with it, no setting may name a service elsewhere. It refuses instead of
    /// switching them off, so that nobody believes in mails or a judge that are not there.
    pub(super) fn egress_rule(&self) -> Rule {
        let services = self.outside_services();
        (
            "zero_egress",
            format!("true beside `{}`", services.join("`, `")),
            !self.zero_egress || services.is_empty(),
            "false where a setting names a service on another machine; remove that setting, or this one",
        )
    }

    /// The rules of the judge's settings.
    pub(super) fn judge_rules(&self) -> Vec<Rule> {
        let is_set = self.judge_provider.is_some();
        let base_url = self.effective_judge_base_url();
        let text = |value: Option<&String>| value.cloned().unwrap_or_default();
        let price = |value: Option<super::Decimal>| value.map(|price| price.to_string()).unwrap_or_default();
        let number = |name, value: u32, low: u32, high: u32, expected| -> Rule {
            (name, value.to_string(), (low..=high).contains(&value), expected)
        };
        vec![
            (
                "judge_base_url",
                text(self.judge_base_url.as_ref()),
                !is_set || base_url.as_deref().is_some_and(is_encrypted_or_in_house),
                "an address such as `https://api.openai.com/v1`; `http` only on this machine or in this network",
            ),
            (
                "judge_model",
                text(self.judge_model.as_ref()),
                !is_set || self.judge_model.as_deref().is_some_and(|model| !model.trim().is_empty()),
                "the model's name where `judge_provider` is set",
            ),
            (
                "judge_input_price",
                price(self.judge_input_price),
                !is_set || self.judge_input_price.is_some(),
                "dollars per million tokens where `judge_provider` is set, 0 for a model of your own",
            ),
            (
                "judge_output_price",
                price(self.judge_output_price),
                !is_set || self.judge_output_price.is_some(),
                "dollars per million tokens where `judge_provider` is set, 0 for a model of your own",
            ),
            number("judge_timeout_seconds", self.judge_timeout_seconds, 1, 120, "1 to 120"),
            number("judge_max_output_tokens", self.judge_max_output_tokens, 100, 100_000, "100 to 100000"),
            number("judge_photo_tokens", self.judge_photo_tokens, 0, 1_000_000, "0 to 1000000"),
            number("judge_concurrency", self.judge_concurrency, 1, 1000, "1 to 1000"),
            number("judge_reuse_days", self.judge_reuse_days, 0, 3650, "0 to 3650"),
            (
                "judge_reuse_similarity",
                self.judge_reuse_similarity.map(|similarity| similarity.to_string()).unwrap_or_default(),
                self.judge_reuse_similarity
                    .is_none_or(|similarity| (900_000..=1_000_000).contains(&similarity.millionths())),
                "0.9 to 1",
            ),
            (
                "judge_trust",
                self.judge_trust.to_string(),
                (500_000..=990_000).contains(&self.judge_trust.millionths()),
                "0.5 to 0.99",
            ),
        ]
    }
}

/// Whether photographs and keys may be sent there: encrypted, or not beyond the network that this machine is in. A
/// name without a point is one of such a network.
pub(super) fn is_encrypted_or_in_house(url: &str) -> bool {
    let after = |scheme: &str| url.strip_prefix(scheme).filter(|rest| !rest.is_empty());
    if after("https://").is_some_and(|rest| !rest.starts_with('/')) {
        return true;
    }
    let Some(rest) = after("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return false;
    }
    if is_on_this_machine(url) {
        return true;
    }
    let host = match authority.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    match host.parse() {
        Ok(IpAddr::V4(address)) => address.is_private(),
        Ok(IpAddr::V6(address)) => address.is_unique_local(),
        Err(_) => !host.is_empty() && !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Decimal, Secret};
    use super::*;

    fn with_judge() -> Settings {
        Settings {
            judge_provider: Some(JudgeProvider::Openai),
            judge_model: Some("m".to_owned()),
            judge_input_price: Some(Decimal::default()),
            judge_output_price: Some(Decimal::default()),
            ..Settings::default()
        }
    }

    #[test]
    fn a_judge_needs_a_model_its_prices_and_an_address_that_may_see_photographs() {
        type Change = fn(&mut Settings);
        assert_eq!(with_judge().check(), Ok(()));
        let cases: [(Change, &str); 9] = [
            (|s| s.judge_model = None, "`judge_model`"),
            (|s| s.judge_input_price = None, "`judge_input_price`"),
            (|s| s.judge_output_price = None, "`judge_output_price`"),
            (|s| s.judge_provider = Some(JudgeProvider::OpenaiCompatible), "`judge_base_url`"),
            (|s| s.judge_base_url = Some("http://api.example.com".to_owned()), "`judge_base_url`"),
            (|s| s.judge_timeout_seconds = 0, "`judge_timeout_seconds` is 0, but it must be 1 to 120"),
            (
                |s| s.judge_reuse_similarity = Some(Decimal::from_millionths(500_000)),
                "`judge_reuse_similarity` is 0.5",
            ),
            (|s| s.judge_trust = Decimal::from_millionths(1_000_000), "`judge_trust` is 1"),
            (|s| s.judge_concurrency = 0, "`judge_concurrency`"),
        ];
        for (change, expected) in cases {
            let mut settings = with_judge();
            change(&mut settings);
            let message = settings.check().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn photographs_go_encrypted_or_stay_in_the_house() {
        let cases = [
            ("https://api.openai.com/v1", true),
            ("http://localhost:11434/v1", true),
            ("http://192.168.1.20:8000/v1", true),
            ("http://[fd00::1]:8000/v1", true),
            ("http://vllm:8000/v1", true),
            ("http://8.8.8.8/v1", false),
            ("http://api.openai.com/v1", false),
            ("http://vllm@evil.example.com/v1", false),
            ("ftp://localhost", false),
            ("https://", false),
            ("https:///v1", false),
            ("", false),
        ];
        for (url, expected) in cases {
            assert_eq!(is_encrypted_or_in_house(url), expected, "{url}");
        }
    }

    #[test]
    fn zero_egress_refuses_every_service_elsewhere_and_names_it() {
        let refused = |settings: Settings| {
            Settings { zero_egress: true, ..settings }.check().map_err(|error| error.to_string())
        };
        assert_eq!(refused(Settings::default()), Ok(()));
        let message = refused(with_judge()).unwrap_err();
        assert!(message.contains("`zero_egress` is true beside `judge_provider`"), "{message}");
        let mail = Settings { smtp_url: Some(Secret::new("smtps://mail.example.com")), ..with_judge() };
        let message = refused(mail).unwrap_err();
        assert!(message.contains("`smtp_url`, `judge_provider`"), "{message}");
        // One that runs here sends nothing anywhere.
        let here = Settings { judge_base_url: Some("http://127.0.0.1:8000/v1".to_owned()), ..with_judge() };
        assert_eq!(refused(here), Ok(()));
    }
}
