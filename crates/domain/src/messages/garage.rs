//! Vehicles, oil, repairs, maintenance, reminders, and imports of records.

messages! {
    GARAGE;
    /// Mails of what is due in a rhythm that there is none of.
    DIGEST_RHYTHM = "Please choose `daily` or `weekly`.";
    /// Mails of what is due at an hour that no day has.
    DIGEST_HOUR = "Please choose an hour from 0 to 23.";
    /// Mails of what is due on a day that no week has.
    DIGEST_WEEKDAY = "Please choose a day from 1 (Monday) to 7 (Sunday).";
    /// Notifications on a server that sends none.
    PUSH_FORBIDDEN = "This server sends no notifications to browsers. The setting web_push allows them.";
    /// A browser's address at its push service that nothing is sent to.
    PUSH_ENDPOINT = "Nothing can be sent to the push service that this browser names. Please use another browser.";
    /// Keys of a browser that are none.
    PUSH_KEYS = "The keys that this browser gave for its notifications cannot be read. Please use another browser.";
    /// A browser that gets no notifications, or somebody else's.
    PUSH_SUBSCRIPTION_NOT_FOUND = "This browser gets no notifications. They may have been switched off.";
    /// A call to read a VIN without a photograph.
    VIN_PHOTO_MISSING = "Please choose a photo of the VIN.";
    /// A call to read a VIN with several photographs.
    ONE_VIN_PHOTO = "A VIN is read from one photo at a time.";
    /// A new vehicle without make, model or year.
    VEHICLE_FIELDS_MISSING = "Please fill in make, model, and year.";
    /// A vehicle id that does not exist or belongs to somebody else.
    VEHICLE_NOT_FOUND = "This vehicle does not exist. Please choose another one.";
    /// An oil change without vehicle or mileage.
    OIL_CHANGE_FIELDS_MISSING = "Missing information - Please select a vehicle and enter the mileage.";
    /// An oil change at more than 999,999 miles.
    OIL_CHANGE_MILEAGE = "Invalid mileage - Please enter a mileage under 999,999 miles.";
    /// An oil change id that does not exist or belongs to somebody else.
    OIL_CHANGE_NOT_FOUND = "This oil change does not exist. It may have been deleted.";
    /// With every oil specification that names an oil.
    OIL_VERIFY = "Check your owner's manual before you buy or pour oil.";
    /// An oil specification of a vehicle without an engine.
    OIL_NONE = "This vehicle runs on electricity alone and needs no engine oil.";
    /// In place of the oil type of such a vehicle.
    OIL_NONE_TYPE = "No engine oil";
    /// In place of its capacity and interval.
    OIL_NOT_NEEDED = "Not needed";
    /// In place of a value that we do not know.
    OIL_SEE_MANUAL = "See owner's manual";
    /// An oil specification of a vehicle that we know nothing of.
    OIL_FALLBACK = "We do not know this engine. These are common values, not those of your vehicle: check your owner's manual.";
    /// What a common value rests on.
    OIL_FALLBACK_BASIS = "A common value; nothing is known about this engine.";
    /// What the interval rests on where the maker's is not known.
    OIL_INTERVAL_BASIS = "A cautious interval; the maker's is not in our table.";
    /// What a value of the table rests on; where it can be checked follows.
    OIL_TABLE_BASIS = "From our own table, which was written without the manual. It can be checked in:";
    /// What the owner's own value rests on.
    OIL_OWNER_BASIS = "You entered this value.";
    /// What a value rests on that a language model gave; its name and the day follow.
    OIL_AI_BASIS = "A language model said so, and nobody has checked it:";
    /// With an oil specification that a language model gave.
    OIL_AI = "We do not know this engine. A language model filled in what it could: check it in your owner's manual.";
    /// A repair without vehicle, mileage, part or date.
    REPAIR_FIELDS_MISSING = "Please fill in all required fields";
    /// A repair outside 1 to 999,999 miles.
    REPAIR_MILEAGE = "Please enter a valid mileage between 1 and 999,999";
    /// A repair id that does not exist or belongs to somebody else.
    REPAIR_NOT_FOUND = "This repair does not exist. It may have been deleted.";
    /// A maintenance item that the vehicle does not have.
    MAINTENANCE_ITEM_NOT_FOUND = "This vehicle has no such maintenance item.";
    /// A maintenance item that is asked for and that no vehicle has.
    MAINTENANCE_ITEM_UNKNOWN = "None of your vehicles has such a maintenance item.";
    /// An odometer reading of a day and a mileage that is not there.
    READING_NOT_FOUND = "This vehicle has no such odometer reading.";
    /// A last time, or something done, on a day to come.
    DAY_NOT_COME = "Please enter a day that is not in the future.";
    /// A calendar address that was never given out or has ended.
    CALENDAR_NOT_FOUND = "This calendar address is not valid. Please make a new one in Partsight.";
    /// An edited vehicle without make, model or year.
    VEHICLE_EDIT_FIELDS_MISSING = "Please fill in all required fields.";
    /// Recalls of a part without a vehicle to ask for.
    RECALLS_VEHICLE_MISSING = "Please choose the vehicle whose recalls you want to see.";
    /// A question to the vehicle database that it does not answer.
    VEHICLE_DATABASE_QUESTION = "Please ask for makes, models or specs.";
    /// A question to the vehicle database without what it needs.
    VEHICLE_DATABASE_INCOMPLETE = "Please name the make for models, and the make, the model and the year for specs.";
    /// No VIN decoder elsewhere may be asked.
    VIN_DECODER_OFF = "This server decodes VINs by itself and asks nobody else. The setting vin_decoder_url names a decoder to ask.";
    /// The VIN decoder elsewhere does not answer.
    VIN_DECODER_DOWN = "The VIN decoder does not answer at the moment. Please type the vehicle in, or try again later.";
    /// Records of the kind that is imported kept coming and going during the import.
    IMPORT_CHANGED = "Your records changed while the file was imported, so nothing was saved. Please try again.";
}
