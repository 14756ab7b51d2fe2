mod database_url;
mod decimal;
mod judge;
mod secret;
mod stripe;
mod suppliers;
mod trusted_proxies;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use partsight_domain::{EmailAddress, PhotoKeeping, Plan};
use partsight_inference::{ComputeDevice, Device, PhotoLimits, is_kebab_case};
use partsight_providers::is_smtp_url;
use serde::{Deserialize, Serialize};

pub use database_url::DatabaseUrl;
pub use decimal::Decimal;
pub use judge::{AnswerFormat, JudgeConsent, JudgeProvider};
pub use secret::Secret;
pub use trusted_proxies::TrustedProxies;

/// Name of the model that is part of the program.
pub const EMBEDDED_MODEL: &str = "partsight-50";

/// Most photographs in one run on a GPU, where nothing is set.
const GPU_BATCH: usize = 32;

/// Everything that can be set, with what holds when nothing is.
///
/// Read from `partsight.toml`, then `PARTSIGHT_<NAME>` in the environment, then flags; the later wins.
/// An unknown key in the file is an error, so that a misspelt one is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that people set by its name")]
pub struct Settings {
    /// Address and port that `serve` listens on. Use `0.0.0.0:8080` to let other machines in.
    pub listen: SocketAddr,
    /// Most connections at a time; an eighth of them from one address that is not in `trusted_proxies`. 0 for 2048, or
    /// what the limit of open files allows.
    pub max_connections: usize,
    /// Folder of the database. Made when missing.
    pub data_dir: PathBuf,
    /// The database: `postgres://user:password@host/name`, or `sqlite:` and a path. Unset, it is the file
    /// `partsight.db` in `data_dir`. One of PostgreSQL is prepared with `partsight migrate`.
    pub database_url: Option<DatabaseUrl>,
    /// Address that people type, such as `https://parts.example.com`. With `https` the session cookie is
    /// kept to it, and writes are accepted from this origin. Requests that name another host are refused.
    pub public_url: Option<String>,
    /// Where people who need help write to; shown in the app and named in its legal texts.
    pub support_email: String,
    /// The company that the legal texts name.
    pub legal_entity: String,
    /// One plan for all users of this server: `basic`, `pro` or `business`. Unset, each has their own.
    pub plan: Option<Plan>,
    /// Largest photograph, in bytes.
    pub max_photo_bytes: usize,
    /// Largest photograph, in pixels (width times height).
    pub max_photo_pixels: u64,
    /// Memory that reading photographs may take, all at a time together, in bytes; more wait. A HEIC of 12
    /// megapixels needs about 200 MB, one that is turned 260 MB, and a photograph that needs more than all is refused.
    pub max_decoding_bytes: u64,
    /// Which pictures are kept with the scans: `none`, `thumbnail` for a small one of the pixels alone, or
    /// `full` for the photograph as it was sent, too.
    pub keep_photos: PhotoKeeping,
    /// Days after which kept pictures are deleted; 0 keeps them as long as their scans.
    pub keep_photos_days: u32,
    /// Name of the model: `partsight-50` is the embedded one, any other lies in `models/<name>` of
    /// `data_dir`, where `partsight models import` puts it.
    pub model: String,
    /// Folder of a model, wherever it lies; it stands in for `model`.
    pub model_dir: Option<PathBuf>,
    /// What the model computes on: `auto` for a GPU where one works and the processor otherwise, `cpu`, or
    /// `cuda:N` for the GPU of that number, whose absence is then an error. `cuda` is `cuda:0`.
    pub device: Device,
    /// ONNX Runtime's shared library. Unset, it is looked for beside the program, in the user's cache and
    /// among the system's libraries.
    pub onnxruntime: Option<PathBuf>,
    /// Inference threads, each with its own copy of the model; 0 for what suits the device: one a processor
    /// core up to 8, or a single one on a GPU, which one thread keeps busy.
    pub engine_threads: usize,
    /// Most photographs in one run of the model; 0 for what suits the device: 32 on a GPU, and 1 on a
    /// processor, where a batch of 8 took longer than 8 photographs one by one, and 8 times the memory.
    pub max_batch: usize,
    /// Photographs that may wait or be worked on at a time; one more is answered "busy".
    pub queue_capacity: usize,
    /// Days after which a signed-in browser must sign in again, 1 or more.
    pub session_days: u32,
    /// Days without use after which a browser must sign in again, 1 or more.
    pub session_idle_days: u32,
    /// Failed sign-ins to one account from one address before one must wait; one comes back after 90 seconds.
    /// An address has five times as many over all accounts. 0 for no limit.
    pub sign_in_attempts: u32,
    /// Requests a minute with one API key; 0 for no limit.
    pub api_key_requests: u32,
    /// Proxies before this server, as addresses or networks with commas between them, such as
    /// `127.0.0.1, 10.0.0.0/8`. Where a request comes from one of them, its `X-Forwarded-For` says who sent it.
    pub trusted_proxies: TrustedProxies,
    /// The mail server: `smtps://user:password@host:465`, `smtp://user:password@host:587?tls=required`, or
    /// `smtp://host:25` without either. Unset, mails are written into `mail_dir`.
    pub smtp_url: Option<Secret>,
    /// Whom mails are from; unset, `support_email`.
    pub mail_from: Option<String>,
    /// Folder for mails where no mail server is set; unset, `mail` in `data_dir`.
    pub mail_dir: Option<PathBuf>,
    /// The `OpenID Connect` provider that people may sign in with, such as `https://accounts.google.com`. All
    /// three `oidc` settings or none; the provider must know `<public_url>/api/login/callback`.
    pub oidc_issuer: Option<String>,
    /// Our name at that provider.
    pub oidc_client_id: Option<String>,
    /// Our password at that provider.
    pub oidc_client_secret: Option<Secret>,
    /// A VIN decoder elsewhere that signed-in people may ask, such as `https://vpic.nhtsa.dot.gov/api`: the number
    /// then leaves this machine. Unset, VINs are decoded here alone.
    pub vin_decoder_url: Option<String>,
    /// The key with which plans are sold through Stripe, `sk_...` or `rk_...`. All `stripe` settings but
    /// `stripe_api_base`, or none; Stripe must know `<public_url>/api/stripe/webhook`.
    pub stripe_secret_key: Option<Secret>,
    /// The key that browsers show to Stripe, `pk_...`.
    pub stripe_publishable_key: Option<String>,
    /// The secret that Stripe signs its events with, `whsec_...`.
    pub stripe_webhook_secret: Option<Secret>,
    /// The id at Stripe of the price of Pro by the month: 4.99 US dollars.
    pub stripe_price_pro_month: Option<String>,
    /// The price of Pro by the year: 49.90 US dollars.
    pub stripe_price_pro_year: Option<String>,
    /// The price of Business by the month: 14.99 US dollars.
    pub stripe_price_business_month: Option<String>,
    /// The price of Business by the year: 149.90 US dollars.
    pub stripe_price_business_year: Option<String>,
    /// Where Stripe is, for a proxy in between; unset, `https://api.stripe.com`.
    pub stripe_api_base: Option<String>,
    /// The vision-LLM that is asked where the model is not sure: `openai`, `azure`, `openai-compatible` (`OpenRouter`,
    /// vLLM, Ollama, llama.cpp) or `anthropic`. Unset, no photograph leaves this server.
    pub judge_provider: Option<JudgeProvider>,
    /// Its address, such as `http://localhost:11434/v1`; unset, that of `OpenAI` or Anthropic. On Azure, that of the
    /// resource with `/openai/v1`, or that of a deployment with its `api-version`.
    pub judge_base_url: Option<String>,
    /// Its model, as it is called there. It must be one that sees pictures.
    pub judge_model: Option<String>,
    /// Our key there; a server of your own may need none.
    pub judge_api_key: Option<Secret>,
    /// How it is told the form of its answer: `json-schema`, `json-object` or `text`, for servers that know no
    /// better. Anthropic is always told by a tool.
    pub judge_answer_format: AnswerFormat,
    /// Seconds that its answer may take, a second try among them; 1 to 120.
    pub judge_timeout_seconds: u32,
    /// Most tokens of its answer. A model that thinks before it answers needs more.
    pub judge_max_output_tokens: u32,
    /// Most tokens that a photograph of 1024 by 1024 pixels comes to, for what is set aside before a call; its
    /// price list says it. The answer's own figure is what counts afterwards.
    pub judge_photo_tokens: u32,
    /// Its price in dollars per million tokens of the question. What a cache makes cheaper is counted in full.
    pub judge_input_price: Option<Decimal>,
    /// Its price in dollars per million tokens of the answer.
    pub judge_output_price: Option<Decimal>,
    /// Dollars that all users together may spend on it in a day, by UTC. Then scans are answered without it.
    pub judge_daily_budget: Decimal,
    /// Dollars that all users together may spend on it in a month.
    pub judge_monthly_budget: Decimal,
    /// Dollars that one user or company may spend on it in a day.
    pub judge_tenant_daily_budget: Decimal,
    /// Dollars that one user or company may spend on it in a month.
    pub judge_tenant_monthly_budget: Decimal,
    /// The lowest plan that includes it: `basic`, `pro` or `business`.
    pub judge_plan: Plan,
    /// Whether each user or company must allow it first (`ask`), or need only forbid it (`given`).
    pub judge_consent: JudgeConsent,
    /// From this cosine similarity on, 0.9 to 1, two photographs of one tenant count as the same, and the second
    /// gets the judgement of the first. Unset, it is what was measured of the model in use: `reuse_similarity` in its
    /// `model.toml`.
    pub judge_reuse_similarity: Option<Decimal>,
    /// Days for which a judgement is reused; 0 for never.
    pub judge_reuse_days: u32,
    /// How often it names the right type, 0.5 to 0.99, which says what its word is worth against the model's
    /// figures. Assumed until it is measured on photographs whose parts are known.
    pub judge_trust: Decimal,
    /// Photographs that may be with it at a time.
    pub judge_concurrency: u32,
    /// Our name at eBay, where new parts are searched for; with `ebay_client_secret`, or neither. Unset, eBay is not
    /// asked.
    pub ebay_client_id: Option<String>,
    /// Our password at eBay.
    pub ebay_client_secret: Option<Secret>,
    /// Where eBay's API is, for a proxy in between; unset, `https://api.ebay.com`.
    pub ebay_url: Option<String>,
    /// A supplier's web service, an address with places for `{part}`, `{label}`, `{number}`, `{year}`, `{make}` and
    /// `{model}`, such as `https://erp.example.com/prices?number={number}&part={label}`.
    pub supplier_service_url: Option<String>,
    /// What that service asks of its clients as `Authorization: Bearer`, if anything.
    pub supplier_service_token: Option<Secret>,
    /// Seconds that suppliers elsewhere may take to answer, 1 to 30. Whoever takes longer is left out.
    pub supplier_timeout_seconds: u32,
    /// Minutes for which their answers are shown again, 0 to 1440.
    pub supplier_cache_minutes: u32,
    /// Refuses to start where any setting names a service on another machine, so that nothing can leave this one.
    pub zero_egress: bool,
    /// Whether `/metrics` answers everybody; unless set, only this machine, and only where neither `public_url` nor
    /// `trusted_proxies` says that there is a proxy.
    pub metrics_public: bool,
    /// A collector of `OpenTelemetry` traces that speaks OTLP over HTTP, such as `http://localhost:4318`. It is told how
    /// long each request and each stage of a scan took, and nothing of whom or what they were about. Unset, no traces
    /// are made.
    pub otlp_endpoint: Option<String>,
    /// Address and port on which `/metrics` answers whoever reaches it, and nothing else does, such as
    /// `127.0.0.1:9464`. No proxy leads there.
    pub metrics_listen: Option<SocketAddr>,
    /// A Qdrant server that holds the references of taught parts, such as `http://localhost:6334` (gRPC). Unset,
    /// each server holds them in its own memory.
    pub qdrant_url: Option<String>,
    /// What that server asks of its clients, if anything.
    pub qdrant_api_key: Option<Secret>,
    /// Beginning of its collections' names; the model's hash is added.
    pub qdrant_collection: String,
    /// Shards of a new collection, 1 to 1000.
    pub qdrant_shards: u32,
    /// Copies of each shard of a new collection, 1 to 100.
    pub qdrant_replicas: u32,
    /// Whether a new collection is searched by one byte a number: quicker, and a quarter of the memory.
    pub qdrant_quantised: bool,
    /// Whether a new collection leaves its full vectors on disk.
    pub qdrant_on_disk: bool,
    /// Log filter, such as `info` or `partsight=debug,warn`.
    pub log: String,
    /// Log lines for people (`text`) or for machines (`json`).
    pub log_format: LogFormat,
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

impl TryFrom<String> for LogFormat {
    type Error = InvalidSetting;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        match name.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(InvalidSetting { name: "log_format", found: name, expected: "`text` or `json`" }),
        }
    }
}

impl From<LogFormat> for &'static str {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            max_connections: 0,
            data_dir: PathBuf::from("data"),
            database_url: None,
            public_url: None,
            support_email: "support@partsight.example".to_owned(),
            legal_entity: "Partsight LLC".to_owned(),
            plan: None,
            max_photo_bytes: 25 * 1024 * 1024,
            max_photo_pixels: 64_000_000,
            max_decoding_bytes: 1 << 30,
            keep_photos: PhotoKeeping::default(),
            keep_photos_days: 0,
            model: EMBEDDED_MODEL.to_owned(),
            model_dir: None,
            device: Device::Auto,
            onnxruntime: None,
            engine_threads: 0,
            max_batch: 0,
            queue_capacity: 64,
            session_days: 30,
            session_idle_days: 14,
            sign_in_attempts: 10,
            api_key_requests: 600,
            trusted_proxies: TrustedProxies::default(),
            smtp_url: None,
            mail_from: None,
            mail_dir: None,
            oidc_issuer: None,
            oidc_client_id: None,
            oidc_client_secret: None,
            vin_decoder_url: None,
            stripe_secret_key: None,
            stripe_publishable_key: None,
            stripe_webhook_secret: None,
            stripe_price_pro_month: None,
            stripe_price_pro_year: None,
            stripe_price_business_month: None,
            stripe_price_business_year: None,
            stripe_api_base: None,
            judge_provider: None,
            judge_base_url: None,
            judge_model: None,
            judge_api_key: None,
            judge_answer_format: AnswerFormat::default(),
            judge_timeout_seconds: 20,
            judge_max_output_tokens: 1000,
            judge_photo_tokens: 2000,
            judge_input_price: None,
            judge_output_price: None,
            judge_daily_budget: Decimal::from_millionths(5_000_000),
            judge_monthly_budget: Decimal::from_millionths(50_000_000),
            judge_tenant_daily_budget: Decimal::from_millionths(1_000_000),
            judge_tenant_monthly_budget: Decimal::from_millionths(10_000_000),
            judge_plan: Plan::Pro,
            judge_consent: JudgeConsent::default(),
            judge_reuse_similarity: None,
            judge_reuse_days: 90,
            judge_trust: Decimal::from_millionths(900_000),
            judge_concurrency: 4,
            ebay_client_id: None,
            ebay_client_secret: None,
            ebay_url: None,
            supplier_service_url: None,
            supplier_service_token: None,
            supplier_timeout_seconds: 5,
            supplier_cache_minutes: 60,
            zero_egress: false,
            metrics_public: false,
            otlp_endpoint: None,
            metrics_listen: None,
            qdrant_url: None,
            qdrant_api_key: None,
            qdrant_collection: "partsight".to_owned(),
            qdrant_shards: 1,
            qdrant_replicas: 1,
            qdrant_quantised: true,
            qdrant_on_disk: false,
            log: "info".to_owned(),
            log_format: LogFormat::Text,
        }
    }
}

/// A setting that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the setting `{name}` is {found}, but it must be {expected}")]
pub struct InvalidSetting {
    /// The key.
    pub name: &'static str,
    /// The value found.
    pub found: String,
    /// The rule it breaks.
    pub expected: &'static str,
}

impl Settings {
    /// What photographs may be.
    pub fn photo_limits(&self) -> PhotoLimits {
        PhotoLimits { max_bytes: self.max_photo_bytes, max_pixels: self.max_photo_pixels }
    }

    /// Checks the ranges.
    pub fn check(&self) -> Result<(), InvalidSetting> {
        let url_fits = self.public_url.as_deref().is_none_or(|url| {
            let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            host.is_some_and(|host| !host.is_empty() && !host.trim_end_matches('/').contains('/'))
        });
        let rules = [
            (
                "model",
                self.model.clone(),
                is_kebab_case(&self.model),
                "a name such as `clip-vit-base-patch32`; a folder goes into `model_dir`",
            ),
            (
                "max_photo_bytes",
                self.max_photo_bytes.to_string(),
                self.max_photo_bytes >= 1024,
                "1024 or more",
            ),
            (
                "database_url",
                self.database_url.as_ref().map(ToString::to_string).unwrap_or_default(),
                self.database_url.as_ref().is_none_or(DatabaseUrl::is_known),
                "an address such as `postgres://user:password@host/name`, or `sqlite:` and a path",
            ),
            (
                "keep_photos_days",
                self.keep_photos_days.to_string(),
                self.keep_photos_days <= 36_500,
                "0 to 36500",
            ),
            (
                "max_connections",
                self.max_connections.to_string(),
                self.max_connections == 0 || (16..=1_000_000).contains(&self.max_connections),
                "0, or 16 to 1000000",
            ),
            ("max_photo_pixels", self.max_photo_pixels.to_string(), self.max_photo_pixels >= 1, "1 or more"),
            (
                "max_decoding_bytes",
                self.max_decoding_bytes.to_string(),
                // Less would refuse photographs of 12 megapixels.
                self.max_decoding_bytes >= 256 << 20,
                "268435456 (256 MiB) or more",
            ),
            ("engine_threads", self.engine_threads.to_string(), self.engine_threads <= 256, "0 to 256"),
            ("max_batch", self.max_batch.to_string(), self.max_batch <= 1024, "0 to 1024"),
            (
                "queue_capacity",
                self.queue_capacity.to_string(),
                (1..=100_000).contains(&self.queue_capacity),
                "1 to 100000",
            ),
            (
                "session_days",
                self.session_days.to_string(),
                (1..=3650).contains(&self.session_days),
                "1 to 3650",
            ),
            (
                "support_email",
                self.support_email.clone(),
                EmailAddress::new(&self.support_email).is_ok(),
                "an e-mail address",
            ),
            (
                "otlp_endpoint",
                self.otlp_endpoint.clone().unwrap_or_default(),
                self.otlp_endpoint.as_deref().is_none_or(judge::is_encrypted_or_in_house),
                "an address such as `http://localhost:4318`; `http` only on this machine or in this network",
            ),
            (
                "legal_entity",
                self.legal_entity.clone(),
                (1..=200).contains(&self.legal_entity.trim().chars().count()),
                "1 to 200 characters",
            ),
            (
                "public_url",
                self.public_url.clone().unwrap_or_default(),
                url_fits,
                "an address without a path, such as `https://parts.example.com`",
            ),
        ];
        let rules = rules.into_iter().chain(self.account_rules()).chain(self.stripe_rules());
        let rules = rules.chain(self.index_rules()).chain(self.judge_rules()).chain(self.supplier_rules());
        let mut rules = rules.chain([self.egress_rule()]);
        match rules.find(|(_, _, fits, _)| !fits) {
            Some((name, found, _, expected)) => Err(InvalidSetting { name, found, expected }),
            None => Ok(()),
        }
    }

    /// The address that people type, without a slash at its end; where none is set, this machine's own.
    pub fn effective_public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://localhost:{}", self.listen.port()),
        }
    }

    /// Where mails go when no mail server is set.
    pub fn effective_mail_dir(&self) -> PathBuf {
        self.mail_dir.clone().unwrap_or_else(|| self.data_dir.join("mail"))
    }

    fn has_all_or_no_oidc(&self) -> bool {
        let set =
            [self.oidc_issuer.is_some(), self.oidc_client_id.is_some(), self.oidc_client_secret.is_some()];
        set.iter().all(|set| *set) || set.iter().all(|set| !*set)
    }

    /// What a vector index on a server needs; as [`Settings::account_rules`].
    fn index_rules(&self) -> [(&'static str, String, bool, &'static str); 4] {
        let is_name = |name: &str| {
            (1..=100).contains(&name.len())
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        };
        [
            (
                "qdrant_url",
                self.qdrant_url.clone().unwrap_or_default(),
                self.qdrant_url
                    .as_deref()
                    .is_none_or(|url| url.starts_with("http://") || url.starts_with("https://")),
                "an address such as `http://localhost:6334`",
            ),
            (
                "qdrant_collection",
                self.qdrant_collection.clone(),
                is_name(&self.qdrant_collection),
                "1 to 100 letters, digits, `-` and `_`",
            ),
            (
                "qdrant_shards",
                self.qdrant_shards.to_string(),
                (1..=1000).contains(&self.qdrant_shards),
                "1 to 1000",
            ),
            (
                "qdrant_replicas",
                self.qdrant_replicas.to_string(),
                (1..=100).contains(&self.qdrant_replicas),
                "1 to 100",
            ),
        ]
    }

    /// What accounts, mails and sign-in need: name, value, whether it fits, and the rule.
    fn account_rules(&self) -> [(&'static str, String, bool, &'static str); 8] {
        [
            (
                "api_key_requests",
                self.api_key_requests.to_string(),
                self.api_key_requests <= 1_000_000,
                "0 to 1000000",
            ),
            (
                "session_idle_days",
                self.session_idle_days.to_string(),
                (1..=3650).contains(&self.session_idle_days),
                "1 to 3650",
            ),
            (
                "sign_in_attempts",
                self.sign_in_attempts.to_string(),
                self.sign_in_attempts <= 100_000,
                "0 to 100000",
            ),
            (
                "smtp_url",
                "(hidden)".to_owned(),
                self.smtp_url.as_ref().is_none_or(|url| is_smtp_url(url.reveal())),
                "an address such as `smtps://user:password@host:465`, encrypted where it holds a password",
            ),
            (
                "mail_from",
                self.mail_from.clone().unwrap_or_default(),
                self.mail_from.as_deref().is_none_or(|address| EmailAddress::new(address).is_ok()),
                "an e-mail address",
            ),
            (
                "oidc_issuer",
                self.oidc_issuer.clone().unwrap_or_default(),
                self.oidc_issuer.as_deref().is_none_or(is_encrypted_or_local),
                "an address with `https`, such as `https://accounts.google.com`",
            ),
            (
                "oidc_issuer",
                "set without the other `oidc` settings, or they without it".to_owned(),
                self.has_all_or_no_oidc(),
                "set together with `oidc_client_id` and `oidc_client_secret`",
            ),
            (
                "vin_decoder_url",
                self.vin_decoder_url.clone().unwrap_or_default(),
                self.vin_decoder_url.as_deref().is_none_or(is_encrypted_or_local),
                "an address with `https`, such as `https://vpic.nhtsa.dot.gov/api`",
            ),
        ]
    }

    /// The number of inference threads for a device: the setting, or one on a GPU, or one a core up to 8.
    pub fn effective_engine_threads(&self, device: ComputeDevice) -> usize {
        match self.engine_threads {
            0 if device.is_gpu() => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from).min(8),
            threads => threads,
        }
    }

    /// The largest batch for what an engine says it runs on, such as `CPU` or `CUDA:0`: the setting, or 1 on
    /// a processor and 32 elsewhere.
    pub fn effective_max_batch(&self, provider: &str) -> usize {
        match self.max_batch {
            0 if provider == "CPU" => 1,
            0 => GPU_BATCH,
            max_batch => max_batch,
        }
    }

    /// Where models lie that are not part of the program, one folder each.
    pub fn models_dir(&self) -> PathBuf {
        self.data_dir.join("models")
    }
}

/// Whether a service may have this address. Only one on this machine may do without encryption: whoever changes the
/// answers of a sign-in provider signs in as anybody.
fn is_encrypted_or_local(url: &str) -> bool {
    let after = |prefix: &str| url.strip_prefix(prefix).filter(|rest| !rest.is_empty());
    after("https://").is_some()
        || after("http://").is_some_and(|rest| {
            let host = rest.split('/').next().unwrap_or_default();
            matches!(
                host.rsplit_once(':').map_or(host, |(name, _)| name),
                "localhost" | "127.0.0.1" | "[::1]"
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_of_the_database_is_not_shown() {
        let set = |url: &str| Settings { database_url: Some(DatabaseUrl::new(url)), ..Settings::default() };
        let settings = set("postgres://ann:geheim@db/parts");
        assert_eq!(settings.check(), Ok(()));
        assert!(!format!("{settings:?}").contains("geheim"));
        assert!(serde_json::to_string(&settings).unwrap().contains("postgres://ann:***@db/parts"));
        let error = set("mysql://ann:geheim@db/parts").check().unwrap_err().to_string();
        assert!(error.contains("`database_url` is mysql://ann:***@db/parts"), "{error}");
    }

    #[test]
    fn secrets_are_not_shown() {
        let settings = Settings {
            smtp_url: Some(Secret::new("smtps://ann:geheim@mail.example.com")),
            oidc_client_secret: Some(Secret::new("geheim")),
            ebay_client_secret: Some(Secret::new("geheim")),
            supplier_service_token: Some(Secret::new("geheim")),
            ..Settings::default()
        };
        assert!(!format!("{settings:?}").contains("geheim"));
        assert!(!serde_json::to_string(&settings).unwrap().contains("geheim"));
        let error = Settings { smtp_url: Some(Secret::new("ftp://ann:geheim@x")), ..Settings::default() };
        assert!(!error.check().unwrap_err().to_string().contains("geheim"));
    }

    #[test]
    fn a_sign_in_provider_is_encrypted_or_on_this_machine() {
        let cases = [
            ("https://accounts.google.com", true),
            ("http://localhost:9000/realms/x", true),
            ("http://127.0.0.1:9000", true),
            ("http://[::1]:9000", true),
            ("http://accounts.example.com", false),
            ("http://localhost.example.com", false),
            ("http://127.0.0.1.example.com:80", false),
            ("accounts.google.com", false),
            ("https://", false),
        ];
        for (issuer, expected) in cases {
            assert_eq!(is_encrypted_or_local(issuer), expected, "{issuer}");
        }
    }

    #[test]
    fn the_defaults_are_in_range() {
        assert_eq!(Settings::default().check(), Ok(()));
    }

    #[test]
    fn values_out_of_range_are_named_with_their_rule() {
        type Change = fn(&mut Settings);
        let cases: [(Change, &str); 11] = [
            (|s| s.model = "../other".to_owned(), "`model` is ../other, but it must be a name"),
            (|s| s.max_batch = 5000, "`max_batch` is 5000, but it must be 0 to 1024"),
            (|s| s.queue_capacity = 0, "`queue_capacity` is 0"),
            (|s| s.session_days = 0, "`session_days` is 0"),
            (|s| s.smtp_url = Some(Secret::new("mail.example.com")), "`smtp_url` is (hidden)"),
            (|s| s.mail_from = Some("nobody".to_owned()), "`mail_from` is nobody"),
            (|s| s.oidc_client_id = Some("us".to_owned()), "set together with `oidc_client_id`"),
            (|s| s.vin_decoder_url = Some("http://vin.example.com".to_owned()), "`vin_decoder_url` is http:"),
            (|s| s.session_idle_days = 0, "`session_idle_days` is 0"),
            (|s| s.max_photo_bytes = 10, "`max_photo_bytes` is 10"),
            (|s| s.public_url = Some("parts.example.com".to_owned()), "`public_url` is parts.example.com"),
        ];
        for (change, expected) in cases {
            let mut settings = Settings::default();
            change(&mut settings);
            let message = settings.check().unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn what_is_not_set_follows_the_device() {
        let unset = Settings::default();
        let gpu = ComputeDevice::Cuda(1);
        assert_eq!(unset.effective_engine_threads(gpu), 1);
        assert!((1..=8).contains(&unset.effective_engine_threads(ComputeDevice::Cpu)));
        assert_eq!(unset.effective_max_batch("CPU"), 1);
        assert_eq!(unset.effective_max_batch(&gpu.to_string()), 32);
        let set = Settings { engine_threads: 3, max_batch: 7, ..Settings::default() };
        for device in [gpu, ComputeDevice::Cpu] {
            assert_eq!(set.effective_engine_threads(device), 3);
            assert_eq!(set.effective_max_batch(&device.to_string()), 7);
        }
    }
}
