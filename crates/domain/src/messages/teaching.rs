//! Taught parts, their photographs and look-alikes.

messages! {
    TEACHING;
    /// A pair of look-alikes that nobody marked, or that is not one's own.
    LOOK_ALIKE_NOT_FOUND = "These two parts are not marked as look-alikes.";
    /// A part marked as a look-alike of itself.
    LOOK_ALIKE_OF_ITSELF = "A part cannot be a look-alike of itself. Please choose another part.";
    /// More look-alikes of one part than there may be.
    TOO_MANY_LOOK_ALIKES = "A part has at most 20 look-alikes. Please remove one first.";
    /// Too many photographs to teach that looked more like another part, in a short time.
    NAMINGS_USED_UP = "Too many of these photos looked more like other parts: 100 at once are checked, then 100 an hour. Please wait a minute and try again.";
    /// A name for a taught part type that the catalogue or the tenant has already.
    PART_TYPE_EXISTS = "A part of this name already exists. Please add the photos to it, or choose another name.";
    /// Another name for a taught part type that the catalogue or the tenant has already.
    PART_TYPE_NAME_TAKEN = "Another part has this name. Please choose another one.";
    /// A taught part type to change, delete or restore that is not one's own, is shared, or is not there any more.
    TAUGHT_TYPE_NOT_FOUND = "You have taught no such part. It may have been deleted.";
    /// A taught part type to delete that parts of the shop are of.
    TAUGHT_TYPE_IN_USE = "Parts of your shop are of this type. Please delete them first, or give them another type.";
    /// A reference id that is not one's own, a reference that is deleted, or one without a picture.
    REFERENCE_NOT_FOUND = "This photo of a part does not exist. It may have been deleted.";
    /// Photographs taught for a part that the shop does not have.
    TAUGHT_PART_MISSING = "There is no such part in your shop. It may have been deleted.";
    /// Photographs taught for a part of another type.
    TAUGHT_PART_OF_OTHER_TYPE = "This part of your shop is of another type. Please choose one of the type that the photos show.";
    /// The vector index does not answer.
    VECTOR_INDEX_DOWN = "The search by appearance does not answer at the moment. Please try again in a minute.";
}
