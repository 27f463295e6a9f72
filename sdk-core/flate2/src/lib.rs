//! Takes the place of the crate `flate2` below zenoh (`[patch.crates-io]` in the workspace).
//!
//! zenoh gzips one thing: the metrics in its admin space, which we switch off. The real crate brings a compressor and the
//! tables of a fast checksum all the same, 40 kB in an app. Here bytes are stored as they are, in blocks that the format
//! has for that (RFC 1951, 3.2.4), and every reader of gzip reads them.
//!
//! Programs that depend on our crates from their own workspace get the real one, and work just the same.
#![forbid(unsafe_code)]

/// How hard to try; we never do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compression;

impl Compression {
    /// Not hard.
    #[must_use]
    pub fn fast() -> Self {
        Self
    }
}

/// The names that zenoh imports.
pub mod write {
    use std::io::{Result, Write};

    use super::{Compression, checksum};

    /// No comment, no name, no time, an unknown system.
    const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    /// As long as a block can be.
    const BLOCK: usize = u16::MAX as usize;

    /// Bytes on their way into a gzip file.
    #[derive(Debug)]
    pub struct GzEncoder<W> {
        file: W,
        bytes: Vec<u8>,
    }

    impl<W: Write> GzEncoder<W> {
        /// A file without bytes.
        pub fn new(file: W, _: Compression) -> Self {
            Self { file, bytes: Vec::new() }
        }

        /// Writes the file, and gives it back.
        pub fn finish(mut self) -> Result<W> {
            self.file.write_all(&HEADER)?;
            for block in self.bytes.chunks(BLOCK) {
                let length = block.len() as u16;
                self.file.write_all(&[0])?;
                self.file.write_all(&length.to_le_bytes())?;
                self.file.write_all(&(!length).to_le_bytes())?;
                self.file.write_all(block)?;
            }
            // The last block, which is empty.
            self.file.write_all(&[1, 0, 0, 0xff, 0xff])?;
            self.file.write_all(&checksum(&self.bytes).to_le_bytes())?;
            self.file.write_all(&(self.bytes.len() as u32).to_le_bytes())?;
            Ok(self.file)
        }
    }

    impl<W> Write for GzEncoder<W> {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.bytes.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, &byte| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 * (sum & 1)))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_goes_into_a_file_comes_out_of_it() {
        for length in [0, 1, 65_535, 65_536, 200_000] {
            let bytes: Vec<u8> = (0..length).map(|at: u32| (at % 251) as u8).collect();
            let mut encoder = write::GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&bytes).unwrap();
            let file = encoder.finish().unwrap();
            let (blocks, end) = file[10..].split_at(file.len() - 18);
            assert_eq!(miniz_oxide::inflate::decompress_to_vec(blocks).unwrap(), bytes);
            assert_eq!(end, [checksum(&bytes).to_le_bytes(), length.to_le_bytes()].concat());
        }
    }

    #[test]
    fn the_checksum_is_the_one_of_the_format() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }
}
