fn main() { println!("{}", unsafe { llama_cpp_sys_2::ggml_time_us() }); }
