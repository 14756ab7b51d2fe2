//! The one HTTP client for all outgoing calls.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use openidconnect::{AsyncHttpClient, HttpRequest, HttpResponse, http};
use reqwest::Client;
use reqwest::redirect::Policy;

use crate::Error;

/// How long a call may take in all. A person waits for it.
const CALL_LIMIT: Duration = Duration::from_secs(10);
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// A client for services that we are told to call, whose answers are read up to a limit.
#[derive(Debug, Clone)]
pub(crate) struct OutgoingCalls {
    client: Client,
    max_answer_bytes: usize,
}

/// Says which cryptography encrypts: clients are built without one of their own, and panic without one. A second
/// call finds the first one's choice and leaves it.
pub(crate) fn choose_cryptography() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallError {
    #[error("call a service")]
    Call(#[from] reqwest::Error),
    #[error("the answer is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the answer is no HTTP")]
    Malformed(#[from] http::Error),
}

impl OutgoingCalls {
    /// A client that follows no redirect: an address from outside must not lead it into our own network.
    pub(crate) fn new(max_answer_bytes: usize) -> Result<Self, Error> {
        choose_cryptography();
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(CALL_LIMIT)
            .connect_timeout(CONNECT_LIMIT)
            .user_agent(concat!("partsight/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|source| Error::HttpClient { source })?;
        Ok(Self { client, max_answer_bytes })
    }

    async fn answer(&self, request: HttpRequest) -> Result<HttpResponse, CallError> {
        let mut answer = self.client.execute(request.try_into()?).await?;
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > self.max_answer_bytes {
                return Err(CallError::TooLarge { limit: self.max_answer_bytes });
            }
            body.extend_from_slice(&chunk);
        }
        let mut builder = http::Response::builder().status(answer.status());
        for (name, value) in answer.headers() {
            builder = builder.header(name, value);
        }
        Ok(builder.body(body)?)
    }
}

impl<'c> AsyncHttpClient<'c> for OutgoingCalls {
    type Error = CallError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, CallError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.answer(request))
    }
}
