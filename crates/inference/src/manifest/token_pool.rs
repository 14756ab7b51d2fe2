//! Pools the token vectors of an image into one.

use serde::{Deserialize, Serialize};

/// How the tokens of an output `[n, tokens, d]` are pooled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenPool {
    /// The first token: the class token of a vision transformer.
    First,
    /// The mean of all tokens.
    Mean,
}

impl TokenPool {
    /// Pools row-major values `[n, tokens, width]` to `[n, width]`; `width` and `tokens` are at least 1.
    pub(crate) fn apply(self, values: &[f32], tokens: usize, width: usize) -> Vec<f32> {
        let images = values.chunks_exact(tokens * width);
        match self {
            Self::First => images.flat_map(|image| &image[..width]).copied().collect(),
            Self::Mean => images
                .flat_map(|image| {
                    (0..width).map(move |index| {
                        let sum: f64 =
                            image.iter().skip(index).step_by(width).map(|value| f64::from(*value)).sum();
                        (sum / tokens as f64) as f32
                    })
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_or_the_mean_stands_for_a_picture() {
        // Two pictures of two tokens of three values.
        let values = [1.0, 2.0, 3.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0, 2.0, 4.0, 6.0];
        assert_eq!(TokenPool::First.apply(&values, 2, 3), [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]);
        assert_eq!(TokenPool::Mean.apply(&values, 2, 3), [2.0, 3.0, 4.0, 1.0, 2.0, 3.0]);
    }
}
