//! Traces of requests for a collector that speaks OTLP over HTTP.
//!
//! The program creates spans with `tracing`; this module sends them to the configured collector. They are batched
//! and sent on a separate thread: a slow or absent collector delays nothing, and spans that it does not accept are
//! lost.

use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::Error;
use crate::egress::is_on_this_machine;
use crate::http::{CallOptions, OutgoingCalls};

/// Path of the collector below the configured address (OTLP 1.10, section "OTLP/HTTP Request").
const TRACES_PATH: &str = "/v1/traces";
/// Time limit of one export, and of the last one when the server stops.
const EXPORT_LIMIT: Duration = Duration::from_secs(5);
/// Largest answer that is read, in bytes: it only says how many spans were refused.
const MAX_ANSWER_BYTES: usize = 64 * 1024;
/// Prefix of the targets that are exported: the spans of libraries say little about requests.
const OUR_TARGETS: &str = "partsight";

/// Sends spans to a collector until it is closed.
pub struct TraceExport {
    provider: SdkTracerProvider,
}

impl TraceExport {
    /// Prepares to export to the collector at `endpoint`, such as `http://localhost:4318`; nothing is sent yet. Must
    /// be called in a tokio runtime, which makes the requests.
    ///
    /// # Errors
    /// [`Error::HttpClient`], [`Error::TraceExport`].
    pub fn start(endpoint: &str) -> Result<Self, Error> {
        let calls = OutgoingCalls::with(CallOptions {
            max_answer_bytes: MAX_ANSWER_BYTES,
            timeout: EXPORT_LIMIT,
            is_direct: is_on_this_machine(endpoint),
        })?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Collector { calls, runtime: Handle::current() })
            .with_endpoint(format!("{}{TRACES_PATH}", endpoint.trim_end_matches('/')))
            .with_timeout(EXPORT_LIMIT)
            .build()
            .map_err(|source| Error::TraceExport(Box::new(source)))?;
        // Only our own attributes: the environment could add names of people and machines.
        let resource = Resource::builder_empty()
            .with_attributes([
                KeyValue::new("service.name", "partsight"),
                KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
            ])
            .build();
        let provider =
            SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        Ok(Self { provider })
    }

    /// The layer for the program's subscriber. It sees our own spans, and no log lines.
    pub fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.provider.tracer("partsight"))
            // Source locations, threads and idle times would be most of the exported data.
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(|metadata| {
                metadata.is_span() && metadata.target().starts_with(OUR_TARGETS)
            }))
    }

    /// Sends the remaining spans and stops. Blocks for some seconds at most.
    pub fn close(&self) {
        if let Err(error) = self.provider.shutdown_with_timeout(EXPORT_LIMIT) {
            tracing::warn!(error = &error as &dyn std::error::Error, "the last traces could not be sent");
        }
    }
}

impl fmt::Debug for TraceExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TraceExport")
    }
}

/// Makes `span` part of the trace in a `traceparent` header (W3C Trace Context). Does nothing for a malformed
/// header, or if traces are off.
pub fn continue_trace(span: &Span, traceparent: &str) {
    let headers = HashMap::from([("traceparent".to_owned(), traceparent.to_owned())]);
    let parent = TraceContextPropagator::new().extract(&headers);
    // Fails without an exporting layer, which is fine.
    let _ = span.set_parent(parent);
}

/// Makes the requests of the exporter, whose thread is outside the runtime.
#[derive(Debug)]
struct Collector {
    calls: OutgoingCalls,
    runtime: Handle,
}

/// The return type that `async_trait` gives to the trait's only method.
type Answer<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for Collector {
    fn send_bytes<'client, 'answer>(&'client self, request: Request<Bytes>) -> Answer<'answer>
    where
        'client: 'answer,
        Self: 'answer,
    {
        let calls = self.calls.clone();
        // Spawned on the runtime, since the client needs its timers and sockets.
        let call = self.runtime.spawn(async move { calls.answer(request.map(|body| body.to_vec())).await });
        Box::pin(async move { Ok(call.await??.map(Bytes::from)) })
    }
}
