//! Scans, their regions and readings, feedback, and the model in use.

messages! {
    SCANNING;
    /// The scan allowance is used up.
    SCAN_LIMIT_EXCEEDED = "Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.";
    /// A scan without a vehicle.
    SELECT_VEHICLE = "Please select a vehicle first";
    /// A scan without a photograph.
    SCAN_PHOTO_MISSING = "The photo is missing: please send it in the form field `image`.";
    /// A scan with more photographs than it may have.
    TOO_MANY_SCAN_PHOTOS = "A scan takes at most 5 photos of one part. Please choose the best ones.";
    /// Regions of a scan of which the photograph is not at hand.
    REGION_PHOTO_MISSING = "To look at new boxes the photo of this scan is needed, and it is not kept here. Please send it again in the form field `image`.";
    /// Regions with a photograph that is not the scan's.
    REGIONS_OF_OTHER_PHOTO = "This is not the photo of this scan. Please choose the same photo again, not cropped or turned; for another one please make a new scan.";
    /// Regions of a scan that another model answered.
    REGIONS_OF_OLD_SCAN = "This scan was answered by another version of the model, so its photo cannot be recognised. Please scan the photo again.";
    /// Regions of a scan of several photographs, or a scan of several parts with several photographs.
    REGIONS_OF_ONE_PHOTO = "Several parts are looked for on one photo at a time. Please scan a single photo that shows all of them.";
    /// Regions that are no list of boxes; `MAX_REGIONS` of them at most.
    REGIONS_UNREADABLE = "The field `regions` must be a JSON array of at most 20 boxes, each with `area` (`left`, `top`, `width`, `height`) and perhaps `label`.";
    /// A correction of a line of text that the scan does not have.
    READ_LINE_MISSING = "There is no such line on this part. Please load what was read again.";
    /// A correction of the text on a part that has not been read.
    NOTHING_READ = "No text has been read on this part, so there is nothing to correct.";
    /// The photograph shows no part that the model knows.
    NOT_IDENTIFIED = "We couldn't identify this part. Try adjusting the lighting or angle.";
    /// The photograph shows no part that the model knows, and the index of what was taught was not to be had.
    NOT_IDENTIFIED_AMONG_LEARNT = "We couldn't identify this part, and the parts that you have taught can't be looked at right now. Please try again in a minute.";
    /// A photograph over which a worker was lost not long ago.
    PHOTO_QUARANTINED = "This photo made the recognition fail before, so it is not tried again for a day. Please send another photo of the part.";
    /// The engine was lost while it had the photograph.
    ENGINE_LOST = "The recognition failed on this photo and is being restarted. Nothing was counted; please try again, or with another photo.";
    /// A scan id that does not exist or belongs to somebody else.
    SCAN_NOT_FOUND = "This scan does not exist. It may have been deleted.";
    /// Feedback that names another part, without saying which.
    FEEDBACK_LABEL_MISSING = "Please say which part it is, with a label from the catalogue or of a part that you taught.";
    /// Feedback that names a part where there is none to name.
    FEEDBACK_LABEL_UNWANTED = "Please leave the label out, or say that it is another part.";
    /// A label that neither the catalogue nor the tenant's own parts have.
    FEEDBACK_LABEL_UNKNOWN = "There is no such part in the catalogue or among the parts that you taught. Please choose another label, or teach the part first.";
    /// A confirmed scan that was seen by another model than the one in use.
    FEEDBACK_OTHER_MODEL = "This scan cannot teach the part: it was answered by another model, or by an older version of Partsight. Please teach the part with a photo of it.";
    /// A confirmed scan whose picture shows several parts.
    FEEDBACK_SEVERAL_PARTS = "This scan cannot teach the part: its photo shows several. Please teach the part with a photo of it alone.";
    /// A confirmed scan that could not be kept as a reference.
    FEEDBACK_NOT_TAUGHT = "Your answer is kept, but the scan could not be made a photo of the part. Please teach the part with a photo of it.";
    /// Feedback or a grade that somebody gave for a company that they have left.
    GIVEN_FOR_FORMER_COMPANY = "This was given for a company that you are no longer in. It counts there and stays as it is.";
    /// A picture that is not kept, or no longer.
    SCAN_PHOTO_NOT_FOUND = "No picture is kept of this scan.";
    /// The folder or bucket with the photograph does not answer.
    PHOTO_STORAGE_AWAY = "This photo can't be fetched from its storage right now. It is still there; please try again in a minute.";
    /// The model is none that a browser can run, or was replaced.
    NO_BROWSER_MODEL = "There is no such model for browsers.";
}
