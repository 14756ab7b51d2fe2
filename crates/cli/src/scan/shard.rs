//! Which part of a collection one of several runs scans.

use std::path::Path;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// More than anybody has machines.
const MAX_SHARDS: u32 = 10_000;

/// One of so many parts, such as 3/16, which together hold each photograph once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 0.
    index: u32,
    of: u32,
}

impl Shard {
    /// Whether a photograph is in this part. `path` is the one below the folder that was named, so that machines which
    /// keep the collection in different places share it all the same, and what is added later moves nothing.
    pub(crate) fn holds(self, path: &Path) -> bool {
        // Not a hasher of the standard library, which may change with its version: all machines must part alike.
        let digest: [u8; 32] = Sha256::digest(path.as_os_str().as_encoded_bytes()).into();
        let (&start, _) = digest.split_first_chunk().expect("BUG: 32 bytes are more than 4");
        // With at most 10,000 parts, the remainder of 32 bits favours no part noticeably.
        u32::from_be_bytes(start) % self.of == self.index
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(number, of)| {
            Some((number.parse::<u32>().ok()?, of.parse::<u32>().ok().filter(|&of| of <= MAX_SHARDS)?))
        });
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { index: number - 1, of }),
            _ => Err(format!("write it like 3/16: the third of 16 parts, {MAX_SHARDS} at most")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_together_hold_each_photograph_once() {
        let parts: Vec<Shard> = (1..=16).map(|number| format!("{number}/16").parse().unwrap()).collect();
        let mut held = [0; 16];
        for photo in 0..4000 {
            let path = format!("shelf/{photo}.jpg");
            let own: Vec<usize> = (0..16).filter(|&part| parts[part].holds(Path::new(&path))).collect();
            assert_eq!(own.len(), 1, "{path}");
            held[own[0]] += 1;
        }
        assert!(held.iter().all(|&n| (190..310).contains(&n)), "they are about as large: {held:?}");
    }

    #[test]
    fn a_photograph_stays_in_its_part() {
        // What other machines and later versions must agree on.
        let part =
            |name: &str| (1..=4).find(|n| format!("{n}/4").parse::<Shard>().unwrap().holds(Path::new(name)));
        assert_eq!(["a.jpg", "b/c.png", "über.webp"].map(part), [Some(3), Some(2), Some(2)]);
    }

    #[test]
    fn parts_that_cannot_be_are_refused() {
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "1/10001", "-1/4", ""] {
            assert!(text.parse::<Shard>().unwrap_err().contains("like 3/16"), "{text}");
        }
    }
}
