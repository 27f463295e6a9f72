//! The loader and the instance: everything up to the list of devices.

use std::{ffi::CStr, path::PathBuf, sync::Arc};

use ash::{ext, vk};

use super::{
    describe,
    validation::{self, Messages, Messenger},
};
use crate::{DeviceDescription, OpenOptions, Validation};

/// What the loader is called here.
const LOADER: &str = if cfg!(windows) {
    "vulkan-1.dll"
} else if cfg!(target_os = "android") {
    "libvulkan.so"
} else {
    "libvulkan.so.1"
};

/// An open instance. Cheap to clone; lives as long as any device opened from it.
#[derive(Clone)]
pub(crate) struct Instance {
    pub(super) handle: Arc<InstanceHandle>,
}

/// One of an instance's devices.
#[derive(Clone, Debug)] // Not `Copy`: Metal's is not, and both are passed alike.
pub(crate) struct DeviceHandle(pub(super) vk::PhysicalDevice);

/// The owner of the `VkInstance`.
pub(super) struct InstanceHandle {
    pub(super) raw: ash::Instance,
    messenger: Option<Messenger>,
    messages: Option<Arc<Messages>>,
    /// Holds the loader's library. Dropped last.
    _library: ash::Entry,
}

impl InstanceHandle {
    /// What the validation layer said so far.
    pub(super) fn messages(&self) -> Vec<String> {
        self.messages.as_ref().map(|messages| messages.all()).unwrap_or_default()
    }
}

impl Drop for InstanceHandle {
    fn drop(&mut self) {
        if let Some(messenger) = &self.messenger {
            messenger.destroy();
        }
        // SAFETY: devices hold this handle by `Arc`, so all of them are gone; the messenger went a line above.
        // `messages`, which the layer may still write to in this call, is dropped after it.
        unsafe { self.raw.destroy_instance(None) }
    }
}

/// Loads Vulkan and opens an instance, or says why not.
pub(crate) fn open_instance(options: &OpenOptions) -> Result<Instance, String> {
    let library = options.vulkan_library.clone().unwrap_or_else(|| PathBuf::from(LOADER));
    // SAFETY: the library is the system's Vulkan loader, or what a developer named in its stead; loading it runs
    // its initialisers, which is what was asked for. `InstanceHandle` keeps it loaded while it is used.
    let entry = unsafe { ash::Entry::load_from(&library) }
        .map_err(|e| format!("the Vulkan loader `{}` could not be loaded ({e})", library.display()))?;
    // SAFETY: a global query without arguments.
    let version = unsafe { entry.try_enumerate_instance_version() }
        .map_err(|e| refusal("vkEnumerateInstanceVersion", e))?
        .unwrap_or(vk::API_VERSION_1_0);
    if version < vk::API_VERSION_1_1 {
        return Err("the Vulkan loader offers 1.0 only; 1.1 is needed".into());
    }

    let mut layers = Vec::new();
    let mut extensions = Vec::new();
    if options.validation != Validation::Off {
        require_layer(&entry)?;
        layers.push(validation::LAYER.as_ptr());
        extensions.push(ext::debug_utils::NAME.as_ptr());
        extensions.push(ext::validation_features::NAME.as_ptr());
    }
    let messages = (options.validation != Validation::Off).then(|| Arc::new(Messages::default()));
    // 1.1 on purpose: whatever is newer is used as an extension, in the same way on every driver.
    let application =
        vk::ApplicationInfo::default().application_name(c"exo").api_version(vk::API_VERSION_1_1);
    let mut checks = vk::ValidationFeaturesEXT::default()
        .enabled_validation_features(validation::features(options.validation));
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    let mut listening = messages.as_deref().map(validation::messenger_info);
    if let Some(listening) = &mut listening {
        info = info.push_next(&mut checks).push_next(listening);
    }
    // SAFETY: `info` and all that it points at live to the end of this function; `messages` outlives the
    // instance, since `InstanceHandle` holds both.
    let raw = unsafe { entry.create_instance(&info, None) }.map_err(|e| match e {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => {
            "the Vulkan loader found no usable driver (VK_ERROR_INCOMPATIBLE_DRIVER)".into()
        }
        // What loaders of 2023 also say when a driver's manifest is not JSON.
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => {
            "memory ran out or a driver's manifest is damaged (VK_ERROR_OUT_OF_HOST_MEMORY)".into()
        }
        e => refusal("vkCreateInstance", e),
    })?;
    let mut handle = InstanceHandle { raw, messenger: None, messages, _library: entry.clone() };
    if let Some(messages) = &handle.messages {
        let messenger = Messenger::new(&entry, &handle.raw, messages)
            .map_err(|e| refusal("vkCreateDebugUtilsMessengerEXT", e))?;
        handle.messenger = Some(messenger);
    }
    Ok(Instance { handle: Arc::new(handle) })
}

impl Instance {
    /// Every device with what it is, also those that [`open_device`](super::open_device) would refuse.
    pub(crate) fn devices(&self) -> Result<Vec<(DeviceDescription, DeviceHandle)>, String> {
        // SAFETY: the instance is alive; a query.
        let devices = unsafe { self.handle.raw.enumerate_physical_devices() }.map_err(|e| match e {
            vk::Result::ERROR_INITIALIZATION_FAILED => {
                "no Vulkan driver could be started (VK_ERROR_INITIALIZATION_FAILED)".into()
            }
            e => refusal("vkEnumeratePhysicalDevices", e),
        })?;
        if devices.is_empty() {
            return Err("no Vulkan driver offers a device".into());
        }
        Ok(devices
            .into_iter()
            .map(|device| (describe::describe(&self.handle.raw, device).description, DeviceHandle(device)))
            .collect())
    }

    /// What the validation layer said so far, also about devices that are closed by now.
    #[cfg(test)]
    pub(super) fn messages(&self) -> Vec<String> {
        self.handle.messages()
    }
}

fn require_layer(entry: &ash::Entry) -> Result<(), String> {
    // SAFETY: a global query.
    let layers = unsafe { entry.enumerate_instance_layer_properties() }
        .map_err(|e| refusal("vkEnumerateInstanceLayerProperties", e))?;
    let is_there = layers
        .iter()
        .any(|layer| layer.layer_name_as_c_str().map(CStr::to_bytes) == Ok(validation::LAYER.to_bytes()));
    is_there.then_some(()).ok_or_else(|| {
        format!(
            "validation was asked for, but {} is not installed (Debian: apt-get install vulkan-validationlayers)",
            validation::LAYER.to_string_lossy()
        )
    })
}

/// "vkCreateDevice failed: ERROR_…": the reason for people when a driver refuses.
pub(super) fn refusal(call: &'static str, code: vk::Result) -> String {
    format!("{call} failed: {code:?} ({code})")
}
