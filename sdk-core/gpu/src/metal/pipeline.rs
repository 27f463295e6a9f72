//! Kernels, compiled on first use from the Metal source that the build script wrote.
//!
//! There is no cache on disk of our own. Metal keeps one for each app, by device and system, and mends it when it is
//! damaged. Of updating an `MTLBinaryArchive` at run time beside it, Apple's header says that it is "not
//! recommended" in a shipped app: it "requires corruption resiliency" and "may cache hard-to-reproduce errors".

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use objc2::{available, rc::Retained, rc::autoreleasepool, runtime::ProtocolObject};
use objc2_foundation::NSString;
use objc2_metal::{
    MTLCompileOptions, MTLComputePipelineState, MTLDevice, MTLLanguageVersion, MTLLibrary,
    MTLMathFloatingPointFunctions, MTLMathMode,
};

use super::context::Context;
use crate::{Error, Result, lowering::Kernel};

/// All pipelines of a device.
pub(super) struct Pipelines {
    made: RwLock<HashMap<&'static str, Pipeline>>,
    context: Arc<Context>,
}

/// A kernel, ready to be run.
#[derive(Clone)]
pub(super) struct Pipeline {
    pub(super) raw: Retained<ProtocolObject<dyn MTLComputePipelineState>>,
    pub(super) bindings: usize,
    pub(super) workgroup: [u32; 3],
}

impl Pipelines {
    pub(super) fn new(context: &Arc<Context>) -> Self {
        Self { made: RwLock::default(), context: Arc::clone(context) }
    }

    /// The pipeline of `kernel`. The first call for a kernel makes it, and others wait for that.
    pub(super) fn get(&self, kernel: &'static Kernel) -> Result<Pipeline> {
        if let Some(pipeline) = self.made.read().unwrap_or_else(PoisonError::into_inner).get(kernel.name) {
            return Ok(pipeline.clone());
        }
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = made.get(kernel.name) {
            return Ok(pipeline.clone());
        }
        let pipeline = autoreleasepool(|_| self.make(kernel))?;
        made.insert(kernel.name, pipeline.clone());
        Ok(pipeline)
    }

    fn make(&self, kernel: &'static Kernel) -> Result<Pipeline> {
        let device = &self.context.raw;
        let kernel = self.context.injector.kernel(kernel);
        let failed = |call, text: String| Error::Driver { call, code: format!("{}: {text}", kernel.name) };
        let library = device
            .newLibraryWithSource_options_error(&NSString::from_str(kernel.msl), Some(&options()))
            .map_err(|e| failed("newLibraryWithSource", e.localizedDescription().to_string()))?;
        let function = library
            .newFunctionWithName(&NSString::from_str(kernel.entry))
            .ok_or_else(|| failed("newFunctionWithName", format!("no function `{}`", kernel.entry)))?;
        let raw = device
            .newComputePipelineStateWithFunction_error(&function)
            .map_err(|e| failed("newComputePipelineState", e.localizedDescription().to_string()))?;
        // A kernel that needs many registers may run in smaller groups only than the device's limit promises.
        let needed: usize = kernel.workgroup.iter().map(|&threads| threads as usize).product();
        let allowed = raw.maxTotalThreadsPerThreadgroup();
        if needed > allowed {
            return Err(Error::Unsupported {
                what: format!("kernel `{}`", kernel.name),
                why: format!("its groups have {needed} threads, this device can run it with {allowed}"),
            });
        }
        Ok(Pipeline { raw, bindings: kernel.bindings.len(), workgroup: kernel.workgroup })
    }
}

/// The language of the floor, and arithmetic as it is written: left alone, Metal assumes that there are no NaNs.
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
