//! The Khronos validation layer: asked for in tests and development, and every word of it kept.
//!
//! Nothing is filtered: so far the layer has not been wrong about us.

use std::{
    borrow::Cow,
    ffi::{CStr, c_void},
    sync::{Mutex, PoisonError},
};

use ash::{ext, vk};

use crate::Validation;

/// The layer's name.
pub(super) const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// Messages kept; later ones are counted only.
const KEPT: usize = 1000;

/// What the layer said, in order.
#[derive(Default)]
pub(super) struct Messages {
    said: Mutex<Said>,
}

#[derive(Default)]
struct Said {
    messages: Vec<String>,
    unkept: u64,
}

impl Messages {
    /// Everything that was said so far.
    pub(super) fn all(&self) -> Vec<String> {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = said.messages.clone();
        if said.unkept > 0 {
            all.push(format!("and {} more", said.unkept));
        }
        all
    }

    fn hear(&self, severity: &str, id: &str, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.messages.len() < KEPT {
            said.messages.push(format!("{severity} {id}: {text}"));
        } else {
            said.unkept += 1;
        }
    }
}

/// The checks to switch on.
pub(super) fn features(validation: Validation) -> &'static [vk::ValidationFeatureEnableEXT] {
    match validation {
        Validation::Off => &[],
        Validation::Core => &[vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION],
        Validation::GpuAssisted => &[
            vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION,
            vk::ValidationFeatureEnableEXT::GPU_ASSISTED,
            vk::ValidationFeatureEnableEXT::GPU_ASSISTED_RESERVE_BINDING_SLOT,
        ],
    }
}

/// How the layer is to report. `messages` must outlive whatever is created from this.
pub(super) fn messenger_info(messages: &Messages) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
    vk::DebugUtilsMessengerCreateInfoEXT::default()
        .message_severity(
            vk::DebugUtilsMessageSeverityFlagsEXT::WARNING | vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
        )
        .message_type(
            vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION | vk::DebugUtilsMessageTypeFlagsEXT::PERFORMANCE,
        )
        .pfn_user_callback(Some(on_message))
        .user_data(std::ptr::from_ref(messages).cast_mut().cast())
}

/// A messenger of an instance; its owner destroys it before the instance.
pub(super) struct Messenger {
    functions: ext::debug_utils::Instance,
    raw: vk::DebugUtilsMessengerEXT,
}

impl Messenger {
    /// Starts listening. `messages` must outlive the messenger.
    pub(super) fn new(
        entry: &ash::Entry,
        instance: &ash::Instance,
        messages: &Messages,
    ) -> Result<Self, vk::Result> {
        let functions = ext::debug_utils::Instance::new(entry, instance);
        // SAFETY: VK_EXT_debug_utils was enabled on `instance`; the caller keeps `messages` alive and in place.
        let raw = unsafe { functions.create_debug_utils_messenger(&messenger_info(messages), None)? };
        Ok(Self { functions, raw })
    }

    /// Stops listening.
    pub(super) fn destroy(&self) {
        // SAFETY: `raw` came from `functions`' instance, which its owner destroys after this call and only once.
        unsafe { self.functions.destroy_debug_utils_messenger(self.raw, None) }
    }
}

/// Called by the layer, on whichever thread made the mistake.
unsafe extern "system" fn on_message(
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer hands out a valid record for the length of the call, or null; `messages` is what
    // `messenger_info` was given, and its owner keeps it alive until the messenger and the instance are gone.
    let (data, messages) = unsafe { (data.as_ref(), messages.cast::<Messages>().as_ref()) };
    if let (Some(data), Some(messages)) = (data, messages) {
        let severity =
            if severity.contains(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR) { "error" } else { "warning" };
        // SAFETY: the record's strings are null or NUL-terminated and live as long as the record.
        let (id, text) = unsafe { (string(data.p_message_id_name), string(data.p_message)) };
        messages.hear(severity, &id, &text);
    }
    vk::FALSE
}

/// # Safety
/// `text` is null or a NUL-terminated string that outlives the result.
unsafe fn string<'a>(text: *const std::ffi::c_char) -> Cow<'a, str> {
    if text.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy()
}
