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

mod api_key;
mod company;
mod compatibility;
mod contact;
mod currency;
mod dial;
mod embedding;
mod error;
mod feedback;
mod fill;
mod fusion;
mod ids;
mod judgement;
mod link_template;
mod mailed_link;
mod maintenance;
pub mod messages;
mod mileage;
mod number_text;
mod offer;
mod oil_change;
mod opinion_pool;
mod paid_plan;
mod part;
mod part_fitments;
mod part_reference;
mod part_search;
mod part_view;
mod plan;
mod price;
mod price_list;
mod record_cost;
mod record_date;
mod record_page;
mod record_text;
mod record_warning;
mod repair;
mod roll_up;
mod scan;
mod session;
mod shop_part;
mod subscription;
mod text;
mod usage;
mod user;
mod vehicle;

pub use api_key::{ApiKey, ApiScope, MAX_API_KEYS, NewApiKey};
pub use company::{
    Company, CompanyInvitation, CompanyMember, CompanyProfile, CompanyRole, INVITATION_VALID_FOR,
    LOGO_MAX_BYTES, MAX_COMPANY_MEMBERS, Membership, NewMember, OpenInvitation,
};
pub use compatibility::{Fit, FitSource, FitVerdict, UNFIT_PRIOR, VehicleFacts, VehicleNeed, VehicleVariant};
pub use contact::{ContactMessage, ContactTrap, NewContactMessage};
pub use currency::Currency;
pub use dial::{Dial, DialMark, ErrorRate, VerdictCounts};
pub use embedding::Embedding;
pub use error::InvalidInput;
pub use feedback::{
    CalibrationFigures, FeedbackKind, LearningChoice, RefitOutcome, ScanFeedback, TenantCalibration,
};
pub use fill::{AI_LABEL, FillKind, FillQuestion, Filled, FilledOil, FitmentNotes, OilAnswer, filled_guide};
pub use fusion::{ClassScores, FusedScores, NearReference, ReferenceCalibration};
pub use ids::{
    ApiKeyId, CancellationRequestId, CompanyId, ContactMessageId, InvitationId, MemberId, OilChangeId,
    PriceListId, ReferenceId, RepairId, ScanId, SessionId, ShopPartId, TenantId, UserId, VehicleId,
};
pub use judgement::{JudgeBudgetChoice, Judgement, NotJudged, VerdictPath, WeighedVerdict, weigh_judgement};
pub use link_template::{LinkSubject, LinkTemplate};
pub use mailed_link::LinkPurpose;
pub use maintenance::{
    Alert, DueState, Interval, ItemId, LastDone, MaintenanceForm, MaintenanceItem, NewMaintenance,
    OIL_CHANGE, OIL_CHANGE_INTERVAL, OdometerTrend, OwnerOil, Reminder, ScheduledItem, alerts, reminders,
    snooze_day,
};
pub use mileage::Mileage;
pub use offer::{Offer, OfferSource, RankedOffer, SourceFailure, rank_offers};
pub use oil_change::{NewOilChange, OilChange, OilChangeForm};
pub use opinion_pool::OpinionPool;
pub use paid_plan::{BillingInterval, CURRENCY, PaidPlan};
pub use part::{
    BuyingAdvice, Category, Difficulty, InstallationGuide, InstallationVideo, PartLabel, PartType,
    PriceEstimate, VideoLevel,
};
pub use part_fitments::{PartFitments, VehicleKey};
pub use part_reference::{Fitment, ReferenceKind, TaughtPartType};
pub use part_search::{PartQuery, SearchField};
pub use part_view::{PartPosition, PhotoView, TellingApart};
pub use plan::{Feature, Plan, ScanAllowance, UNLIMITED_SCANS};
pub use price::{CurrencySign, DecimalSign, Price, PriceFault, PriceText};
pub use price_list::{
    PRICE_LIST_MAX_BYTES, PRICE_LIST_MAX_ROWS, PRICE_LIST_RESTORABLE, PRICE_LISTS_OF_SHOP,
    PRICE_ROWS_OF_SHOP, PRICE_TEXT_MAX_CHARS, PriceList, PriceListDetails, PriceListForm, PriceListItem,
    is_web_address, number_key, part_key,
};
pub use record_cost::Cost;
pub use record_date::{caller_today, check_record_date, record_date};
pub use record_page::{NoCursor, RecordCursor, RecordPage};
pub use record_warning::{OdometerReading, RecordWarning, mileage_warnings, record_warnings};
pub use repair::{NewRepair, Repair, RepairForm};
pub use roll_up::CategoryGuess;
pub use scan::{
    Candidate, JudgingReceipt, MAX_SCAN_PHOTOS, PhotoFinding, PhotoKeeping, PhotoSize, Receipt, Scan,
    ScanPhoto, ScanPosition, StageTimings, VehicleDoubt, Verdict, VerdictThresholds,
};
pub use session::{ReturnPath, Session, SignInMethod, browser_name};
pub use shop_part::{
    FitmentSource, MAX_FITMENTS, MAX_PART_PHOTOS, MAX_SHOP_PARTS, NewShopPart, PART_BRAND_MAX_CHARS,
    PART_NUMBER_MAX_CHARS, PartFitment, PartFitmentForm, PartPrice, ShopPart, ShopPartForm, compact_number,
    part_brand, part_number,
};
pub use subscription::{
    CancellationRequest, CancellationState, PLAN_CHANGE_WAIT, Subscription, SubscriptionStatus,
};
pub use usage::{FillUsageRow, ScanSource, ScanUsage, UsageDays, UsagePath, UsageRow};
pub use user::{EmailAddress, NewUser, Password, PersonName, TERMS_VERSION, User};
pub use vehicle::{DeletedVehicle, ModelYear, NewVehicle, Vehicle, VehicleName, Vin};
