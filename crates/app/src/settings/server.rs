use std::net::{Ipv4Addr, SocketAddr};

use partsight_domain::{EmailAddress, InvalidSetting, Plan, ServiceUrl, settings};
use partsight_providers::is_encrypted_or_private;
use serde::{Deserialize, Serialize};

use super::TrustedProxies;

settings! {
    /// Put a server that others can reach behind a [proxy with TLS](operations/proxy.md).
    /// Its host names and limits on connections: [network](operations/network.md).
    pub struct ServerSettings {
        /// IP address and port that `serve` listens on; `0.0.0.0:8080` accepts connections from other machines.
        "listen" listen: SocketAddr = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
        /// Address that people type. Requests for another host name are refused. With `https`, browsers send the session
        /// cookie only to this host name, and only encrypted.
        "public_url" public_url: Option<String> = None,
            must be "an address without a path, such as `https://parts.example.com`; a name with letters outside \
                     ASCII is written as `xn--...`"
            if |url| url.as_deref().is_none_or(is_host_alone);
        /// Proxies whose `X-Forwarded-For` is trusted: addresses or networks with commas between them, such as
        /// `127.0.0.1, 10.0.0.2`. A client with such an address can pretend to have any other.
        "trusted_proxies" trusted_proxies: TrustedProxies = TrustedProxies::default();
        /// Connections at the same time. One address may have an eighth of them; a trusted proxy may have any number.
        "max_connections" max_connections: usize = 0,
            without "0: 2048, or fewer if the limit of open files is low",
            must be "0, or 16 to 1000000" if |most| *most == 0 || (16..=1_000_000).contains(most);
        /// Address that people write to for help; shown in the app and in its legal texts.
        "support_email" support_email: String = "support@partsight.example".to_owned(),
            must be "an e-mail address" if |address| EmailAddress::new(address).is_ok();
        /// The company that the legal texts name.
        "legal_entity" legal_entity: String = "Partsight LLC".to_owned(),
            must be "1 to 200 characters" if |name| (1..=200).contains(&name.trim().chars().count());
        /// One plan for all users of this server: `basic`, `pro` or `business`.
        "plan" plan: Option<Plan> = None, without "each user's own";
        /// Whether Partsight refuses to start if any setting names a service on another machine. The app shows a notice
        /// while this is set. The database does not count: it is the server's own, and may be on another machine. ONNX
        /// Runtime's own telemetry is always disabled.
        "zero_egress" zero_egress: bool = false;
        /// Log filter, such as `partsight=debug,warn`.
        "log" log: String = "info".to_owned();
        /// Log lines for people (`text`) or for machines (`json`).
        "log_format" log_format: LogFormat = LogFormat::Text;
    }
}

settings! {
    /// Metrics and traces of the server: [monitoring](operations/monitoring.md).
    pub struct MonitoringSettings {
        /// Whether everybody may read `/metrics`. Otherwise only this machine may, and only if neither `public_url` nor
        /// `trusted_proxies` shows that there is a proxy.
        "metrics_public" metrics_public: bool = false;
        /// A second address and port that serves only `/metrics`, and to everybody who can connect to it, such as
        /// `127.0.0.1:9464`. No proxy may lead there.
        "metrics_listen" metrics_listen: Option<SocketAddr> = None;
        /// Address of an OpenTelemetry collector (OTLP over HTTP). Traces hold durations, and nothing about people or
        /// photographs.
        "otlp_endpoint" otlp_endpoint: Option<ServiceUrl> = None, without "no traces",
            must be "an address such as `http://localhost:4318`; `http` only on this machine or in this network"
            if |url| url.as_deref().is_none_or(is_encrypted_or_private);
    }
}

impl ServerSettings {
    /// The public address without a slash at its end; by default the address of this machine.
    pub fn effective_public_url(&self) -> String {
        match &self.public_url {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => format!("http://localhost:{}", self.listen.port()),
        }
    }
}

/// Whether it is a scheme and a host, as browsers send it, with or without a port: under anything else no request would be
/// known as one for this server.
fn is_host_alone(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_of_hosts = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    host.map(|host| host.trim_end_matches('/'))
        .is_some_and(|host| !host.is_empty() && !host.starts_with(':') && host.bytes().all(is_of_hosts))
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum LogFormat {
    /// Plain text, to be read by people.
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
            _ => Err(InvalidSetting { name: "log_format", found: name, expected: "`text` or `json`".into() }),
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
