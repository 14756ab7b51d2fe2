//! The building blocks of the networks on candle: weights, device and shared layers.

mod attention_pooling;
mod dense;
mod device;
mod processor;
mod transformer;
mod vision_transformer;
mod weights;

pub(crate) use attention_pooling::AttentionPooling;
pub(crate) use dense::Dense;
pub(crate) use device::open as open_device;
pub(crate) use transformer::{Attention, Encoder, Layer, Perceptron, Rotation};
pub(crate) use vision_transformer::{Head, PatchEmbedding, VisionTransformer};
pub use weights::WeightsError;
pub(crate) use weights::{Scope, Weights};
