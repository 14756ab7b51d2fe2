//! Reads the preprocessing of a Hugging Face folder.

use std::{fs, path::Path};

use serde::Deserialize;

use crate::{Error, Filter, Resize, Result};

/// The file in the folder.
const FILE: &str = "preprocessor_config.json";
/// Input size from which ConvNeXt's processor squashes instead of cropping, in pixels.
const CONVNEXT_SQUASHES_FROM: u32 = 384;
/// Fraction of the shorter side that ConvNeXt's processor keeps, unless its file states one.
const CONVNEXT_CROP: f64 = 224.0 / 256.0;
/// Scales bytes to 0..=1.
const RESCALE_FACTOR: f64 = 1.0 / 255.0;

/// Size, resize and normalisation of a network's input.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageProcessing {
    /// Width of the input, in pixels.
    pub width: u32,
    /// Height of the input, in pixels.
    pub height: u32,
    /// How a photograph is resized to the input.
    pub resize: Resize,
    /// Mean of each channel, of values in 0..=1.
    pub mean: [f32; 3],
    /// Standard deviation of each channel, of values in 0..=1.
    pub std: [f32; 3],
}

impl ImageProcessing {
    /// Whether the folder has a `preprocessor_config.json`.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Resizes the shorter side to `size` pixels (bicubic), then crops the centre: the default without a file.
    pub fn cropping(size: u32, mean: [f32; 3], std: [f32; 3]) -> Self {
        let resize = Resize::CenterCrop { filter: Filter::Bicubic, shortest_side: size };
        Self { width: size, height: size, resize, mean, std }
    }

    /// The same preprocessing for a square input of `size` pixels; a crop keeps the same fraction of the
    /// photograph.
    #[must_use]
    pub fn with_size(mut self, size: u32) -> Self {
        if let Resize::CenterCrop { shortest_side, .. } = &mut self.resize {
            let factor = f64::from(size) / f64::from(self.width.min(self.height).max(1));
            *shortest_side = ((f64::from(*shortest_side) * factor).round() as u32).max(size);
        }
        (self.width, self.height) = (size, size);
        self
    }

    /// Reads `preprocessor_config.json` of the folder.
    ///
    /// Supported are a shorter side with a centre crop (CLIP, `DINOv2`), a shorter side with a fraction to keep
    /// (`ConvNeXt`), and a width and height (`SigLIP`, `DINOv3`); missing fields have the defaults of
    /// `transformers`.
    ///
    /// # Errors
    /// [`Error::ReadModel`] for a missing file, [`Error::InvalidModelFile`] for invalid JSON, and
    /// [`Error::InvalidModelConfig`] for an unsupported step.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(FILE);
        let text =
            fs::read_to_string(&path).map_err(|source| Error::ReadModel { path: path.clone(), source })?;
        let file: File = serde_json::from_str(&text)
            .map_err(|source| Error::InvalidModelFile { path: path.clone(), source: Box::new(source) })?;
        file.processing().map_err(|Unsupported { field, found, expected }| Error::InvalidModelConfig {
            path,
            field: field.to_owned(),
            found,
            expected,
        })
    }
}

/// The fields that are used; there are many others.
#[derive(Deserialize)]
struct File {
    do_resize: Option<bool>,
    do_rescale: Option<bool>,
    do_normalize: Option<bool>,
    do_center_crop: Option<bool>,
    size: Option<Size>,
    crop_size: Option<Size>,
    crop_pct: Option<f64>,
    image_processor_type: Option<String>,
    feature_extractor_type: Option<String>,
    resample: Option<i64>,
    rescale_factor: Option<f64>,
    image_mean: Option<[f32; 3]>,
    image_std: Option<[f32; 3]>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Size {
    Side(u32),
    Fields { shortest_edge: Option<u32>, width: Option<u32>, height: Option<u32> },
}

struct Unsupported {
    field: &'static str,
    found: String,
    expected: &'static str,
}

fn unsupported(field: &'static str, found: &dyn ToString, expected: &'static str) -> Unsupported {
    Unsupported { field, found: found.to_string(), expected }
}

impl Size {
    fn width_and_height(self) -> Option<[u32; 2]> {
        match self {
            Self::Side(side) => Some([side; 2]),
            Self::Fields { width: Some(width), height: Some(height), .. } => Some([width, height]),
            Self::Fields { .. } => None,
        }
    }

    /// A single number is the shorter side, as in the first CLIP processors.
    fn shortest_side(self) -> Option<u32> {
        match self {
            Self::Side(side) => Some(side),
            Self::Fields { shortest_edge, .. } => shortest_edge,
        }
    }
}

impl File {
    fn processing(&self) -> Result<ImageProcessing, Unsupported> {
        // Refused: without these steps the network expects other pixels than it would get.
        for (field, step) in [("do_resize", self.do_resize), ("do_rescale", self.do_rescale)] {
            if step == Some(false) {
                return Err(unsupported(field, &false, "true"));
            }
        }
        let factor = self.rescale_factor.unwrap_or(RESCALE_FACTOR);
        // The file has it as a decimal number, such as 0.00392156862745098.
        let is_byte = (factor - RESCALE_FACTOR).abs() < 1e-6;
        if !is_byte {
            return Err(unsupported("rescale_factor", &factor, "1 / 255"));
        }
        let ([width, height], resize) = self.geometry(self.filter()?)?;
        let (mean, std) = self.normalisation()?;
        Ok(ImageProcessing { width, height, resize, mean, std })
    }

    /// The numbers are those of Pillow.
    fn filter(&self) -> Result<Filter, Unsupported> {
        match self.resample.unwrap_or(3) {
            1 => Ok(Filter::Lanczos3),
            2 => Ok(Filter::Bilinear),
            3 => Ok(Filter::Bicubic),
            other => Err(unsupported("resample", &other, "1 (Lanczos), 2 (bilinear) or 3 (bicubic)")),
        }
    }

    fn geometry(&self, filter: Filter) -> Result<([u32; 2], Resize), Unsupported> {
        let Some(size) = self.size else {
            return Err(unsupported("size", &"nothing", "the size of the input"));
        };
        if let Some(side) = size.shortest_side().filter(|_| self.is_convnext()) {
            return self.convnext_geometry(side, filter);
        }
        if let Some(shortest_side) = size.shortest_side().filter(|_| self.do_center_crop != Some(false)) {
            let crop = self.crop_size.unwrap_or(Size::Side(shortest_side));
            let Some(input) = crop.width_and_height() else {
                return Err(unsupported("crop_size", &"something else", "a width and a height"));
            };
            return Ok((input, Resize::CenterCrop { filter, shortest_side }));
        }
        let Some(input) = size.width_and_height() else {
            let expected = "a width and a height, or the shorter side with `do_center_crop`";
            return Err(unsupported("size", &"something else", expected));
        };
        // A crop to the size that the picture already has changes nothing.
        let crop = self.crop_size.filter(|_| self.do_center_crop == Some(true));
        if crop.is_some_and(|crop| crop.width_and_height() != Some(input)) {
            return Err(unsupported("do_center_crop", &true, "false when `size` has a width and a height"));
        }
        Ok((input, Resize::Squash { filter, through: None }))
    }

    /// ConvNeXt's processor has its own crop fraction, which its first files omit.
    fn is_convnext(&self) -> bool {
        let types = [&self.image_processor_type, &self.feature_extractor_type];
        let is_named = types.into_iter().flatten().any(|name| name.starts_with("ConvNext"));
        self.do_center_crop != Some(true) && (is_named || self.crop_pct.is_some())
    }

    fn convnext_geometry(&self, side: u32, filter: Filter) -> Result<([u32; 2], Resize), Unsupported> {
        if side >= CONVNEXT_SQUASHES_FROM {
            return Ok(([side; 2], Resize::Squash { filter, through: None }));
        }
        let share = self.crop_pct.unwrap_or(CONVNEXT_CROP);
        let is_share = share > 0.0 && share <= 1.0;
        if !is_share {
            return Err(unsupported("crop_pct", &share, "above 0 and at most 1"));
        }
        // Rounded down, as in the original processor.
        let shortest_side = (f64::from(side) / share) as u32;
        Ok(([side; 2], Resize::CenterCrop { filter, shortest_side }))
    }

    fn normalisation(&self) -> Result<([f32; 3], [f32; 3]), Unsupported> {
        if self.do_normalize == Some(false) {
            // Without normalisation the input is what rescaling gives, 0 to 1.
            return Ok(([0.0; 3], [1.0; 3]));
        }
        let value = |field, value: Option<[f32; 3]>| {
            value.ok_or_else(|| {
                unsupported(field, &"nothing", "three numbers, unless `do_normalize` is false")
            })
        };
        Ok((value("image_mean", self.image_mean)?, value("image_std", self.image_std)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<ImageProcessing, Unsupported> {
        serde_json::from_str::<File>(json).expect("JSON").processing()
    }

    #[test]
    fn the_processors_of_clip_and_siglip_are_known() {
        let norm = r#""image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]"#;
        let crop = Resize::CenterCrop { filter: Filter::Bicubic, shortest_side: 224 };
        let cases = [
            (r#""crop_size": 224, "size": 224, "do_center_crop": true, "resample": 3"#, 224, crop),
            (
                r#""crop_size": {"height": 224, "width": 224}, "size": {"shortest_edge": 224},
                  "do_center_crop": true, "resample": 3, "rescale_factor": 0.00392156862745098"#,
                224,
                crop,
            ),
            (
                r#""size": {"height": 384, "width": 384}, "resample": 2"#,
                384,
                Resize::Squash { filter: Filter::Bilinear, through: None },
            ),
        ];
        for (fields, side, resize) in cases {
            let Ok(found) = parse(&format!("{{{fields}, {norm}}}")) else { panic!("{fields}") };
            assert_eq!((found.width, found.height, found.resize), (side, side, resize), "{fields}");
            assert_eq!((found.mean, found.std), ([0.5; 3], [0.25; 3]));
        }
    }

    #[test]
    fn the_processors_of_dino_and_convnext_are_known() {
        let norm = r#""image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]"#;
        let crop = |shortest_side| Resize::CenterCrop { filter: Filter::Bicubic, shortest_side };
        let cases = [
            (
                r#""crop_size": {"height": 224, "width": 224}, "size": {"shortest_edge": 256},
                  "do_center_crop": true, "resample": 3, "image_processor_type": "BitImageProcessor""#,
                224,
                crop(256),
            ),
            (
                r#""crop_size": null, "size": {"height": 224, "width": 224}, "do_center_crop": null, "resample": 2,
                  "image_processor_type": "DINOv3ViTImageProcessorFast""#,
                224,
                Resize::Squash { filter: Filter::Bilinear, through: None },
            ),
            (
                r#""crop_pct": 0.875, "size": 224, "feature_extractor_type": "ConvNextFeatureExtractor""#,
                224,
                crop(256),
            ),
            (
                r#""size": {"shortest_edge": 288}, "image_processor_type": "ConvNextImageProcessor""#,
                288,
                crop(329),
            ),
            (
                r#""crop_pct": 0.95, "size": {"shortest_edge": 384}, "image_processor_type": "ConvNextImageProcessor""#,
                384,
                Resize::Squash { filter: Filter::Bicubic, through: None },
            ),
        ];
        for (fields, side, resize) in cases {
            let Ok(found) = parse(&format!("{{{fields}, {norm}}}")) else { panic!("{fields}") };
            assert_eq!((found.width, found.height, found.resize), (side, side, resize), "{fields}");
        }
    }

    #[test]
    fn another_size_keeps_the_share_of_a_crop() {
        let crop = |width, shortest_side| ImageProcessing {
            resize: Resize::CenterCrop { filter: Filter::Bicubic, shortest_side },
            ..ImageProcessing::cropping(width, [0.5; 3], [0.5; 3])
        };
        assert_eq!(crop(224, 256).with_size(518), crop(518, 592));
        assert_eq!(crop(224, 224).with_size(8), crop(8, 8));
    }

    #[test]
    fn steps_that_are_not_done_here_are_named() {
        let norm = r#""image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]"#;
        let cases = [
            (r#""size": {"width": 8, "height": 8}, "do_resize": false"#, "do_resize"),
            (r#""size": {"width": 8, "height": 8}, "do_rescale": false"#, "do_rescale"),
            (r#""size": {"width": 8, "height": 8}, "rescale_factor": 0.00784"#, "rescale_factor"),
            (r#""size": {"width": 8, "height": 8}, "resample": 0"#, "resample"),
            (r#""size": {"shortest_edge": 8}, "do_center_crop": false"#, "size"),
            (r#""size": {"longest_edge": 8}"#, "size"),
            (r#""resample": 3"#, "size"),
            (
                r#""size": {"width": 9, "height": 9}, "do_center_crop": true, "crop_size": 8"#,
                "do_center_crop",
            ),
        ];
        for (fields, expected) in cases {
            let Err(error) = parse(&format!("{{{fields}, {norm}}}")) else { panic!("{fields}") };
            assert_eq!(error.field, expected, "{fields}");
        }
        let Err(error) = parse(r#"{"size": {"width": 8, "height": 8}}"#) else { panic!("no mean") };
        assert_eq!(error.field, "image_mean");
    }

    #[test]
    fn a_file_that_is_missing_or_no_json_is_named() {
        let folder = tempfile::TempDir::new().expect("a folder");
        assert!(matches!(ImageProcessing::read(folder.path()), Err(Error::ReadModel { .. })));
        fs::write(folder.path().join(FILE), "{").expect("a file");
        assert!(matches!(ImageProcessing::read(folder.path()), Err(Error::InvalidModelFile { .. })));
    }
}
