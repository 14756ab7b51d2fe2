//! The entities and rules of Partsight: what a part type, a vehicle, a scan and a plan are.
//!
//! All input is parsed into the types of this crate once, where it enters the program; after that, no bare `String`
//! has a meaning of its own. The central types are [`PartType`], [`Vehicle`], [`Scan`] and [`ScanAllowance`].
//!
//! The crate does no I/O, starts no tasks and reads no clock: a rule that depends on the time has it as an
//! argument. So every rule can be tested with a plain function call, at the price of passing timestamps and ids
//! around.
//!
//! It does not know how a photograph becomes a score (`partsight-inference`), where rows are stored
//! (`partsight-store`) or which HTTP status an error has (`partsight-api`).
//!
//! A room is a folder with one subject; the table in ARCHITECTURE.md lists which other rooms it may use. Code that
//! depends on no room is in files beside these folders. Every name is exported from here.
//!
//! Sentences shown to users are in [`messages`]. Every crate declares the settings that it reads by [`settings!`].

#[macro_use]
mod debug_fields;
#[macro_use]
mod named;

mod accounts;
mod batches;
mod category;
mod currency;
mod day;
mod error;
mod evaluations;
mod events;
mod garage;
mod ids;
mod judging;
pub mod messages;
mod number_text;
mod part_label;
mod part_number;
mod parts;
mod plans;
mod recognition;
mod scanning;
mod seeded_rng;
mod settings;
mod teaching;
mod text;

pub use accounts::{
    ApiKey, ApiScope, ChosenPassword, CompanyRole, EmailAddress, Feature, FillKind, FillUsageRow,
    LinkPurpose, MAX_API_KEYS, Membership, NewApiKey, NewUser, Password, PersonName, Plan, Quota, ReturnPath,
    ScanAllowance, ScanSource, ScanUsage, Session, SignInMethod, TERMS_VERSION, UNLIMITED_SCANS, UsageDays,
    UsagePath, UsageRow, User, browser_name, display_name,
};
pub use batches::{
    Batch, BatchCounts, BatchItem, BatchItemState, BatchSort, BatchState, DEFAULT_GRADES, GradeTotal,
    GroupedBy, GroupingPhoto, ITEM_KEY_MAX_BYTES, ITEM_NAME_MAX_CHARS, ItemPosition, MAX_BATCH_PHOTOS,
    MAX_ITEM_ATTEMPTS, MAX_OPEN_BATCHES, ScanGrade, batch_name, doubt_of, grade_scale, kept_item_name,
    propose_groups,
};
pub use category::Category;
pub use currency::Currency;
pub use day::caller_today;
pub use error::InvalidInput;
pub use evaluations::{
    ConfusedLabels, CoverageAtRisk, DRIFT_WINDOW, EmbeddingShift, Evaluation, EvaluationDifference,
    EvaluationFailure, EvaluationMistake, EvaluationReport, EvaluationSlice, EvaluationState, FittedScores,
    KernelTest, KolmogorovSmirnov, LabelFigures, LabelledLayout, MAX_EVALUATION_ATTEMPTS,
    MAX_EVALUATION_PHOTOS, MAX_EVALUATIONS, MIN_DRIFT_SCANS, ModelScores, Proportion, ScanDrift, ScoreShift,
    ThresholdOutcome, UnknownLabel, UnlikelyLabel, evaluation_name, kernel_two_sample, kolmogorov_smirnov,
    labelled_layout,
};
pub use events::{
    AccountEvent, DeliveryPage, DeliveryState, ENDPOINT_PATIENCE, ENDPOINT_QUIET, EVENT_KEPT_FOR, EventKind,
    MAX_WEBHOOKS, NewEvent, NewWebhook, Webhook, WebhookDelivery, next_try, rest_after,
};
pub use garage::{
    Alert, Complaint, ComponentComplaints, Cost, DeletedVehicle, DigestChoice, DigestRhythm, DueState,
    Interval, ItemId, LastDone, MAX_PUSH_SUBSCRIPTIONS, MaintenanceForm, MaintenanceItem, Mileage, ModelYear,
    NewMaintenance, NewOilChange, NewRepair, NewVehicle, NoCursor, NoPushSubscriptionId, OIL_CHANGE,
    OIL_CHANGE_INTERVAL, OdometerReading, OdometerTrend, OilChange, OilChangeForm, OwnerOil, PUSH_KEPT_FOR,
    PushMessage, PushSubscription, PushSubscriptionId, Recall, RecordCursor, RecordPage, RecordWarning,
    Reminder, ReminderDigest, Repair, RepairForm, SafetyRecords, ScheduledItem, Vehicle, VehicleName, Vin,
    alerts, check_record_date, record_date, record_warnings, reminders, snooze_day, vehicle_names,
};
pub use ids::{
    ApiKeyId, BatchId, BatchItemId, CancellationRequestId, CompanyId, ContactMessageId, CrossReferenceListId,
    EvaluationId, EventId, InvitationId, MemberId, OilChangeId, PriceListId, ReferenceId, RepairId, ScanId,
    SessionId, ShopPartId, TenantId, UserId, VehicleId, WebhookId,
};
pub use judging::{
    AI_LABEL, ConsentToJudge, FillQuestion, Filled, FilledOil, FitmentNotes, JudgeBudgetChoice, Judgement,
    NotJudged, OilAnswer, VerdictPath, WeighedVerdict, filled_guide, weigh_judgement,
};
pub use named::UnknownName;
pub use part_label::PartLabel;
pub use part_number::{
    PART_BRAND_MAX_CHARS, PART_NUMBER_MAX_CHARS, compact_number, folded_number, misreading_cost, part_brand,
    part_number,
};
pub use parts::{
    BuyingAdvice, CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_MAX_ROWS, CROSS_REFERENCE_RESTORABLE,
    CROSS_REFERENCE_ROWS_OF_SHOP, CrossLink, CrossNumber, CrossReference, CrossReferenceList, CrossRelation,
    CrossWalk, CurrencySign, DecimalSign, Difficulty, Fit, FitSource, FitVerdict, Fitment, FitmentKey,
    FitmentSource, InstallationGuide, InstallationVideo, LIST_MAX_BYTES, LinkSubject, LinkTemplate,
    MAX_SHOP_PARTS, ModelKey, NewShopPart, Offer, OfferSource, PRICE_LIST_MAX_ROWS, PRICE_LIST_RESTORABLE,
    PRICE_LISTS_OF_SHOP, PRICE_ROWS_OF_SHOP, PRICE_TEXT_MAX_CHARS, PartFitment, PartFitmentForm,
    PartFitments, PartPosition, PartPrice, PartQuery, PartType, PhotoView, Price, PriceEstimate, PriceFault,
    PriceList, PriceListDetails, PriceListForm, PriceListItem, PriceText, QUERY_VALUE, RankedOffer,
    RecalledPart, SearchField, ShopPart, ShopPartForm, SourceFailure, TellingApart, VehicleFacts, VehicleKey,
    VehicleNeed, VehicleVariant, VideoLevel, cross_reference_list_name, is_web_address, list_name_key,
    means_several_parts, number_key, part_key, rank_offers,
};
pub use plans::{
    BillingInterval, CURRENCY, CancellationRequest, CancellationState, Company, CompanyInvitation,
    CompanyMember, CompanyProfile, ContactMessage, ContactTrap, INVITATION_VALID_FOR, LOGO_MAX_BYTES,
    MAX_COMPANY_MEMBERS, NewContactMessage, NewMember, OpenInvitation, PLAN_CHANGE_WAIT, PaidPlan,
    REFUSAL_HOLDS_FOR, Subscription, SubscriptionStatus,
};
pub use recognition::{
    CalibratedScores, Candidate, CandidateSet, CategoryGuess, Conditions, Decision, Embedding, FusedScores,
    LookAlikePair, LookAlikes, MAX_PROPOSED_REGIONS, MAX_REGIONS, MIN_REGION_SIDE, ModelCalibration,
    NearReference, NearReferences, OpinionPool, RawScores, ReferenceCalibration, RegionBox, RegionLook,
    RegionRule, Scorer, SetCalibration, SetRule, TaughtIdentification, TaughtRule, UNFIT_PRIOR, Verdict,
    VerdictThresholds, softmax,
};
pub use scanning::{
    Answer, CodeField, CodeSymbology, FeedbackKind, JudgingReceipt, KnownNumber, MAX_READ_LINES,
    MAX_SCAN_PHOTOS, MarkedRegion, MatchedPart, NumberOfLine, NumberSays, NumberSource, PartCode,
    PhotoFinding, PhotoKeeping, PhotoSize, PictureSays, ReadLine, ReadNumber, Reading, Receipt, RegionTotal,
    Scan, ScanFeedback, ScanPhoto, ScanPosition, ScanRegion, ScanRegions, StageTimings, TextKind,
    VehicleDoubt, brand_in, has_telling_brand, is_stacked_brand, match_numbers, numbers_in, numbers_of,
};
pub use seeded_rng::SeededRng;
pub use settings::{Decimal, InvalidSetting, Secret, ServiceUrl, SettingFacts, SettingRange, SettingsGroup};
#[doc(hidden)]
pub use settings::{setting_value, shown_setting};
pub use teaching::{
    CalibrationFigures, Dial, DialMark, ErrorRate, FeedbackDoubt, LearningChoice, LookAlike, MAX_LOOK_ALIKES,
    ReferenceKind, RefitOutcome, TaughtPartType, TenantCalibration, VerdictCounts,
};
pub use text::{FORMULA_STARTS, clean_line, is_formula};
