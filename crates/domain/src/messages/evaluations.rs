//! Evaluations and their reports.

messages! {
    EVALUATIONS;
    /// An evaluation that does not exist or belongs to somebody else.
    EVALUATION_NOT_FOUND = "This evaluation does not exist. It may have been deleted.";
    /// A file of an evaluation's report that there is none of.
    EVALUATION_FILE_NOT_FOUND = "This evaluation has no such file.";
    /// An evaluation without a name, or with too long a one.
    EVALUATION_NAME = "Please give the evaluation a name of at most 100 characters.";
    /// A second evaluation of an account while one is under way.
    EVALUATION_RUNNING = "An evaluation of this account is under way. Please wait for it, or cancel it first.";
    /// An account with as many evaluations as it may have.
    TOO_MANY_EVALUATIONS = "An account keeps at most 50 evaluations. Please delete some first.";
    /// An evaluation with too many photographs.
    EVALUATION_FULL = "An evaluation takes at most 5,000 photos. Please leave some out.";
    /// Photographs for an evaluation without labels.
    EVALUATION_LAYOUT = "The photos have no labels: please put them into one folder for each type of part, such as `brake-caliper/1.jpg`, or add a list `labels.csv` with the columns `path` and `label`.";
    /// Photographs for an evaluation with several lists.
    EVALUATION_LISTS = "There are several CSV files. Please keep the one with the columns `path` and `label`.";
    /// A form for an evaluation without photographs.
    EVALUATION_ZIP_MISSING = "The photos are missing: please send one zip in the form field `zip`.";
    /// A body of another media type where the zip of an evaluation is needed.
    EVALUATION_FORM_NEEDED = "Please send the photos as multipart/form-data with a boundary: one zip in the form field `zip`.";
    /// An evaluation that was begun as often as may be.
    EVALUATION_TRIED_OFTEN = "The server stopped three times while it worked on this evaluation. Please try fewer or smaller photos.";
    /// An evaluation for which something went wrong on the server.
    EVALUATION_FAILED = "The server could not finish this evaluation. Please run it again.";
    /// A folder of the server, where none is open.
    EVALUATION_NO_FOLDERS = "This server opens no folder for evaluations. Please upload the photos as a zip.";
    /// A folder that is not there, or not below the open one.
    EVALUATION_FOLDER_MISSING = "There is no such folder for evaluations on the server. Please choose another one.";
    /// A folder without photographs.
    EVALUATION_FOLDER_EMPTY = "There are no photos in this folder.";
    /// A server that does not measure.
    EVALUATION_OFF = "Evaluations are switched off on this server.";
    /// An evaluation that is compared before it is done.
    EVALUATION_NOT_DONE = "Only evaluations that are done can be compared. Please choose two that are.";
    /// An evaluation without the plan for it.
    EVALUATION_PLAN_NEEDED = "Evaluations are part of the Pro and Business plans. Please upgrade first.";
}
