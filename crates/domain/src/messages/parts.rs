//! Part types, shop parts, fit, price lists, cross-references, and what a language model filled in.

messages! {
    PARTS;
    /// A part id that is not in the catalogue.
    PART_NOT_FOUND = "This part is not in the catalogue.";
    /// A part number without a letter or digit, or too long.
    PART_NUMBER_INVALID = "Please enter a part number of letters and digits, at most 60 characters.";
    /// A price list without a supplier.
    PRICE_LIST_SUPPLIER_MISSING = "Please enter who sells at these prices.";
    /// A price list id that does not exist or belongs to somebody else, or a list that is deleted or is not.
    PRICE_LIST_NOT_FOUND = "This price list does not exist. It may have been deleted or replaced.";
    /// A deleted price list whose name another one has taken.
    PRICE_LIST_NAME_TAKEN = "There is a newer price list of this name. Please delete it first.";
    /// As many price lists as there may be.
    PRICE_LISTS_FULL = "A shop can have 50 price lists. Please replace or delete one.";
    /// As many rows in all price lists as there may be.
    PRICE_ROWS_FULL = "All price lists of a shop can have 3,000,000 rows together. Please send a shorter list, or delete another one.";
    /// A price list without the plan for it.
    PRICE_LIST_PLAN_NEEDED = "Price lists are part of the Business plan. Please upgrade to Business to upload one.";
    /// A website that is no address.
    WEB_ADDRESS_NEEDED = "Please enter an address that begins with https:// or http://.";
    /// A price list with a field behind its file.
    PRICE_LIST_FILE_LAST = "Please send the file as the last field of the form: it is read while it arrives.";
    /// Options of a list beside the path instead of in the form.
    LIST_OPTIONS_IN_QUERY = "This call takes its options, such as `dryRun`, as fields of the form before the file, and none in the address.";
    /// A price list, or a list of cross-references, without its file.
    PRICE_LIST_FILE_MISSING = "The file is missing: please send it in the form field `file`.";
    /// A list of cross-references without a name.
    CROSS_REFERENCE_NAME_MISSING = "Please enter a name for the list.";
    /// A list of cross-references that does not exist or belongs to somebody else, or that is deleted or is not.
    CROSS_REFERENCE_LIST_NOT_FOUND = "This list does not exist. It may have been deleted or replaced.";
    /// A deleted list of cross-references whose name another one has taken.
    CROSS_REFERENCE_NAME_TAKEN = "There is a newer list of this name. Please delete it first.";
    /// As many lists of cross-references as there may be.
    CROSS_REFERENCE_LISTS_FULL = "A shop can have 50 lists of cross-references. Please replace or delete one.";
    /// As many rows in all lists of cross-references as there may be.
    CROSS_REFERENCE_ROWS_FULL = "All cross-references of a shop can have 3,000,000 rows together. Please send a shorter list, or delete another one.";
    /// A list of cross-references without the plan for it.
    CROSS_REFERENCE_PLAN_NEEDED = "Cross-references are part of the Business plan. Please upgrade to Business to upload a list.";
    /// A part category that does not exist.
    PART_CATEGORY_NOT_FOUND = "The parts category you're looking for doesn't exist.";
    /// A part of the shop that does not exist, belongs to somebody else, or is deleted.
    SHOP_PART_NOT_FOUND = "This part does not exist. It may have been deleted.";
    /// A part of a number and brand that the shop has.
    SHOP_PART_EXISTS = "You have a part of this number and brand already. Please change that one.";
    /// A part that somebody else changed between reading and saving.
    SHOP_PART_CHANGED = "Somebody else changed these parts in the meantime. Nothing was saved; please try again.";
    /// A deleted part to restore whose taught part type is deleted as well.
    SHOP_PART_TYPE_DELETED = "The part type that this part belongs to was deleted meanwhile. Please restore the part type first.";
    /// The compatibility check without the plan for it.
    COMPATIBILITY_NEEDS_PLAN = "The part compatibility checker is part of the Pro and Business plans. Please upgrade first.";
    /// The compatibility check without a vehicle to check for.
    FITS_VEHICLE_MISSING = "Please choose the vehicle that the part should fit.";
    /// The answer for a part of which nobody has said what it fits.
    FIT_UNKNOWN = "Nothing is known about this part on this vehicle. Please compare the part numbers, or ask your supplier.";
    /// Throwing away what a language model filled in, where it filled in nothing.
    FILL_NOT_FOUND = "There is nothing here that a language model filled in.";
}
