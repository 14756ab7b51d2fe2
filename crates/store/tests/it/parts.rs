mod price_lists;
mod shop_parts;
