//! Part types and their guides, the parts, price lists and cross-references of a shop, what fits, and where to buy.
//! Begin with `part_types.rs`.

pub(crate) mod cross_references;
pub(crate) mod fit;
pub(crate) mod guides;
pub(crate) mod list_upload;
pub(crate) mod part_types;
pub(crate) mod price_lists;
pub(crate) mod recalls;
pub(crate) mod search;
pub(crate) mod shop_part_files;
pub(crate) mod shop_parts;
pub(crate) mod similar_parts;
pub(crate) mod suppliers;
