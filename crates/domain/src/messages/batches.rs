//! Batches, grades, and zips of photographs.

messages! {
    BATCHES;
    /// A batch that does not exist or belongs to somebody else.
    BATCH_NOT_FOUND = "This batch does not exist. It may have been deleted.";
    /// A photograph that is in no batch, or in another one.
    BATCH_ITEM_NOT_FOUND = "One of these photos is not in the batch. Please load the batch again.";
    /// A folder of the server, where none is open.
    BATCH_NO_FOLDERS = "This server opens no folder for batches. Please upload the photos.";
    /// A folder that is not there, or not below the open one.
    BATCH_FOLDER_MISSING = "There is no such folder for batches on the server. Please choose another one.";
    /// A scale of grades that is none.
    GRADE_SCALE = "Please name 1 to 12 different grades of at most 30 characters each.";
    /// Days whose grades are asked for, that are none.
    GRADE_DAYS = "Please name a first day and a last one that is not before it, at most a year apart, such as 2026-11-20.";
    /// How far the clocks are ahead that such days are of, beyond what can be.
    GRADE_UTC_OFFSET = "Please give `utcOffset` in minutes between -1559 and 1559, such as -300.";
    /// A list of damages that is too long.
    GRADE_DAMAGE = "Please name at most 10 damages of at most 200 characters each.";
    /// Photographs of a batch that are to be arranged in an impossible way.
    BATCH_ARRANGEMENT = "Please name each photo once, 500 at most, in items of 1 to 5. Several photos of one item have a `groupedBy`, and one alone is set apart by a `person` or by nobody.";
    /// A batch without a name.
    BATCH_NAME = "Please give the batch a name of at most 100 characters.";
    /// A place in the list of the items of a batch that is none.
    BATCH_CURSOR = "This cursor is not valid. Please begin without `cursor`.";
    /// Less than a list of photographs can be searched for.
    BATCH_NUMBER = "Please give at least three letters or digits of the part number.";
    /// A batch with as many photographs as it may have.
    BATCH_FULL = "A batch takes at most 50,000 photos. Please put the others into another one.";
    /// An account with as many batches as it may have.
    TOO_MANY_BATCHES = "An account keeps at most 1,000 batches. Please delete some first.";
    /// A batch that was cancelled and is sent photographs, or started.
    BATCH_CANCELLED = "This batch was cancelled. Please make a new one, or try its photos again.";
    /// A batch is started without photographs.
    BATCH_EMPTY = "This batch has no photos yet. Please add some first.";
    /// An item whose key is too long, or of which nothing is left.
    BATCH_KEY = "The key of a photo, or its path in a zip or folder, takes 1 to 1,024 bytes of text that can be shown. Letters with accents, and those of other alphabets, take two to four.";
    /// A key in a form that is not followed by its photograph.
    BATCH_KEY_ORDER = "A `key` is sent directly before its photo. Please send `key`, `photo`, `key`, `photo`, and so on, and no key before a zip.";
    /// Results of a batch in a form that there is none of.
    BATCH_FORMAT = "`format` must be `csv`, `jsonl`, `xlsx` or `parquet`.";
    /// A form for a batch without a photograph.
    BATCH_PHOTO_MISSING = "The photos are missing: please send each in a form field `photo`, or one zip in the field `zip`.";
    /// A body of another media type where photographs for a batch are needed.
    BATCH_FORM_NEEDED = "Please send the photos as multipart/form-data with a boundary: each in a form field `photo`, or one zip in the field `zip`.";
    /// An upload for a batch stopped. It keeps what came before.
    BATCH_UPLOAD_STALLED = "The upload stopped before it was complete. The photos that had arrived are in the batch; please send the rest again.";
    /// A folder or a zip took longer than one may. The batch keeps what was read before.
    BATCH_TOO_LONG = "The server did not finish this in time. The photos that it had read by then are in the batch; please try again in a minute for the rest.";
    /// A batch that waits because nothing can be written.
    BATCH_WAITS_FOR_SPACE = "The server's disk is full. The batch goes on by itself once there is space.";
    /// No space is left for a photograph of a batch, which keeps those before it.
    BATCH_STORAGE_FULL = "The server's disk is full. The photos that were stored before are in the batch; please free some space and send the rest again.";
    /// A photograph that was tried as often as may be.
    BATCH_TRIED_OFTEN = "The server could not answer for this photo in three tries. Please try it again later.";
    /// A batch is deleted or cancelled while a photograph of it is worked on.
    BATCH_LEASE_LOST = "This photo was taken over or cancelled meanwhile.";
    /// A file that is no zip, or was cut off.
    ZIP_UNREADABLE = "This zip cannot be read: it is damaged or was cut off. Please make it again and send it whole.";
    /// A zip with too many entries.
    ZIP_TOO_MANY = "This zip has more than 100,000 entries. Please split it.";
    /// A zip without photographs.
    ZIP_EMPTY = "There are no photos in this zip.";
}
