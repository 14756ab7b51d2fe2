mod cross_references;
mod price_lists;
mod shop_parts;
