//! Memory that runs short while a model answers: what is given back, and what stays true.
#![allow(clippy::unwrap_used, clippy::panic)]

mod scene;

use std::collections::BTreeMap;

use exo_engine::{
    CacheType, ErrorKind, Happened, JobId, LoadOptions, ReliefStep, sampling::Draws, text::Moment,
    tiny::Family,
};
use exo_gpu::{BackendKind, Gpu, OpenOptions};
use scene::{Replies, Scene, note, options, request};

const FAMILIES: [Family; 3] = [Family::Llama, Family::Remembering, Family::Sliding];

/// A prompt of several pages.
fn long(word: &str) -> String {
    format!("{word} by the river ").repeat(8)
}

fn small(context: u32) -> LoadOptions {
    LoadOptions { cache: CacheType::Q8, ..options(context, 4) }
}

/// Relieves until this step was taken.
fn relieve_until(scene: &mut Scene, step: ReliefStep) {
    for _ in 0..100 {
        if scene.engine.relieve().unwrap().step == step {
            return;
        }
    }
    panic!("{step:?} was never taken");
}

#[test]
fn relief_gives_bytes_back_to_the_system_and_counts_them() {
    for family in FAMILIES {
        let mut scene = Scene::of(family, 1024, 4);
        scene.reply(&long("stone"), 10);
        let (used, memory) = (scene.used(), scene.engine.model().memory().total());
        let relief = scene.engine.relieve().unwrap();
        assert_eq!(relief.step, ReliefStep::DroppedPrefixes);
        assert!(relief.freed > 0);
        assert_eq!(scene.used(), used - relief.freed, "{family:?}");
        assert_eq!(scene.engine.model().memory().total(), memory - relief.freed, "{family:?}");
        assert_eq!(scene.unload(), 0, "{family:?}");
    }
}

#[test]
fn on_a_gpu_bytes_come_back_and_answers_stay() {
    let backend = if cfg!(target_vendor = "apple") { BackendKind::Metal } else { BackendKind::Vulkan };
    for family in FAMILIES {
        let open = OpenOptions::new().backend(backend).data_dir(scene::place("gpu"));
        let gpu = Gpu::open(open).unwrap_or_else(|error| panic!("run ./scripts/setup gpu\n{error}"));
        let mut scene = Scene::on(gpu, family, &options(1024, 4));
        let first = scene.reply(&long("stone"), 30);
        let again = scene.ask(&long("stone"), 30);
        let mut replies = Replies::new();
        while !scene.engine.is_idle() {
            let used = scene.used();
            let relief = scene.engine.relieve().unwrap();
            assert_eq!(scene.used(), used - relief.freed, "{family:?}");
            scene.step(&mut replies);
            scene.engine.recover().unwrap();
        }
        assert_eq!(replies[&again].0, first, "{family:?}");
        assert_eq!(scene.device().substituted(), 0);
        scene.device().close();
    }
}

#[test]
fn the_steps_come_in_order_from_the_gentlest_on() {
    let mut scene = Scene::with(1024);
    scene.reply(&long("stone"), 10);
    let mut steps: Vec<_> = (0..12).map(|_| scene.engine.relieve().unwrap().step).collect();
    steps.dedup();
    let order = [
        ReliefStep::DroppedPrefixes,
        ReliefStep::SmallerCache,
        ReliefStep::RefusesWork,
        ReliefStep::NothingLeft,
    ];
    assert_eq!(steps, order);
    let pressure = scene.engine.pressure();
    assert!(pressure.uses_smaller_cache && pressure.refuses_work);
    assert!(pressure.held < pressure.planned / 16, "{pressure:?}");
}

#[test]
fn a_model_that_has_the_smallest_cache_already_goes_on_to_refusing() {
    let mut scene = Scene::loaded(Family::Llama, &small(1024));
    let steps = [(); 3].map(|()| scene.engine.relieve().unwrap().step);
    assert_eq!(steps, [ReliefStep::DroppedPrefixes, ReliefStep::RefusesWork, ReliefStep::NothingLeft]);
}

#[test]
fn beginnings_that_were_used_last_are_the_last_to_go() {
    let (old, new) = (long("old"), long("new"));
    let reused = [&old, &new].map(|again| {
        let mut scene = Scene::with(1024);
        scene.reply(&old, 4);
        scene.reply(&new, 4);
        assert_eq!(scene.engine.relieve().unwrap().step, ReliefStep::DroppedPrefixes);
        let job = scene.ask(again, 4);
        scene.replies()[&job].1
    });
    assert!(reused[0] < 64 && reused[1] >= 96, "{reused:?} tokens were known");
}

#[test]
fn texts_that_run_are_not_disturbed_by_relief_in_every_step() {
    let prompts = ["stone", "water", "wind"].map(long);
    for family in FAMILIES {
        let alone = prompts.each_ref().map(|prompt| Scene::of(family, 1024, 1).reply(prompt, 40));
        let mut scene = Scene::of(family, 1024, 4);
        let mut replies = Replies::new();
        let [first, second, third] = prompts.each_ref();
        // Gaps in the cache, so that something has to move.
        let gone =
            [scene.ask(&long("gone"), 40), scene.ask(first, 40), scene.ask(second, 40), scene.ask(third, 40)];
        let [gone, jobs @ ..] = gone;
        while !replies.contains_key(&jobs[2]) {
            scene.step(&mut replies);
        }
        while !scene.engine.is_idle() {
            scene.engine.relieve().unwrap();
            scene.engine.cancel(gone);
            scene.step(&mut replies);
        }
        assert_eq!(jobs.map(|job| replies[&job].0.clone()), alone, "{family:?}");
    }
}

#[test]
fn texts_that_begin_later_have_the_answers_of_a_model_with_a_small_cache() {
    for family in FAMILIES {
        let (running, later) = (long("stone"), long("water"));
        let full = Scene::of(family, 1024, 4).reply(&running, 60);
        let mut of_small = Scene::loaded(family, &small(1024));
        let expected = of_small.reply(&later, 30);
        let mut scene = Scene::of(family, 1024, 4);
        let running = scene.ask(&running, 60);
        let mut replies = Replies::new();
        for _ in 0..4 {
            scene.step(&mut replies);
        }
        relieve_until(&mut scene, ReliefStep::SmallerCache);
        let later = scene.ask(&later, 30);
        while !scene.engine.is_idle() {
            scene.step(&mut replies);
        }
        assert_eq!(replies[&running].0, full, "{family:?}");
        assert_eq!(replies[&later].0, expected, "{family:?}");
    }
}

#[test]
fn the_small_cache_takes_less_and_goes_when_nobody_needs_it() {
    // F32 takes 64 bytes a head here, 8 bits and a scale 20.
    let [full, small] = [ReliefStep::DroppedPrefixes, ReliefStep::SmallerCache].map(|step| {
        let mut scene = Scene::with(1024);
        relieve_until(&mut scene, step);
        let before = scene.used();
        scene.reply(&long("stone"), 30);
        let taken = scene.used() - before;
        scene.engine.recover().unwrap();
        let is_left = scene.used() > before;
        assert_eq!(is_left, step == ReliefStep::DroppedPrefixes, "recovery gives the small cache back");
        assert_eq!(scene.unload(), 0);
        taken
    });
    assert!(2 * small < full, "{small} and {full} bytes");
}

#[test]
fn new_work_is_refused_with_what_to_do_and_running_work_goes_on() {
    let prompt = long("stone");
    let alone = Scene::with(1024).reply(&prompt, 40);
    let mut scene = Scene::with(1024);
    let running = scene.ask(&prompt, 40);
    let mut replies = Replies::new();
    scene.step(&mut replies);
    relieve_until(&mut scene, ReliefStep::RefusesWork);
    let refusal = scene.engine.submit(&request("more", 4), Moment::from_unix(0)).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::UnderPressure);
    assert!(refusal.to_string().contains("1 go on; ask again later"), "{refusal}");
    while !scene.engine.is_idle() {
        scene.step(&mut replies);
    }
    assert_eq!(replies[&running].0, alone);
    scene.engine.recover().unwrap();
    assert_eq!(scene.reply(&prompt, 40), alone, "after recovery everything is as before");
}

#[test]
fn memory_is_taken_again_where_the_device_has_not_a_byte_to_spare() {
    for family in FAMILIES {
        let alone = Scene::of(family, 512, 4).reply(&long("stone"), 1000);
        let needed = Scene::of(family, 512, 4).used();
        let open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu).memory_cap(needed);
        let mut scene = Scene::on(Gpu::open(open).unwrap(), family, &options(512, 4));
        let running = scene.ask(&long("stone"), 1000);
        let mut replies = Replies::new();
        scene.step(&mut replies);
        assert!(scene.engine.relieve().unwrap().freed > 0, "{family:?}");
        while !scene.engine.is_idle() {
            scene.step(&mut replies);
        }
        assert_eq!(replies[&running].0, alone, "{family:?}: the whole context was needed");
    }
}

#[test]
fn a_text_whose_memory_others_took_fails_alone_and_says_so() {
    let open = OpenOptions::new().remember_nothing().backend(BackendKind::Cpu).memory_cap(8 << 20);
    let mut scene = Scene::on(Gpu::open(open).unwrap(), Family::Llama, &options(512, 4));
    let (long_one, short) = (scene.ask(&long("stone"), 1000), scene.ask("x", 5));
    let mut happened = Vec::new();
    scene.engine.step(&mut happened).unwrap();
    scene.engine.relieve().unwrap();
    // Another takes what came back.
    let left = (8 << 20) - scene.used();
    let other = scene.device().allocate(left).unwrap();
    for _ in 0..200 {
        scene.engine.step(&mut happened).unwrap();
    }
    let failed = happened.iter().find_map(|what| match what {
        Happened::Failed { job, error } => Some((*job, error.kind())),
        _ => None,
    });
    assert_eq!(failed, Some((long_one, ErrorKind::OutOfMemory)));
    assert!(scene.engine.is_idle());
    happened.retain(|what| !matches!(what, Happened::Failed { .. }));
    let mut replies = Replies::new();
    note(happened, &mut replies);
    assert_eq!(replies[&short].0, Scene::with(512).reply("x", 5));
    drop(other);
    assert_eq!(scene.reply(&long("stone"), 20), Scene::with(512).reply(&long("stone"), 20));
}

/// What a text would answer with a full and with a small cache.
struct Expected {
    prompt: String,
    tokens: u32,
    full: String,
    small: String,
}

fn expected(family: Family) -> Vec<Expected> {
    let shared = long("stone");
    let prompts =
        ["x".to_owned(), long("water"), shared.clone(), format!("{shared}under the tree"), long("a")];
    let of = |(prompt, tokens): (String, u32)| Expected {
        full: Scene::of(family, 512, 1).reply(&prompt, tokens),
        small: Scene::loaded(family, &small(512)).reply(&prompt, tokens),
        prompt,
        tokens,
    };
    prompts.into_iter().zip([20, 8, 14, 5, 24]).map(of).collect()
}

/// A text of a random run, and what may be its answer.
struct Asked {
    which: usize,
    /// Whether it came while texts began with a small cache.
    is_small: bool,
    /// Whether that changed before it had begun.
    is_either: bool,
    has_begun: bool,
}

/// One run: requests come and go, steps are made, memory runs short and comes back. Returns how many were answered.
fn random_run(scene: &mut Scene, expected: &[Expected], seed: u64) -> usize {
    let mut draws = Draws::seeded(seed);
    let mut draw = |below: usize| (draws.fraction() * below as f64) as usize;
    let mut asked: BTreeMap<JobId, Asked> = BTreeMap::new();
    let mut replies = Replies::new();
    let turned = |asked: &mut BTreeMap<JobId, Asked>, is_small: bool| {
        for text in asked.values_mut().filter(|text| !text.has_begun && text.is_small != is_small) {
            text.is_either = true;
        }
    };
    for _ in 0..40 {
        match draw(20) {
            0..4 => {
                let which = draw(expected.len());
                let Expected { prompt, tokens, .. } = &expected[which];
                let pressure = scene.engine.pressure();
                match scene.engine.submit(&request(prompt, *tokens), Moment::from_unix(0)) {
                    Ok(job) => {
                        let is_small = pressure.uses_smaller_cache;
                        asked.insert(job, Asked { which, is_small, is_either: false, has_begun: false });
                    }
                    Err(error) => {
                        assert!(pressure.refuses_work);
                        assert_eq!(error.kind(), ErrorKind::UnderPressure, "seed {seed}");
                    }
                }
            }
            4 => {
                let at = draw(asked.len().max(1));
                if let Some(job) = asked.keys().nth(at).copied() {
                    scene.engine.cancel(job);
                    asked.remove(&job);
                }
            }
            5 | 6 => {
                let used = scene.used();
                let relief = scene.engine.relieve().unwrap();
                assert_eq!(scene.used(), used - relief.freed, "seed {seed}: {relief}");
                turned(&mut asked, scene.engine.pressure().uses_smaller_cache);
            }
            7 => {
                scene.engine.recover().unwrap();
                turned(&mut asked, false);
            }
            _ => scene.step(&mut replies),
        }
        for (job, text) in &mut asked {
            text.has_begun |= replies.contains_key(job);
        }
        let pressure = scene.engine.pressure();
        assert!(pressure.held <= pressure.planned, "seed {seed}: {pressure:?}");
    }
    scene.engine.recover().unwrap();
    turned(&mut asked, false);
    for _ in 0..10_000 {
        if scene.engine.is_idle() {
            break;
        }
        scene.step(&mut replies);
    }
    for (job, text) in &asked {
        let Expected { full, small, .. } = &expected[text.which];
        let (one, other) = if text.is_small { (small, full) } else { (full, small) };
        let reply = &replies[job].0;
        assert!(reply == one || text.is_either && reply == other, "seed {seed}: {reply:?} is not {one:?}");
    }
    asked.len()
}

#[test]
fn whatever_comes_and_goes_every_answer_is_the_undisturbed_one_and_all_memory_returns() {
    for family in FAMILIES {
        let expected = expected(family);
        let mut answered = 0;
        let mut scene = Scene::of(family, 512, 3);
        for seed in 0..30 {
            answered += random_run(&mut scene, &expected, seed);
        }
        assert!(answered > 150, "{answered} texts of {family:?} were answered");
        assert_eq!(scene.unload(), 0, "{family:?}");
    }
}
