//! A device that is lost in the middle of a step: what the engine says, and what it answers afterwards.
#![allow(clippy::unwrap_used, clippy::panic)]

mod scene;

use std::path::PathBuf;

use exo_engine::{Happened, tiny::Family};
use exo_gpu::{BackendKind, Faults, Gpu, Health, OpenOptions};
use scene::{Replies, Scene, note, options};

const FAMILIES: [Family; 3] = [Family::Llama, Family::Remembering, Family::Sliding];

/// The backend that this platform's GPU tests are about.
const GPU: BackendKind = if cfg!(target_vendor = "apple") { BackendKind::Metal } else { BackendKind::Vulkan };

/// What is known of the GPU: after an undisturbed run no self-test gets in between and counts as a step.
struct Place(PathBuf);

impl Place {
    fn of(test: &str) -> Self {
        Self(scene::place(test))
    }

    /// What is said where nothing goes wrong.
    fn undisturbed(&self, family: Family) -> Vec<String> {
        let mut scene = self.scene(family, Faults::default());
        let (replies, errors) = all_replies(&mut scene);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(scene.device().health(), Health::Well);
        scene.device().close();
        replies
    }

    fn opened(&self, options: OpenOptions, faults: Faults) -> Gpu {
        let gpu = Gpu::open(options.data_dir(&self.0).backend(GPU).faults(faults));
        gpu.unwrap_or_else(|error| panic!("this needs lavapipe; run ./scripts/setup gpu\n{error}"))
    }

    /// A model on a GPU that goes wrong like this.
    fn scene(&self, family: Family, faults: Faults) -> Scene {
        Scene::on(self.opened(OpenOptions::new(), faults), family, &options(512, 4))
    }
}

const PROMPTS: [&str; 3] = ["one stone", "two stones by the river and a long road to the other side", "x"];

/// Asks everything and steps to the end, whatever the device says meanwhile. Returns the texts and the errors.
fn all_replies(scene: &mut Scene) -> (Vec<String>, Vec<String>) {
    let jobs = PROMPTS.map(|prompt| scene.ask(prompt, 20));
    let (mut replies, mut errors) = (Replies::new(), Vec::new());
    for _ in 0..1000 {
        if scene.engine.is_idle() || errors.len() > 3 {
            break;
        }
        let mut happened: Vec<Happened> = Vec::new();
        if let Err(error) = scene.engine.step(&mut happened) {
            errors.push(error.to_string());
        }
        note(happened, &mut replies);
    }
    (jobs.map(|job| replies.remove(&job).unwrap_or_default().0).to_vec(), errors)
}

#[test]
fn a_device_that_is_lost_in_a_step_costs_no_word() {
    let place = Place::of("a_device_that_is_lost_in_a_step");
    for family in FAMILIES {
        let undisturbed = place.undisturbed(family);
        // In the first prompt, while prompts and answers are mixed, and in answers.
        for turn in [1, 3, 12] {
            let faults = Faults { lose_device_at_wait: Some(turn), ..Faults::default() };
            let mut scene = place.scene(family, faults);
            let (replies, errors) = all_replies(&mut scene);
            assert_eq!(replies, undisturbed, "{family:?}, lost at wait {turn}: {errors:?}");
            // A step that overwrites a state cannot be repeated by the device itself: that is an error, and it is computed
            // again from the beginning.
            assert_eq!(errors.len(), usize::from(family == Family::Remembering), "{family:?}: {errors:?}");
            assert!(errors.iter().all(|error| error.contains("the device was lost")), "{errors:?}");
            assert!(matches!(scene.device().health(), Health::Replaced { .. }));
            assert_eq!(scene.unload(), 0);
        }
    }
}

#[test]
fn a_device_that_is_lost_before_a_step_costs_nothing() {
    let place = Place::of("a_device_that_is_lost_before_a_step");
    for family in FAMILIES {
        let undisturbed = place.undisturbed(family);
        for turn in [2, 12] {
            let faults = Faults { lose_device_at_submission: Some(turn), ..Faults::default() };
            let mut scene = place.scene(family, faults);
            let (replies, errors) = all_replies(&mut scene);
            assert_eq!((replies, errors), (undisturbed.clone(), vec![]), "{family:?}, submission {turn}");
            assert!(matches!(scene.device().health(), Health::Replaced { .. }));
        }
    }
}

#[test]
fn where_the_weights_are_lost_too_the_error_says_to_load_the_model_anew() {
    let place = Place::of("where_the_weights_are_lost_too");
    place.undisturbed(Family::Remembering);
    // Uploads wait as well: the loss is moved on until the model is loaded before it.
    let errors = (40..4000).step_by(40).find_map(|turn| {
        let faults = Faults { lose_device_at_wait: Some(turn), ..Faults::default() };
        let gpu = place.opened(OpenOptions::new().without_unified_memory(), faults);
        let mut scene = Scene::try_on(gpu, Family::Remembering, &options(512, 4)).ok()?;
        let (replies, errors) = all_replies(&mut scene);
        assert!(!errors.is_empty() || replies.iter().all(|reply| !reply.is_empty()));
        (!errors.is_empty()).then_some(errors)
    });
    let errors = errors.unwrap();
    assert!(errors[1..].iter().all(|error| error.contains("load the model anew")), "{errors:?}");
    assert!(errors.len() > 1, "{errors:?}");
}
