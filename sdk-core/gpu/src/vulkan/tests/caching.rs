//! The pipeline cache on disk: used when it is whole and ours, ignored otherwise.

use std::{env, fs, path::PathBuf, process};

use super::{Bench, add, floats, read_floats, step, watched};
use crate::OpenOptions;

/// A directory of its own for each test, gone at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("exo-gpu-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// Opens a device, computes, closes it, and returns the cache that it left.
    fn used(&self) -> (PathBuf, Vec<u8>) {
        let bench = Bench::open(&OpenOptions { data_dir: Some(self.0.clone()), ..watched() });
        let device = bench.device();
        let (a, y) = (floats(&device, &[1.0; 9]), floats(&device, &[0.0; 9]));
        bench.run(vec![step(add(&a, &a, &y), false)]);
        assert_eq!(read_floats(&y), [2.0; 9]);
        drop((a, y, device));
        bench.close();
        let files: Vec<_> =
            fs::read_dir(&self.0).expect("is there").map(|file| file.expect("is there").path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        let bytes = fs::read(&files[0]).expect("reads");
        (files[0].clone(), bytes)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_cache_is_written_once_and_then_only_read() {
    let directory = Directory::new("cache");
    let (file, bytes) = directory.used();
    assert!(bytes.starts_with(b"exopipe1"));
    let written = fs::metadata(&file).expect("is there").modified().expect("has a time");
    let (_, again) = directory.used();
    assert_eq!(bytes, again);
    assert_eq!(fs::metadata(&file).expect("is there").modified().expect("has a time"), written);
}

#[test]
fn a_cache_that_is_damaged_anywhere_is_written_anew() {
    let directory = Directory::new("damaged");
    let (file, whole) = directory.used();
    // Each field of the header, the start of the driver's part, its middle and its end.
    let places = [0, 7, 8, 12, 16, 20, 35, 36, 43, 44, 51, 52, whole.len() / 2, whole.len() - 1];
    for place in places {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x40;
        fs::write(&file, &damaged).expect("writes");
        assert_eq!(directory.used().1.len(), whole.len(), "byte {place}");
        assert_ne!(fs::read(&file).expect("reads"), damaged, "byte {place}");
    }
}

#[test]
fn a_cache_that_is_cut_short_or_too_long_is_written_anew() {
    let directory = Directory::new("cut");
    let (file, whole) = directory.used();
    let mut long = whole.clone();
    long.push(0);
    for other in [&whole[..0], &whole[..10], &whole[..52], &whole[..whole.len() - 1], &long] {
        fs::write(&file, other).expect("writes");
        assert_eq!(directory.used().1.len(), whole.len());
    }
}

#[test]
fn a_directory_that_cannot_be_written_costs_nothing_but_the_cache() {
    let directory = Directory::new("unwritable");
    // A file where the directory should be.
    fs::write(&directory.0, b"in the way").expect("writes");
    let bench = Bench::open(&OpenOptions { data_dir: Some(directory.0.join("below")), ..watched() });
    let device = bench.device();
    let (a, y) = (floats(&device, &[1.0]), floats(&device, &[0.0]));
    bench.run(vec![step(add(&a, &a, &y), false)]);
    drop((a, y, device));
    bench.close();
    fs::remove_file(&directory.0).expect("removes");
}
