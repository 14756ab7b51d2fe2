//! Shards: each of several runs scans one part of a collection.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// More than anybody has machines, and few enough for a negligible modulo bias.
const MAX_SHARDS: u32 = 10_000;

/// One shard, such as 3/16. All shards together hold each photograph exactly once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Counted from 0.
    index: u32,
    of: u32,
}

impl Shard {
    /// Whether a photograph is in this shard. `path` is relative to the named folder, so that machines that keep the
    /// collection in different places agree. Photographs that are added later do not move others.
    pub(crate) fn holds(self, path: &Path) -> bool {
        // No hasher of the standard library, because those may change between versions, and all machines must agree.
        let digest: [u8; 32] = Sha256::digest(path.as_os_str().as_encoded_bytes()).into();
        let (&start, _) = digest.split_first_chunk().expect("BUG: 32 bytes are more than 4");
        // With at most 10,000 shards, the modulo bias of 32 bits is negligible.
        u32::from_be_bytes(start) % self.of == self.index
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
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
        // These must stay the same on other machines and in later versions.
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
