//! A computer's HTTP client for models, with TLS: what `URLSession` and `HttpURLConnection` are on phones.
//!
//! It is a crate of its own, because phones must not ship it and because its tests should not wait for the rest of
//! `exo-phone` to build. Certificates are the system's, or those that `SSL_CERT_FILE` names, as with exo and curl;
//! proxies come from the environment.
#![forbid(unsafe_code)]

mod authorities;

use std::{io::Read, sync::Arc, time::Duration};

use exo_models::{Fetcher, Flow, Head, Receiver, Request, Unfetched};
use ureq::{
    Agent, ResponseExt,
    config::RedirectAuthHeaders,
    tls::{RootCerts, TlsConfig},
};

/// Hugging Face needs two or three: to the commit, to the store, to the nearest copy.
const MAX_REDIRECTS: u32 = 10;
const CONNECT: Duration = Duration::from_secs(20);
/// Longer than a download waits by itself: this only ends threads that nobody waits for any more.
const SILENCE: Duration = Duration::from_secs(60);
const CHUNK_BYTES: usize = 128 << 10;

/// A client, for any number of threads.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// Without authorities nobody can be believed over `https`: where they were looked for.
    looked_for: Option<String>,
}

impl Client {
    /// A client that believes whom the system believes.
    pub fn new() -> Self {
        let (roots, looked_for) = match authorities::of_the_system() {
            Ok(roots) => (roots, None),
            Err(looked_for) => (Vec::new(), Some(looked_for)),
        };
        let tls = TlsConfig::builder()
            .unversioned_rustls_crypto_provider(Arc::new(rustls_graviola::default_provider()))
            .root_certs(RootCerts::new_with_certs(&roots))
            .build();
        let config = Agent::config_builder()
            .tls_config(tls)
            .http_status_as_error(false)
            .max_redirects(MAX_REDIRECTS)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .user_agent(concat!("exo-mobile/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(SILENCE))
            .timeout_per_read(Some(SILENCE))
            .build();
        Self { agent: config.new_agent(), looked_for }
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new()
    }
}

impl Fetcher for Client {
    fn get(&self, request: &Request, into: &dyn Receiver) -> Result<(), Unfetched> {
        let is_https = request.url.starts_with("https://");
        if let Some(looked_for) = self.looked_for.as_ref().filter(|_| is_https) {
            let help = "install ca-certificates, or name a file in SSL_CERT_FILE";
            return Err(Unfetched(format!(
                "there are no certificates of authorities ({looked_for}); {help}"
            )));
        }
        // What was asked for over https does not come over anything else, whatever a redirect says.
        let mut asked = self.agent.get(&request.url).config().https_only(is_https).build();
        for (name, value) in &request.headers {
            asked = asked.header(name, value);
        }
        let answer = asked.call().map_err(|error| Unfetched(error.to_string()))?;
        let text = |value: &ureq::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let head = Head {
            status: answer.status().as_u16(),
            url: answer.get_uri().to_string(),
            headers: answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
        };
        if into.head(head) == Flow::Stop {
            return Ok(());
        }
        let mut body = answer.into_body().into_reader();
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match body.read(&mut chunk).map_err(|error| Unfetched(error.to_string()))? {
                0 => return Ok(()),
                count if into.chunk(&chunk[..count]) == Flow::Stop => return Ok(()),
                _ => {}
            }
        }
    }
}
