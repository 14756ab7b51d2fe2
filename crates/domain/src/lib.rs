//! The entities and rules of Partsight: what a part type, a vehicle, a scan and a plan are.
//!
//! Everything outside parses what it receives into the types of this crate once, at its edge; below that
//! edge no bare `String` means something. The central types are [`PartType`], [`Vehicle`], [`Scan`] and
//! [`ScanAllowance`].
//!
//! The crate does no I/O, starts no task and reads no clock: a rule that depends on the time takes the time
//! as an argument. That makes every rule testable with a plain function call, at the price of passing
//! moments and ids around.
//!
//! It does not know how a photograph becomes a score (`partsight-inference`), where rows live
//! (`partsight-store`) or which HTTP status an error has (`partsight-api`).
//!
//! Sentences shown to people stand in [`messages`]; look there first when a text is wrong.

mod error;
mod ids;
pub mod messages;
mod part;
mod plan;
mod roll_up;
mod scan;
mod text;
mod user;
mod vehicle;

pub use error::InvalidInput;
pub use ids::{ScanId, SessionId, UserId, VehicleId};
pub use part::{
    BuyingAdvice, Category, Difficulty, InstallationGuide, InstallationVideo, PartLabel, PartType,
    PriceEstimate, VideoLevel,
};
pub use plan::{Plan, ScanAllowance, UNLIMITED_SCANS};
pub use roll_up::CategoryGuess;
pub use scan::{Candidate, Receipt, Scan, StageTimings, Verdict, VerdictThresholds};
pub use user::{EmailAddress, NewUser, Password, PersonName, User};
pub use vehicle::{ModelYear, NewVehicle, Vehicle, VehicleName, Vin};
