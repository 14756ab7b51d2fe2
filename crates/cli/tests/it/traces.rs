//! The traces of requests, as a collector gets them that speaks OTLP over HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;

use crate::Program;
use crate::serve::Server;

/// Listens as a collector does. Each request line and body is handed over as it comes.
fn collector() -> (String, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, received) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let sender = sender.clone();
            thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                loop {
                    let mut head = Vec::new();
                    while let Some(line) = (&mut reader).lines().next().transpose().unwrap_or_default()
                        && !line.is_empty()
                    {
                        head.push(line);
                    }
                    let Some(request) = head.first() else { return };
                    let length = head.iter().find_map(|line| {
                        let (name, value) = line.split_once(':')?;
                        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
                    });
                    let mut body = vec![0; length.unwrap_or(0)];
                    reader.read_exact(&mut body).unwrap();
                    // The test may have what it wants.
                    let _ = sender.send((request.clone(), body));
                    stream
                        .write_all(
                            b"HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: 0\r\n\r\n",
                        )
                        .unwrap();
                }
            });
        }
    });
    (address, received)
}

fn text(span: &Span, name: &str) -> String {
    let value = span.attributes.iter().find(|attribute| attribute.key == name);
    match value.and_then(|attribute| attribute.value.as_ref()?.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        other => panic!("`{name}` is {other:?} in {span:?}"),
    }
}

#[tokio::test]
async fn a_scan_is_a_trace_with_a_span_for_each_stage() {
    let (address, received) = collector();
    let program = Program::new()
        .with("PARTSIGHT_OTLP_ENDPOINT", &address)
        .with("PARTSIGHT_ZERO_EGRESS", "true")
        .with("PARTSIGHT_TRUSTED_PROXIES", "127.0.0.1");
    let server = Server::start(&program);
    server.sign_up().await;
    server.add_vehicle("Civic").await;
    let trace_id = "0af7651916cd43dd8448eb211c80319c";
    let answer =
        server.identify_with("rim", &[("traceparent", &format!("00-{trace_id}-b7ad6b7169203331-01"))]).await;
    assert_eq!(answer["identification"]["label"], "rim", "{answer}");
    let (code, log) = server.terminate();
    assert_eq!(code, Some(0), "{log}");

    let (mut spans, mut bytes) = (Vec::new(), Vec::new());
    for (request, body) in received.try_iter() {
        assert_eq!(request, "POST /v1/traces HTTP/1.1");
        let export = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
        for resource in export.resource_spans {
            let of = resource.resource.unwrap().attributes;
            let mut names: Vec<_> = of.iter().map(|attribute| attribute.key.as_str()).collect();
            // The exporter keeps them in no order.
            names.sort_unstable();
            assert_eq!(names, ["service.name", "service.version"]);
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
        bytes.extend(body);
    }
    let request = spans.iter().find(|span| span.name == "POST /api/identify").unwrap();
    assert_eq!(hex::encode(&request.trace_id), trace_id, "the trace of the proxy goes on");
    assert_eq!(text(request, "http.request.method"), "POST");
    assert_eq!(text(request, "http.route"), "/api/identify");
    assert_eq!(text(request, "http.response.status_code"), "200");
    let stages: BTreeMap<&str, &Span> = spans
        .iter()
        .filter(|span| span.parent_span_id == request.span_id)
        .map(|span| (span.name.as_str(), span))
        .collect();
    for name in ["decode", "preprocess", "queue", "inference", "search", "judge", "store"] {
        let span = stages.get(name).unwrap_or_else(|| panic!("no span `{name}` among {stages:?}"));
        assert_eq!(span.trace_id, request.trace_id);
        assert!(span.start_time_unix_nano >= request.start_time_unix_nano, "{span:?}");
        assert!(span.end_time_unix_nano <= request.end_time_unix_nano, "{span:?}");
    }
    // Nothing of whom it was about. The bare name would be found in the module `scanning`.
    for secret in ["ann@example.com", "Civic", "partsight_session"] {
        assert!(!String::from_utf8_lossy(&bytes).contains(secret), "{secret}");
    }
}

#[test]
fn under_zero_egress_a_collector_elsewhere_is_refused() {
    let program = Program::new()
        .with("PARTSIGHT_OTLP_ENDPOINT", "https://traces.example.com")
        .with("PARTSIGHT_ZERO_EGRESS", "true");
    let outcome = program.run(&["serve", "--data-dir", "data"]);
    assert_ne!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("`zero_egress` is true beside `otlp_endpoint`"), "{outcome:?}");
}
