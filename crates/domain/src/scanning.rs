//! Scans: the saved answer with its receipt, regions, readings and feedback.
//!
//! Begin with `scan`.

mod answered;
mod brand_names;
mod brands;
mod code;
mod code_field;
mod feedback;
mod gs1;
mod number_match;
mod read_line;
mod reading;
mod scan;
mod scan_region;
mod text_kind;

pub use brands::{brand_in, has_telling_brand, is_stacked_brand};
pub use code::{CodeSymbology, PartCode};
pub use code_field::CodeField;
pub use feedback::{FeedbackKind, ScanFeedback};
pub use number_match::{
    Answer, KnownNumber, MatchedPart, NumberSays, NumberSource, PictureSays, match_numbers,
};
pub use read_line::{ReadLine, ReadNumber, numbers_in};
pub use reading::{MAX_READ_LINES, Reading};
pub use scan::{
    JudgingReceipt, MAX_SCAN_PHOTOS, PhotoFinding, PhotoKeeping, PhotoSize, Receipt, Scan, ScanPhoto,
    ScanPosition, StageTimings, VehicleDoubt,
};
pub use scan_region::{MarkedRegion, RegionTotal, ScanRegion, ScanRegions};
pub use text_kind::{NumberOfLine, TextKind, numbers_of};
