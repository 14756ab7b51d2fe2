//! A shop's own parts, its price lists and cross-references, and cached answers of suppliers. Begin with
//! `shop_parts.rs`.

mod cross_references;
mod part_numbers;
mod price_lists;
mod price_offers;
mod shop_part_changes;
mod shop_parts;
mod supplier_answers;
mod uploaded_lists;

pub use part_numbers::ListedNumber;
pub use price_lists::NewPriceList;
pub use price_offers::{ListedPrice, PartKeys};
pub use shop_part_changes::ShopPartRefusal;
pub use shop_parts::ShopPartTexts;
pub use supplier_answers::SupplierAnswer;
pub use uploaded_lists::{PublishList, UploadedListId};
