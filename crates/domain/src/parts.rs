//! Part types with their guides, the parts that shops sell, what they cost and which vehicles they fit.
//!
//! Begin with `part_type` for the catalogue and with `shop_part` for the parts of a shop.

mod compatibility;
mod cross_reference;
mod fitment;
mod link_template;
mod offer;
mod part_fitments;
mod part_search;
mod part_type;
mod part_view;
mod price;
mod price_list;
mod recall_match;
mod shop_part;

pub use compatibility::{Fit, FitSource, FitVerdict, VehicleFacts, VehicleNeed, VehicleVariant};
pub use cross_reference::{
    CROSS_REFERENCE_LISTS_OF_SHOP, CROSS_REFERENCE_MAX_ROWS, CROSS_REFERENCE_RESTORABLE,
    CROSS_REFERENCE_ROWS_OF_SHOP, CrossLink, CrossNumber, CrossReference, CrossReferenceList, CrossRelation,
    CrossWalk, cross_reference_list_name, means_several_parts,
};
pub use fitment::{Fitment, ModelKey};
pub use link_template::{LinkSubject, LinkTemplate, QUERY_VALUE};
pub use offer::{Offer, OfferSource, RankedOffer, SourceFailure, rank_offers};
pub use part_fitments::{FitmentKey, PartFitments, VehicleKey};
pub use part_search::{PartQuery, SearchField};
pub use part_type::{
    BuyingAdvice, Difficulty, InstallationGuide, InstallationVideo, PartType, PriceEstimate, VideoLevel,
};
pub use part_view::{PartPosition, PhotoView, TellingApart};
pub use price::{CurrencySign, DecimalSign, Price, PriceFault, PriceText};
pub use price_list::{
    LIST_MAX_BYTES, PRICE_LIST_MAX_ROWS, PRICE_LIST_RESTORABLE, PRICE_LISTS_OF_SHOP, PRICE_ROWS_OF_SHOP,
    PRICE_TEXT_MAX_CHARS, PriceList, PriceListDetails, PriceListForm, PriceListItem, is_web_address,
    list_name_key, number_key, part_key,
};
pub use recall_match::RecalledPart;
pub use shop_part::{
    FitmentSource, MAX_SHOP_PARTS, NewShopPart, PartFitment, PartFitmentForm, PartPrice, ShopPart,
    ShopPartForm,
};
