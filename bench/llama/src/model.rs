//! A model in llama.cpp, and texts on it. Nothing is freed: the process lives for one benchmark.

use std::{
    ffi::{CString, c_char, c_void},
    ptr,
};

use anyhow::{Result, ensure};
use llama_cpp_sys_2 as llama;

/// The longest context and what is decoded after it.
const POSITIONS: u32 = 4096;
/// Rows of a step, as llama.cpp has them by default.
const ROWS: u32 = 512;

pub struct Model {
    handle: *mut llama::llama_model,
    is_on_gpu: bool,
}

impl Model {
    /// Loads a GGUF file, wholly to the CPU or wholly to the first Vulkan device.
    pub fn load(file: &str, is_on_gpu: bool) -> Result<Self> {
        let file = CString::new(file)?;
        let mut nothing: [llama::ggml_backend_dev_t; 1] = [ptr::null_mut()];
        // SAFETY: the defaults are llama.cpp's own; the empty list of devices and the name outlive the call.
        let handle = unsafe {
            llama::llama_backend_init();
            let mut params = llama::llama_model_default_params();
            params.n_gpu_layers = if is_on_gpu { 999 } else { 0 };
            if !is_on_gpu {
                params.devices = nothing.as_mut_ptr();
            }
            llama::llama_model_load_from_file(file.as_ptr(), params)
        };
        ensure!(!handle.is_null(), "llama.cpp cannot load the model");
        Ok(Self { handle, is_on_gpu })
    }

    /// An empty text, with or without flash attention.
    pub fn text(&self, threads: i32, has_flash_attention: bool) -> Result<Text> {
        // SAFETY: the model lives as long as the process.
        let (context, vocabulary) = unsafe {
            let mut params = llama::llama_context_default_params();
            params.n_ctx = POSITIONS;
            params.n_batch = ROWS;
            params.n_ubatch = ROWS;
            params.n_threads = threads;
            params.n_threads_batch = threads;
            params.flash_attn_type = if has_flash_attention {
                llama::LLAMA_FLASH_ATTN_TYPE_ENABLED
            } else {
                llama::LLAMA_FLASH_ATTN_TYPE_DISABLED
            };
            params.offload_kqv = self.is_on_gpu;
            params.op_offload = self.is_on_gpu;
            let vocabulary = llama::llama_vocab_n_tokens(llama::llama_model_get_vocab(self.handle));
            (llama::llama_init_from_model(self.handle, params), vocabulary)
        };
        ensure!(!context.is_null(), "llama.cpp cannot make a context");
        Ok(Text { context, vocabulary: usize::try_from(vocabulary)?, length: 0, prompt: 0 })
    }
}

/// A text that grows.
pub struct Text {
    context: *mut llama::llama_context,
    vocabulary: usize,
    length: i32,
    /// How much of it, from its beginning, is the common prompt.
    prompt: i32,
}

impl Text {
    pub fn empty(&mut self) {
        self.prompt = 0;
        self.shorten(0);
    }

    /// Makes it the prompt of so many tokens, computing only what it does not hold. The first token of the answer.
    pub fn after(&mut self, tokens: i32) -> Result<i32> {
        // What was decoded lies behind the prompt. Its last token is computed again, for what follows it.
        self.shorten(self.prompt.min(tokens - 1));
        let prompt: Vec<i32> = (self.length..tokens).map(|i| i * 7919 % 1000).collect();
        let mut next = 0;
        for rows in prompt.chunks(ROWS as usize) {
            next = self.add(rows)?;
        }
        self.prompt = tokens;
        Ok(next)
    }

    /// Adds tokens. The likeliest to follow.
    pub fn add(&mut self, tokens: &[i32]) -> Result<i32> {
        let mut tokens = tokens.to_vec();
        let count = i32::try_from(tokens.len())?;
        // SAFETY: the batch borrows the tokens for this call; logits of the last one are there after it, one a word.
        let logits = unsafe {
            let status =
                llama::llama_decode(self.context, llama::llama_batch_get_one(tokens.as_mut_ptr(), count));
            ensure!(status == 0, "llama_decode: status {status}");
            std::slice::from_raw_parts(llama::llama_get_logits_ith(self.context, -1), self.vocabulary)
        };
        self.length += count;
        let best = (0..).zip(logits).max_by(|a, b| a.1.total_cmp(b.1));
        Ok(best.map_or(0, |(token, _)| token))
    }

    fn shorten(&mut self, length: i32) {
        // SAFETY: the context is alive; a removal up to the end is always possible.
        unsafe {
            llama::llama_memory_seq_rm(llama::llama_get_memory(self.context), 0, length, -1);
        }
        self.length = length;
    }
}

/// Every matrix in K-quants of 4 bits. The head too, which llama.cpp would give more bits by default: all rivals read
/// the same number of bytes.
pub fn quantise(from: &str, to: &str) -> Result<()> {
    let (from, to) = (CString::new(from)?, CString::new(to)?);
    // SAFETY: the defaults are llama.cpp's own, and both names outlive the call.
    let status = unsafe {
        llama::llama_backend_init();
        let mut params = llama::llama_model_quantize_default_params();
        params.ftype = llama::LLAMA_FTYPE_MOSTLY_Q4_K_S;
        params.nthread = 2;
        params.allow_requantize = true;
        params.pure_ = true;
        llama::llama_model_quantize(from.as_ptr(), to.as_ptr(), &raw const params)
    };
    ensure!(status == 0, "llama_model_quantize: status {status}");
    Ok(())
}

/// llama.cpp says much; only its errors are wanted.
pub fn be_quiet() {
    extern "C" fn only_errors(level: llama::ggml_log_level, text: *const c_char, _: *mut c_void) {
        if level == llama::GGML_LOG_LEVEL_ERROR && !text.is_null() {
            // SAFETY: llama.cpp gives a text that ends with a zero and lives for this call.
            eprint!("{}", unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy());
        }
    }
    // SAFETY: the function is there for ever and needs no data.
    unsafe { llama::llama_log_set(Some(only_errors), ptr::null_mut()) };
}

/// ggml's own version, which llama.cpp is released with.
pub fn version() -> String {
    // SAFETY: a text that ends with a zero and lives for ever.
    let ggml = unsafe { std::ffi::CStr::from_ptr(llama::ggml_version()) };
    format!("ggml {}", ggml.to_string_lossy())
}
