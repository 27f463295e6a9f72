//! A Vulkan loader with one flaw, chosen by `--cfg`. Not a module: `opening.rs` has it compiled by rustc.
#![allow(non_snake_case)]

use std::ffi::{CStr, c_char, c_void};

type Function = unsafe extern "C" fn();

#[unsafe(no_mangle)]
unsafe extern "C" fn vkGetInstanceProcAddr(_: *mut c_void, name: *const c_char) -> Option<Function> {
    // SAFETY: names are NUL-terminated strings; the functions below have the signatures that their callers expect.
    unsafe {
        let function: *const () = match CStr::from_ptr(name).to_bytes() {
            b"vkEnumerateInstanceVersion" if !cfg!(only_1_0) => version as *const (),
            b"vkEnumerateInstanceLayerProperties" => nothing as *const (),
            b"vkCreateInstance" => create as *const (),
            b"vkDestroyInstance" => destroy as *const (),
            b"vkEnumeratePhysicalDevices" => devices as *const (),
            b"vkGetInstanceProcAddr" => vkGetInstanceProcAddr as *const (),
            _ => return None,
        };
        Some(std::mem::transmute::<*const (), Function>(function))
    }
}

unsafe extern "C" fn version(version: *mut u32) -> i32 {
    // SAFETY: the caller's own variable.
    unsafe { *version = 1 << 22 | 1 << 12 };
    0
}

unsafe extern "C" fn nothing(count: *mut u32, _: *mut c_void) -> i32 {
    // SAFETY: the caller's own variable.
    unsafe { *count = 0 };
    0
}

unsafe extern "C" fn create(_: *const c_void, _: *const c_void, instance: *mut *mut c_void) -> i32 {
    // SAFETY: the caller's own variable; nobody follows the pointer.
    unsafe { *instance = 8 as *mut c_void };
    if cfg!(no_instance) {
        -3
    } else if cfg!(incompatible) {
        -9
    } else {
        0
    }
}

unsafe extern "C" fn destroy(_: *mut c_void, _: *const c_void) {}

unsafe extern "C" fn devices(_: *mut c_void, count: *mut u32, _: *mut c_void) -> i32 {
    // SAFETY: the caller's own variable.
    unsafe { *count = 0 };
    0
}
