//! A computer's HTTP client for models, with TLS: what `URLSession` and `HttpURLConnection` are on phones.
//!
//! It is a crate of its own, because phones must not ship it and because its tests should not wait for the rest of
//! `exo-phone` to build. Certificates are the system's, or those that `SSL_CERT_FILE` names, as with exo and curl;
//! proxies come from the environment.
#![forbid(unsafe_code)]

mod authorities;
mod redirect;

use std::{io::Read, sync::Arc, time::Duration};

use exo_models::{Fetcher, Flow, Head, Receiver, Request, Unfetched};
use ureq::{
    Agent, Body,
    http::{HeaderValue, Response},
    tls::{RootCerts, TlsConfig},
};

const CONNECT: Duration = Duration::from_secs(20);
/// Longer than a download waits by itself: this only ends threads that nobody waits for any more.
const SILENCE: Duration = Duration::from_mins(1);
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
            .max_redirects(0)
            .max_redirects_will_error(false)
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

impl Client {
    /// The answer that is not another address, and where it came from.
    fn answer(&self, request: &Request) -> Result<(String, Response<Body>), Unfetched> {
        let mut url = request.url.clone();
        for _ in 0..=redirect::MOST {
            let answer = self.ask(request, &url)?;
            let location =
                answer.headers().get("Location").filter(|_| redirect::is_one(answer.status().as_u16()));
            match location.map(text) {
                None => return Ok((url, answer)),
                Some(location) => {
                    url = redirect::target(&url, &location).map_err(|why| Unfetched(why.into()))?;
                }
            }
        }
        Err(Unfetched(format!("more than {} redirects", redirect::MOST)))
    }

    fn ask(&self, request: &Request, url: &str) -> Result<Response<Body>, Unfetched> {
        if let Some(looked_for) = self.looked_for.as_ref().filter(|_| url.starts_with("https:")) {
            let help = "install ca-certificates, or name a file in SSL_CERT_FILE";
            return Err(Unfetched(format!(
                "there are no certificates of authorities ({looked_for}); {help}"
            )));
        }
        let mut asked = self.agent.get(url);
        for (name, value) in &request.headers {
            if !name.eq_ignore_ascii_case("Authorization") || redirect::is_same_origin(&request.url, url) {
                asked = asked.header(name, value);
            }
        }
        asked.call().map_err(|error| Unfetched(error.to_string()))
    }
}

impl Fetcher for Client {
    fn get(&self, request: &Request, into: &Arc<dyn Receiver>) -> Result<(), Unfetched> {
        let (url, answer) = self.answer(request)?;
        let headers = answer.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        if into.head(Head { status: answer.status().as_u16(), url, headers }) == Flow::Stop {
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

fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}
