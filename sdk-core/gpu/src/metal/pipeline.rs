//! Kernels, compiled on first use from the Metal source that the build script wrote.
//!
//! There is no cache on disk of our own. Metal keeps one for each app, by device and system, and mends it when it is
//! damaged; of updating an `MTLBinaryArchive` at run time beside it, Apple's header says that it is "not
//! recommended" for shipped apps: it "requires corruption resiliency" and "may cache hard-to-reproduce errors".

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use objc2::{available, rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLCompileOptions, MTLComputePipelineState, MTLDevice, MTLLanguageVersion, MTLLibrary,
    MTLMathFloatingPointFunctions, MTLMathMode,
};

use crate::{Error, Result, lowering::Kernel};

/// A compiled kernel as Metal has it.
pub(super) type RawPipeline = ProtocolObject<dyn MTLComputePipelineState>;

/// The compiled kernels of one device.
pub(super) struct Pipelines {
    device: Retained<ProtocolObject<dyn MTLDevice>>,
    /// By name and version.
    ready: Mutex<HashMap<(&'static str, u64), Retained<RawPipeline>>>,
}

impl Pipelines {
    pub(super) fn new(device: Retained<ProtocolObject<dyn MTLDevice>>) -> Self {
        Self { device, ready: Mutex::default() }
    }

    /// The compiled kernel. Whoever needs one that is being compiled waits for it.
    pub(super) fn get(&self, kernel: &'static Kernel) -> Result<Retained<RawPipeline>> {
        let key = (kernel.name, kernel.version);
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = ready.get(&key) {
            return Ok(pipeline.clone());
        }
        let pipeline = autoreleasepool(|_| self.compile(kernel))?;
        ready.insert(key, pipeline.clone());
        Ok(pipeline)
    }

    fn compile(&self, kernel: &Kernel) -> Result<Retained<RawPipeline>> {
        let failed = |call, text: String| Error::Driver { call, code: format!("{}: {text}", kernel.name) };
        let library = self
            .device
            .newLibraryWithSource_options_error(&NSString::from_str(kernel.msl), Some(&options()))
            .map_err(|e| failed("newLibraryWithSource", e.localizedDescription().to_string()))?;
        let function = library
            .newFunctionWithName(&NSString::from_str(kernel.entry))
            .ok_or_else(|| failed("newFunctionWithName", format!("no function `{}`", kernel.entry)))?;
        let pipeline = self
            .device
            .newComputePipelineStateWithFunction_error(&function)
            .map_err(|e| failed("newComputePipelineState", e.localizedDescription().to_string()))?;
        // A kernel that needs many registers may run in smaller groups than the device's limit promises.
        let (needed, allowed) = (threads(kernel), pipeline.maxTotalThreadsPerThreadgroup());
        if needed > allowed {
            return Err(Error::Unsupported {
                what: format!("kernel `{}`", kernel.name),
                why: format!("its groups have {needed} threads, this device can run it with {allowed}"),
            });
        }
        Ok(pipeline)
    }
}

fn threads(kernel: &Kernel) -> usize {
    kernel.workgroup.iter().map(|&n| n as usize).product()
}

/// The language of the floor, and arithmetic as it is written: without this, Metal assumes that there are no NaNs.
fn options() -> Retained<MTLCompileOptions> {
    let options = MTLCompileOptions::new();
    options.setLanguageVersion(MTLLanguageVersion::Version2_3);
    if available!(ios = 18.0, macos = 15.0, ..) {
        options.setMathMode(MTLMathMode::Safe);
        options.setMathFloatingPointFunctions(MTLMathFloatingPointFunctions::Precise);
    } else {
        #[expect(deprecated, reason = "older systems know no other way")]
        options.setFastMathEnabled(false);
    }
    options
}
