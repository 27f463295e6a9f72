//! A tiny model through the surface, as the languages see it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use exo_engine::tiny;
use exo_gpu::BackendKind;

use super::*;
use crate::{ErrorKind, Result, gpu::GpuOptions, waiting::wait_for};

const MODEL: &str = "exo-mobile/tiny-random";

/// A directory of the test's own, with the tiny model in it.
struct Shelf(PathBuf);

impl Shelf {
    fn new() -> Self {
        let test = thread::current().name().unwrap_or("main").replace(':', "-");
        let root = std::env::temp_dir().join(format!("exo-mobile-{test}-{}", std::process::id()));
        tiny::write(&root.join("exo-mobile--tiny-random"), 7).unwrap();
        Self(root)
    }

    fn host(&self) -> ModelHost {
        opened(&self.0).unwrap()
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn opened(directory: &Path) -> Result<ModelHost> {
    let gpu = Some(GpuOptions { backend: Some(BackendKind::Cpu), ..GpuOptions::default() });
    let directory = directory.to_str().unwrap().to_owned();
    wait_for(ModelHost::open(ModelHostOptions { directory, gpu, context: 2048 }))
}

fn loaded(host: &ModelHost) -> Arc<Model> {
    let loading = host.load(MODEL).unwrap();
    while wait_for(loading.next()).unwrap().is_some() {}
    loading.model().unwrap()
}

fn question(tokens: u32) -> Question {
    let message = ChatMessage { role: Role::User, content: "What is rain?".into() };
    Question {
        messages: vec![message],
        max_tokens: Some(tokens),
        temperature: Some(0.0),
        top_p: None,
        top_k: None,
        min_p: None,
        seed: None,
        stop: Vec::new(),
        thinking: None,
    }
}

#[test]
fn a_model_is_listed_with_its_cost_loaded_with_progress_and_answers() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let models = wait_for(host.models()).unwrap();
    assert_eq!(models.len(), 1);
    let listed = &models[0];
    assert_eq!((listed.id.as_str(), listed.is_loaded, listed.is_offered), (MODEL, false, false));
    assert!(listed.bytes > 100_000 && listed.memory.is_some() && listed.refusal.is_none());

    let loading = host.load(MODEL).unwrap();
    assert_eq!(loading.model().unwrap_err().kind(), ErrorKind::InvalidArgument, "it is not there yet");
    let mut last = None;
    while let Some(progress) = wait_for(loading.next()).unwrap() {
        last = Some(progress);
    }
    assert_eq!(last, Some(LoadProgress { layers: 3, of: 3 }));
    let model = loading.model().unwrap();
    assert_eq!(Some(model.memory().unwrap()), listed.memory, "what was told is what it costs");

    let answer = model.ask(question(6)).unwrap();
    let (mut text, mut read, mut ended) = (String::new(), 0, None);
    while let Some(piece) = wait_for(answer.next()).unwrap() {
        match piece {
            AnswerPiece::Reading { done, total } => read = (done == total).then_some(total).unwrap(),
            AnswerPiece::Text { text: more, .. } => text.push_str(&more),
            AnswerPiece::End { end } => ended = Some(end),
        }
    }
    let end = ended.unwrap();
    assert!(!text.is_empty());
    assert_eq!((end.prompt_tokens, end.completion_tokens, end.finish), (read, 6, Finish::Length));
    assert!(end.first_after <= end.took);
    model.shut().unwrap();
    model.shut().unwrap();
    assert_eq!(model.ask(question(1)).unwrap_err().kind(), ErrorKind::Closed);
}

#[test]
fn an_answer_that_is_cancelled_ends_without_an_error_and_the_next_is_answered() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let model = loaded(&host);
    let answer = model.ask(question(1500)).unwrap();
    assert!(wait_for(answer.next()).unwrap().is_some());
    let waiting = answer.clone();
    let pieces = thread::spawn(move || {
        let mut count = 0;
        while wait_for(waiting.next()).unwrap().is_some() {
            count += 1;
        }
        count
    });
    answer.cancel().unwrap();
    answer.cancel().unwrap();
    assert!(pieces.join().unwrap() < 1500);
    let next = model.ask(question(3)).unwrap();
    while wait_for(next.next()).unwrap().is_some() {}
}

#[test]
fn a_load_that_is_cancelled_says_so_and_leaves_nothing() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let loading = host.load(MODEL).unwrap();
    loading.cancel().unwrap();
    loading.cancel().unwrap();
    let error = wait_for(async {
        loop {
            if let Err(error) = loading.next().await {
                return error;
            }
        }
    });
    assert!(matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Closed), "{error}");
    host.inner().unwrap().settle();
    assert_eq!(host.used().unwrap(), 0);
}

#[test]
fn what_is_not_there_and_what_is_no_name_are_refused_by_kind() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let missing = wait_for(host.load("a/b").unwrap().next()).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert!(missing.reason().contains(MODEL), "it says what there is: {missing}");
    assert_eq!(host.load("../up").unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(host.offer(vec!["../up".into()]).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn nothing_is_offered_until_the_owner_says_so() {
    let shelf = Shelf::new();
    let host = shelf.host();
    assert_eq!(host.offered().unwrap(), Vec::<String>::new());
    host.offer(vec![MODEL.into()]).unwrap();
    assert_eq!(host.offered().unwrap(), [MODEL]);
    assert!(wait_for(host.models()).unwrap()[0].is_offered);
}

#[test]
fn a_model_that_is_let_go_of_ends_its_answers_and_says_what_happened() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let model = loaded(&host);
    let answer = model.ask(question(1500)).unwrap();
    model.shut().unwrap();
    let error = wait_for(async {
        loop {
            if let Err(error) = answer.next().await {
                return error;
            }
        }
    });
    assert_eq!(error.kind(), ErrorKind::Closed);
}

#[test]
fn a_closed_host_ends_its_answers_and_says_what_happened() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let model = loaded(&host);
    let answer = model.ask(question(1500)).unwrap();
    host.shut().unwrap();
    host.shut().unwrap();
    let error = wait_for(async {
        loop {
            if let Err(error) = answer.next().await {
                return error;
            }
        }
    });
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(host.load(MODEL).unwrap_err().kind(), ErrorKind::Closed);
}

/// A client with the files of a model in its head: it answers like a server with Hugging Face's addresses.
struct Remembered {
    files: Vec<(String, Vec<u8>)>,
    /// Cuts every answer after so many bytes, until it has cut so many.
    cuts: std::sync::atomic::AtomicU32,
}

impl Remembered {
    /// The files of the tiny model.
    fn tiny(cuts: u32) -> Arc<Self> {
        let shelf = Shelf::new();
        let directory = shelf.0.join("exo-mobile--tiny-random");
        let files = std::fs::read_dir(directory).unwrap().map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
        });
        Arc::new(Self { files: files.collect(), cuts: cuts.into() })
    }

    fn list(&self) -> Vec<u8> {
        let files = self.files.iter().map(|(name, bytes)| {
            format!(
                r#"{{"type": "file", "path": "{name}", "size": {}, "oid": "{}"}}"#,
                bytes.len(),
                git_hash(bytes)
            )
        });
        format!("[{}]", files.collect::<Vec<_>>().join(", ")).into_bytes()
    }
}

/// What git calls these bytes: a server tells it of each file.
fn git_hash(bytes: &[u8]) -> String {
    use sha1::{Digest, Sha1};
    let mut hash = Sha1::new();
    hash.update(format!("blob {}\0", bytes.len()));
    hash.update(bytes);
    let words = hash.finalize();
    words.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

impl crate::platform::Fetcher for Remembered {
    fn get(
        &self,
        request: crate::platform::FetchRequest,
        into: Arc<crate::platform::FetchReceiver>,
    ) -> Result<()> {
        use std::sync::atomic::Ordering;
        let listed = request.url.contains("/api/models/");
        let name = request.url.rsplit('/').next().unwrap().to_owned();
        let body = if listed { Some(self.list()) } else { None };
        let known = self.files.iter().find(|(file, _)| *file == name).map(|(_, bytes)| bytes.clone());
        let Some(whole) = body.or(known) else {
            into.head(404, request.url, Vec::new())?;
            return Ok(());
        };
        let range = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("range"));
        let from: usize = range
            .and_then(|header| header.value.strip_prefix("bytes=")?.split('-').next()?.parse().ok())
            .unwrap_or(0);
        let header = |name: &str, value: String| crate::platform::HttpHeader { name: name.into(), value };
        let mut headers = vec![header("content-length", (whole.len() - from).to_string())];
        if range.is_some() {
            headers
                .push(header("content-range", format!("bytes {from}-{}/{}", whole.len() - 1, whole.len())));
        }
        if !into.head(if range.is_some() { 206 } else { 200 }, request.url, headers)? {
            return Ok(());
        }
        let is_cut = !listed
            && self
                .cuts
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
                .is_ok();
        let end = if is_cut { from + (whole.len() - from) / 2 } else { whole.len() };
        for chunk in whole[from..end].chunks(64 << 10) {
            let mut why = [0; 64];
            let handle = into.handle()?;
            // SAFETY: both pointers are to memory of ours, of the lengths that are told.
            let told = unsafe {
                crate::bytes::c::exo_receiver_chunk(
                    handle,
                    chunk.as_ptr(),
                    chunk.len() as u64,
                    why.as_mut_ptr(),
                    64,
                )
            };
            if told != 0 {
                return Ok(());
            }
        }
        if is_cut { Err(crate::ExoError::new(ErrorKind::Unreachable, "cut on purpose")) } else { Ok(()) }
    }

    fn cancel(&self, _: u64) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_model_is_fetched_through_the_apps_own_client_though_its_answers_are_cut_and_can_then_be_asked() {
    let root = std::env::temp_dir().join(format!("exo-mobile-fetched-{}", std::process::id()));
    let host = opened(&root).unwrap();
    assert_eq!(wait_for(host.models()).unwrap(), []);
    let fetching = host.fetch(MODEL, Remembered::tiny(3), FetchOptions::default()).unwrap();
    let mut last = None;
    while let Some(progress) = wait_for(fetching.next()).unwrap() {
        last = Some(progress);
    }
    let last = last.unwrap();
    assert_eq!(wait_for(fetching.next()).unwrap(), None, "and nothing more");
    assert!(last.done == last.total && last.files_done == last.files && last.files >= 4, "{last:?}");
    assert!(wait_for(host.models()).unwrap()[0].memory.is_some());
    let model = loaded(&host);
    let busy = wait_for(host.delete(MODEL.into())).unwrap_err();
    assert!(busy.reason().contains("let go of it first"), "{busy}");
    let answer = model.ask(question(2)).unwrap();
    while wait_for(answer.next()).unwrap().is_some() {}
    model.shut().unwrap();
    drop(answer);
    host.inner().unwrap().settle();
    assert!(wait_for(host.delete(MODEL.into())).unwrap());
    assert!(!wait_for(host.delete(MODEL.into())).unwrap());
    let _ = std::fs::remove_dir_all(root);
}

#[test]
fn the_cluster_brings_models_here_only_while_its_owner_gives_a_client_and_offers_them() {
    let root = std::env::temp_dir().join(format!("exo-mobile-for-cluster-{}", std::process::id()));
    let host = opened(&root).unwrap();
    let (inner, options) = (host.inner().unwrap(), FetchOptions::default());
    assert_eq!(inner.fetches(), 0, "that is how it begins");
    host.fetch_for_cluster(Some(Remembered::tiny(0)), options.clone(), false).unwrap();
    assert_eq!(inner.fetches(), 0, "nothing is offered");
    host.offer(vec![MODEL.into()]).unwrap();
    assert!(inner.fetches() > 0);
    let (tell, told) = std::sync::mpsc::channel();
    let model = exo_wire::ModelId::parse(MODEL).unwrap();
    let _delivery = inner.fetch(&model, move |news| drop(tell.send(news)));
    while !matches!(told.recv().unwrap(), exo_serving::FetchNews::Here) {}
    assert_eq!(wait_for(host.models()).unwrap()[0].id, MODEL, "it is there for the app's own chats too");
    assert_eq!(inner.fetches(), 0, "all that is offered is here");
    host.fetch_for_cluster(Some(Remembered::tiny(0)), options.clone(), true).unwrap();
    assert!(inner.fetches() > 0, "any other may come");
    host.fetch_for_cluster(None, options, false).unwrap();
    assert_eq!(inner.fetches(), 0);
    let nowhere = FetchOptions { base: Some("nowhere".into()), token: None };
    let error = host.fetch_for_cluster(None, nowhere, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let _ = std::fs::remove_dir_all(root);
}

#[test]
fn a_model_that_no_server_has_and_a_server_that_is_none_are_refused_by_kind() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let nobody = Arc::new(Remembered { files: Vec::new(), cuts: 0.into() });
    let fetching = host.fetch("a/b", nobody.clone(), FetchOptions::default()).unwrap();
    let error = wait_for(async {
        loop {
            if let Err(error) = fetching.next().await {
                return error;
            }
        }
    });
    assert!(matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Unsupported), "{error}");
    assert_eq!(wait_for(fetching.next()).unwrap_err(), error, "whoever asks again hears the same");
    let base = FetchOptions { base: Some("ftp://there".into()), token: None };
    assert_eq!(host.fetch("a/b", nobody, base).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_load_that_failed_says_so_to_whoever_asks_again() {
    let shelf = Shelf::new();
    let host = shelf.host();
    std::fs::write(shelf.0.join("exo-mobile--tiny-random/model.safetensors"), b"no weights").unwrap();
    let loading = host.load(MODEL).unwrap();
    let error = wait_for(loading.next()).unwrap_err();
    assert_eq!(wait_for(loading.next()).unwrap_err(), error);
    assert_eq!(loading.model().unwrap_err(), error);
}

#[test]
fn what_is_asked_for_is_not_deleted_though_it_is_not_loaded_yet() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let loading = host.load(MODEL).unwrap();
    let error = wait_for(host.delete(MODEL.into())).unwrap_err();
    assert!(error.reason().contains("let go of it first"), "{error}");
    loading.cancel().unwrap();
    assert!(wait_for(host.delete(MODEL.into())).unwrap());
}

/// A client whose server says nothing until it is told to.
struct Silent(std::sync::Mutex<std::sync::mpsc::Receiver<()>>);

impl crate::platform::Fetcher for Silent {
    fn get(&self, _: crate::platform::FetchRequest, _: Arc<crate::platform::FetchReceiver>) -> Result<()> {
        let _ = self.0.lock().unwrap().recv();
        Err(crate::ExoError::new(ErrorKind::Unreachable, "nobody spoke"))
    }

    fn cancel(&self, _: u64) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_host_that_is_closed_ends_its_downloads() {
    let shelf = Shelf::new();
    let host = shelf.host();
    let (end_of_silence, silence) = std::sync::mpsc::channel();
    let fetching = host.fetch("a/b", Arc::new(Silent(silence.into())), FetchOptions::default()).unwrap();
    host.shut().unwrap();
    let error = wait_for(async {
        loop {
            if let Err(error) = fetching.next().await {
                return error;
            }
        }
    });
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    drop(end_of_silence);
}

#[test]
fn downloads_that_share_a_client_never_share_the_id_of_a_request() {
    #[derive(Default)]
    struct Empty(std::sync::Mutex<Vec<u64>>);

    impl crate::platform::Fetcher for Empty {
        fn get(
            &self,
            request: crate::platform::FetchRequest,
            into: Arc<crate::platform::FetchReceiver>,
        ) -> Result<()> {
            self.0.lock().unwrap().push(request.id);
            into.head(404, request.url, Vec::new()).map(drop)
        }

        fn cancel(&self, _: u64) -> Result<()> {
            Ok(())
        }
    }

    let (shelf, client) = (Shelf::new(), Arc::new(Empty::default()));
    let host = shelf.host();
    for model in ["a/b", "c/d"] {
        let fetching = host.fetch(model, client.clone(), FetchOptions::default()).unwrap();
        while wait_for(fetching.next()).is_ok_and(|told| told.is_some()) {}
    }
    let ids = client.0.lock().unwrap().clone();
    let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
    assert!(ids.len() >= 2 && distinct.len() == ids.len(), "{ids:?}");
}
