//! The state of the server, and what it cannot do now.

messages! {
    OPERATIONS;
    /// To those who ask whether the server is ready, of a database that answers and does not take a write.
    READY_NO_WRITES = "The database did not accept a write; the log says why.";
    /// Too much work is waiting.
    BUSY = "The server is busy. Please try again in a few seconds.";
    /// A file or a search took longer than one may.
    TOO_LONG = "The server did not finish this in time, and nothing was saved. Please try again in a minute, with a smaller file or in pieces.";
    /// Photographs without an answer took as much work as one account may cause.
    PHOTO_WORK_USED_UP = "Too many large photos without an answer in a short time. Please wait a minute, and send smaller or fewer photos.";
    /// The database cannot be reached, or is held by another process. Whether a commit that was under way was done is
    /// not known, so this does not say that nothing was saved.
    DATABASE_BUSY = "The database does not answer at the moment. Please try again in a few seconds.";
    /// The database answers, and takes no writes.
    DATABASE_READ_ONLY = "The database can only be read at the moment, so nothing was saved. Please try again in a few seconds.";
    /// The file of the database is not where it was.
    DATABASE_FILE_GONE = "The server's database file was moved, so nothing was saved. Whoever runs the server has to put it back and restart it.";
    /// No space is left for the database.
    STORAGE_FULL = "The server's disk is full. Nothing was saved; please free some space and try again.";
    /// Anything unexpected.
    INTERNAL = "Something went wrong on our side. Please try again; if it happens again, contact support.";
}
