//! Every sentence of the specification that a server answer carries, in one place.
//!
//! A test keeps a snapshot of the whole list, so that a changed word is seen in review.

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $text;)*

        /// All messages with their names, for the snapshot test and for documentation.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $text)),*];
    };
}

messages! {
    /// A call that needs a signed-in user came without one.
    UNAUTHORIZED = "Unauthorized";
    /// Sign-in failed; deliberately the same for a wrong password and an unknown e-mail.
    SIGN_IN_FAILED = "Please check your credentials and try again.";
    /// Sign-up with an e-mail that has an account.
    EMAIL_IN_USE = "An account with this e-mail address already exists. Please sign in instead.";
    /// A password under the minimum length.
    PASSWORD_TOO_SHORT = "Password must be at least 6 characters";
    /// A new password that is among those that are tried first.
    PASSWORD_COMMON = "This password is one of the first that people try. Please choose another, such as three words that have nothing to do with each other.";
    /// Too many failed sign-ins, or too many mails asked for, from one place.
    TOO_MANY_ATTEMPTS = "Too many attempts. Please wait a few minutes and try again.";
    /// The old password given with a new one is wrong.
    CURRENT_PASSWORD_WRONG = "This is not your current password.";
    /// A link from a mail that was followed before, is too old, or was never sent.
    LINK_NOT_VALID = "This link is no longer valid. Please ask for a new one.";
    /// Something that cannot be taken back, on an account without a password, long after the sign-in.
    FRESH_SIGN_IN_NEEDED = "Please sign in again to confirm that it is you, and repeat this within ten minutes.";
    /// A session id that is not one's own.
    SESSION_NOT_FOUND = "This session does not exist. It may have ended already.";
    /// The scan allowance is used up.
    SCAN_LIMIT_EXCEEDED = "Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.";
    /// A scan without a vehicle.
    SELECT_VEHICLE = "Please select a vehicle first";
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
    GRADE_DAYS = "Please name a first and a last day, at most a year apart, such as 2026-11-20.";
    /// A list of damages that is too long.
    GRADE_DAMAGE = "Please name at most 10 damages of at most 200 characters each.";
    /// A batch without a name, or with one that is too long.
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
    /// An item whose key is too long.
    BATCH_KEY = "The key of a photo has 1 to 1,024 characters, none of which is a null character.";
    /// Results of a batch in a form that there is none of.
    BATCH_FORMAT = "`format` must be `csv`, `jsonl`, `xlsx` or `parquet`.";
    /// A form for a batch without a photograph.
    BATCH_PHOTO_MISSING = "The photos are missing: please send each in a form field `photo`, or one zip in the field `zip`.";
    /// A photograph that was tried as often as may be.
    BATCH_TRIED_OFTEN = "The server could not answer for this photo in three tries. Please try it again later.";
    /// A message to the tools for language models with more than it may have.
    MCP_MESSAGE_TOO_LARGE = "A message has at most 12 MB, which is a photo of about 9 MB in base64.";
    /// A webhook that does not exist or belongs to somebody else.
    WEBHOOK_NOT_FOUND = "This webhook does not exist. It may have been deleted.";
    /// A delivery of a webhook that does not exist.
    WEBHOOK_DELIVERY_NOT_FOUND = "There is no such delivery, or it is being sent right now.";
    /// Deliveries of a state that there is none of.
    DELIVERY_STATE = "`state` must be `waiting`, `delivered` or `dead`.";
    /// A place in the stream of events that is none.
    EVENT_ID = "This is not the id of an event. Please use a number that the stream gave, or begin without one.";
    /// Mails of what is due in a rhythm that there is none of.
    DIGEST_RHYTHM = "Please choose `daily` or `weekly`.";
    /// Mails of what is due at an hour that no day has.
    DIGEST_HOUR = "Please choose an hour from 0 to 23.";
    /// Notifications on a server that sends none.
    PUSH_FORBIDDEN = "This server sends no notifications to browsers. The setting web_push allows them.";
    /// A browser's address at its push service that nothing is sent to.
    PUSH_ENDPOINT = "Nothing can be sent to the push service that this browser names. Please use another browser.";
    /// Keys of a browser that are none.
    PUSH_KEYS = "The keys that this browser gave for its notifications cannot be read. Please use another browser.";
    /// A browser that gets no notifications, or somebody else's.
    PUSH_SUBSCRIPTION_NOT_FOUND = "This browser gets no notifications. They may have been switched off.";
    /// A webhook without the plan for it.
    WEBHOOK_PLAN_NEEDED = "Webhooks are part of the Business plan. Please upgrade to Business to use them.";
    /// A webhook whose account had the plan for it once.
    WEBHOOK_PLAN_LAPSED = "Nothing is sent: webhooks are part of the Business plan, which has ended. What waits is kept for 30 days and sent once you have the plan again.";
    /// A webhook on a server that connects nowhere.
    WEBHOOKS_FORBIDDEN = "This server connects to no other machine, so it sends no webhooks.";
    /// An account with as many webhooks as it may have.
    TOO_MANY_WEBHOOKS = "You have 10 webhooks, which is the most. Please delete one first.";
    /// Where a webhook goes to is no address.
    WEBHOOK_URL = "Please give an address such as https://shop.example.com/hooks, without a password and without a part after #.";
    /// Where a webhook goes to is not encrypted.
    WEBHOOK_NOT_ENCRYPTED = "Please give an address that begins with https://: what is sent there is private.";
    /// Where a webhook goes to is inside.
    WEBHOOK_INSIDE = "This address leads into a private network or to the server itself, where no webhook may go.";
    /// The answer to a webhook leads elsewhere.
    WEBHOOK_REDIRECT = "The address redirects elsewhere, which is not followed. Please give the final address.";
    /// The answer to a webhook is no success.
    WEBHOOK_STATUS = "The answer was not a success (2xx).";
    /// There was no answer to a webhook.
    WEBHOOK_TIMED_OUT = "There was no answer within 10 seconds.";
    /// There was no connection for a webhook.
    WEBHOOK_NO_CONNECTION = "There was no connection: the name is unknown, nobody listens there, or the certificate is not valid.";
    /// A batch is deleted or cancelled while a photograph of it is worked on.
    BATCH_LEASE_LOST = "This photo was taken over or cancelled meanwhile.";
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
    /// An evaluation that was begun as often as may be.
    EVALUATION_TRIED_OFTEN = "The server stopped three times while it worked on this evaluation. Please try fewer or smaller photos.";
    /// An evaluation for which something went wrong on the server.
    EVALUATION_FAILED = "The server could not finish this evaluation. Please run it again.";
    /// A server that does not measure.
    EVALUATION_OFF = "Evaluations are switched off on this server.";
    /// An evaluation that is compared before it is done.
    EVALUATION_NOT_DONE = "Only evaluations that are done can be compared.";
    /// A file that is no zip, or was cut off.
    ZIP_UNREADABLE = "This zip cannot be read: it is damaged or was cut off. Please make it again and send it whole.";
    /// A zip with too many entries.
    ZIP_TOO_MANY = "This zip has more than 100,000 entries. Please split it.";
    /// A zip without photographs.
    ZIP_EMPTY = "There are no photos in this zip.";
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
    /// A call to read a VIN without a photograph.
    VIN_PHOTO_MISSING = "Please choose a photo of the VIN.";
    /// A call to read a VIN with several photographs.
    ONE_VIN_PHOTO = "A VIN is read from one photo at a time.";
    /// A correction of a line of text that the scan does not have.
    READ_LINE_MISSING = "There is no such line on this part.";
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
    /// To those who ask whether the server is ready, once it was told to stop.
    READY_DRAINING = "The server is stopping: it finishes what it has begun.";
    /// To the same, of a database that answers and does not take a write.
    READY_NO_WRITES = "The database did not accept a write; the log says why.";
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
    /// A calendar address that was never given out or has ended.
    CALENDAR_NOT_FOUND = "This calendar address is not valid. Please make a new one in Partsight.";
    /// An edited vehicle without make, model or year.
    VEHICLE_EDIT_FIELDS_MISSING = "Please fill in all required fields.";
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
    /// A confirmed scan that could not be kept as a reference.
    FEEDBACK_NOT_TAUGHT = "Your answer is kept, but the scan could not be made a photo of the part. Please teach the part with a photo of it.";
    /// A picture that is not kept, or no longer.
    SCAN_PHOTO_NOT_FOUND = "No picture is kept of this scan.";
    /// A call sent again while its first sending still runs.
    CALL_IS_RUNNING = "The same call is still running. Please wait a moment.";
    /// A key for calls that are sent again, used for two different calls.
    IDEMPOTENCY_KEY_REUSED = "This key was used for another call. Please use a new one for each call.";
    /// A key that cannot be one.
    IDEMPOTENCY_KEY_INVALID = "The key must have 1 to 255 visible ASCII characters.";
    /// A part id that is not in the catalogue.
    PART_NOT_FOUND = "This part is not in the catalogue.";
    /// A pair of look-alikes that nobody marked, or that is not one's own.
    LOOK_ALIKE_NOT_FOUND = "These two parts are not marked as look-alikes.";
    /// A part marked as a look-alike of itself.
    LOOK_ALIKE_OF_ITSELF = "A part cannot be a look-alike of itself. Please choose another part.";
    /// More look-alikes of one part than there may be.
    TOO_MANY_LOOK_ALIKES = "A part has at most 20 look-alikes. Please remove one first.";
    /// A name for a taught part type that the catalogue or the tenant has already.
    PART_TYPE_EXISTS = "A part of this name already exists. Please add the photos to it, or choose another name.";
    /// A reference id that is not one's own, a reference that is deleted, or one without a picture.
    REFERENCE_NOT_FOUND = "This photo of a part does not exist. It may have been deleted.";
    /// Photographs taught for a part that the shop does not have.
    TAUGHT_PART_MISSING = "There is no such part in your shop. It may have been deleted.";
    /// Photographs taught for a part of another type.
    TAUGHT_PART_OF_OTHER_TYPE = "This part of your shop is of another type. Please choose one of the type that the photos show.";
    /// The vector index does not answer.
    VECTOR_INDEX_DOWN = "The search by appearance does not answer at the moment. Please try again in a minute.";
    /// A part number without a letter or digit, or too long.
    PART_NUMBER_INVALID = "Please enter a part number of letters and digits, at most 60 characters.";
    /// A price list without a supplier.
    PRICE_LIST_SUPPLIER_MISSING = "Please enter who sells at these prices.";
    /// A price list id that does not exist or belongs to somebody else, or a list that is deleted or is not.
    PRICE_LIST_NOT_FOUND = "This price list does not exist. It may have been deleted or replaced.";
    /// A deleted price list whose name another one has taken.
    PRICE_LIST_NAME_TAKEN = "There is a newer price list of this name. Please delete it first.";
    /// As many price lists as there may be.
    PRICE_LISTS_FULL = "A shop can have 50 price lists, counting those deleted in the last 30 days. Please replace one instead.";
    /// As many rows in all price lists as there may be.
    PRICE_ROWS_FULL = "All price lists of a shop can have 3,000,000 rows together, counting those deleted in the last 30 days. Please send a shorter list.";
    /// A price list without the plan for it.
    PRICE_LIST_PLAN_NEEDED = "Price lists are part of the Business plan. Please upgrade to Business to upload one.";
    /// A website that is no address.
    WEB_ADDRESS_NEEDED = "Please enter an address that begins with https:// or http://.";
    /// A price list with a field behind its file.
    PRICE_LIST_FILE_LAST = "Please send the file as the last field of the form: it is read while it arrives.";
    /// A price list, or a list of cross-references, without its file.
    PRICE_LIST_FILE_MISSING = "The file is missing: please send it in the form field `file`.";
    /// A list of cross-references without a name.
    CROSS_REFERENCE_NAME_MISSING = "Please enter a name for the list.";
    /// A list of cross-references that does not exist or belongs to somebody else, or that is deleted or is not.
    CROSS_REFERENCE_LIST_NOT_FOUND = "This list does not exist. It may have been deleted or replaced.";
    /// A deleted list of cross-references whose name another one has taken.
    CROSS_REFERENCE_NAME_TAKEN = "There is a newer list of this name. Please delete it first.";
    /// As many lists of cross-references as there may be.
    CROSS_REFERENCE_LISTS_FULL = "A shop can have 50 lists of cross-references, counting those deleted in the last 30 days. Please replace one instead.";
    /// As many rows in all lists of cross-references as there may be.
    CROSS_REFERENCE_ROWS_FULL = "All cross-references of a shop can have 3,000,000 rows together, counting those deleted in the last 30 days. Please send a shorter list.";
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
    /// The compatibility check without the plan for it.
    COMPATIBILITY_NEEDS_PLAN = "The part compatibility checker is part of the Pro and Business plans. Please upgrade first.";
    /// The compatibility check without a vehicle to check for.
    FITS_VEHICLE_MISSING = "Please choose the vehicle that the part should fit.";
    /// Recalls of a part without a vehicle to ask for.
    RECALLS_VEHICLE_MISSING = "Please choose the vehicle whose recalls you want to see.";
    /// The answer for a part of which nobody has said what it fits.
    FIT_UNKNOWN = "Nothing is known about this part on this vehicle. Please compare the part numbers, or ask your supplier.";
    /// Throwing away what a language model filled in, where it filled in nothing.
    FILL_NOT_FOUND = "There is nothing here that a language model filled in.";
    /// A question to the vehicle database that it does not answer.
    VEHICLE_DATABASE_QUESTION = "Please ask for makes, models or specs.";
    /// A question to the vehicle database without what it needs.
    VEHICLE_DATABASE_INCOMPLETE = "Please name the make for models, and the make, the model and the year for specs.";
    /// The model is none that a browser can run, or was replaced.
    NO_BROWSER_MODEL = "There is no such model for browsers.";
    /// No VIN decoder elsewhere may be asked.
    VIN_DECODER_OFF = "This server decodes VINs by itself and asks nobody else. The setting vin_decoder_url names a decoder to ask.";
    /// The VIN decoder elsewhere does not answer.
    VIN_DECODER_DOWN = "The VIN decoder does not answer at the moment. Please type the vehicle in, or try again later.";
    /// An order of the plan that costs nothing.
    BASIC_IS_FREE = "The Basic plan is free and needs no subscription. To leave a paid plan, please request its cancellation.";
    /// An order of a plan that there is not.
    PLAN_UNKNOWN = "There is no such plan. Please choose pro or business.";
    /// An order for an interval that there is not.
    INTERVAL_UNKNOWN = "Please choose to pay by the month or by the year.";
    /// An order where nothing is for sale.
    PAYMENTS_NOT_OFFERED = "Subscriptions are temporarily unavailable on this server. Please contact support or try again later.";
    /// The payment provider does not answer, or refuses.
    PAYMENT_PROVIDER_DOWN = "The payment service does not answer as it should. Please try again in a minute; nothing is charged twice.";
    /// A payment was declined, and the provider does not say why.
    PAYMENT_DECLINED = "The payment was declined. Please use another card, or ask your bank.";
    /// An event that is not from the payment provider, or too old.
    EVENT_REFUSED = "This event is not signed for this server, or its signature is more than five minutes old.";
    /// An order of what somebody has.
    SUBSCRIPTION_EXISTS = "You already have this plan.";
    /// A change of a subscription that ends.
    SUBSCRIPTION_ENDING = "Your subscription is set to end with the billing period. Please reactivate it before you change it.";
    /// A change of a subscription whose renewal is not paid.
    SUBSCRIPTION_UNPAID = "The last payment of your subscription did not succeed. Please pay for your present plan before you change it.";
    /// A change without a subscription.
    SUBSCRIPTION_NONE = "You have no active subscription to change. Please choose a plan on the pricing page.";
    /// A reactivation of a subscription that goes on.
    SUBSCRIPTION_NOT_ENDING = "Your subscription is not set to end, so there is nothing to reactivate.";
    /// Another change of the same subscription runs for long.
    SUBSCRIPTION_CHANGING = "Your subscription is being changed at this moment. Please wait a minute and try again.";
    /// An account that pays, on a server that cannot end that.
    SUBSCRIPTION_KEEPS_ACCOUNT = "Your subscription cannot be ended from here at the moment, so your account was kept. Please contact support.";
    /// An order that waits for its payment.
    PAYMENT_TO_CONFIRM = "Please confirm the payment. Your plan changes once it is made.";
    /// An order that is done.
    PLAN_CHANGED = "Your plan has been changed.";
    /// A subscription that goes on after all.
    SUBSCRIPTION_REACTIVATED = "Your subscription goes on and is renewed at the end of the billing period.";
    /// A cancellation without a subscription.
    CANCELLATION_NEEDS_SUBSCRIPTION = "You have no subscription that could be cancelled.";
    /// A cancellation of a subscription that ends.
    CANCELLATION_DONE = "Your subscription is already set to end with the billing period.";
    /// A cancellation that was approved or withdrawn.
    CANCELLATION_CLOSED = "This cancellation request has already been dealt with.";
    /// A cancellation that support will see to.
    CANCELLATION_REQUESTED = "Your cancellation request has been sent. It is processed within 24 hours; you keep your plan until the end of the billing period, and a confirmation e-mail follows.";
    /// A cancellation request that is taken back where there is none, or somebody has seen to it.
    CANCELLATION_NONE_OPEN = "There is no open cancellation request. If your subscription is set to end, you can reactivate it.";
    /// A cancellation request id that does not exist.
    CANCELLATION_NOT_FOUND = "There is no such cancellation request.";
    /// More scans for a plan that has a limit.
    SCAN_RESET_NEEDS_PLAN = "Unlimited scans are part of the Pro and Business plans. Please upgrade first.";
    /// A company without the plan for it.
    COMPANY_PLAN_NEEDED = "A company with team members is part of the Business plan. Please upgrade to Business to create one.";
    /// A new member while the owner's plan does not include a company.
    COMPANY_PLAN_LAPSED = "The Business plan of this company has ended. Until its owner renews it, nobody can be added.";
    /// A company id that does not exist or belongs to somebody else.
    COMPANY_NOT_FOUND = "This company does not exist, or you are not in it.";
    /// A second company.
    COMPANY_EXISTS = "You are in a company already. Please leave it before you create another one.";
    /// A company without a name.
    COMPANY_NAME_MISSING = "Please enter the company name.";
    /// A member who wants to do what managers do.
    COMPANY_MANAGERS_ONLY = "Only the owner or a manager of the company can do this.";
    /// Somebody other than the owner who wants to delete a company.
    COMPANY_OWNER_ONLY = "Only the owner of the company can do this.";
    /// As many members and invitations as there may be.
    COMPANY_FULL = "A company can have 200 members and open invitations. Please remove one first.";
    /// Somebody who comes to a company while its owner's account is being deleted.
    COMPANY_CLOSING = "The account of the company's owner or new owner is being deleted. If it is kept after all, please try again in two minutes.";
    /// An account that owns a company with others in it cannot be deleted.
    COMPANY_OWNER_STAYS = "You own a company that has other members. Please delete the company or remove its members first, on the page Company and Team.";
    /// A logo that is no picture of a kind that we take.
    LOGO_NOT_AN_IMAGE = "Please select an image file.";
    /// A logo of too many bytes.
    LOGO_TOO_LARGE = "Please select an image smaller than 5MB.";
    /// A logo of too many pixels.
    LOGO_TOO_MANY_PIXELS = "Please select an image of at most 16 megapixels.";
    /// A logo that ends early or cannot be decoded.
    LOGO_DAMAGED = "This image file is damaged. Please select another one.";
    /// A new member without a name.
    MEMBER_NAME_MISSING = "Please enter the full name.";
    /// A member id that is not one of the company.
    MEMBER_NOT_FOUND = "This person is not in the company.";
    /// Somebody who adds themselves.
    MEMBER_SELF = "You are in this company already.";
    /// Somebody who is in the company already.
    MEMBER_EXISTS = "This person is in the company already.";
    /// Somebody whose invitation is open.
    MEMBER_INVITED = "This person is invited already. To send another invitation, remove this one first.";
    /// Somebody who has said no to the same company.
    MEMBER_DECLINED = "This person declined an invitation of this company. You can ask again 30 days after that.";
    /// The owner cannot be removed, nor be given another role.
    MEMBER_OWNER = "The owner stays a manager of the company and cannot be removed.";
    /// Records of the kind that is imported kept coming and going during the import.
    IMPORT_CHANGED = "Your records changed while the file was imported, so nothing was saved. Please try again.";
    /// A company handed to somebody who does not pay for one.
    COMPANY_NEW_OWNER_PLAN = "The new owner needs the Business plan of their own, because the owner's plan holds for the whole company. Please ask them to upgrade first.";
    /// A company handed to its owner.
    COMPANY_OWNED_ALREADY = "This person owns the company already.";
    /// An invitation that was used, withdrawn, is too old, or was never sent.
    INVITATION_NOT_VALID = "This invitation is no longer valid. Please ask for a new one.";
    /// An invitation of somebody who is in a company.
    INVITATION_ELSEWHERE = "You are in a company already. Please leave it before you join another one.";
    /// A message to support without name, address or text.
    CONTACT_FIELDS_MISSING = "Name, email, and message are required.";
    /// A key for programs without the plan for it.
    API_KEY_PLAN_NEEDED = "API keys are part of the Business plan. Please upgrade to Business to create one.";
    /// A key whose owner no longer has the plan for it.
    API_KEY_PLAN_LAPSED = "The Business plan behind this API key has ended. It works again once the plan is renewed.";
    /// A key that was never given out or was revoked.
    API_KEY_UNKNOWN = "This API key is not valid. Please send one key as `Authorization: Bearer ps_live_...`; the page API Keys makes one.";
    /// A key beyond its end.
    API_KEY_EXPIRED = "This API key has expired. Please make a new one on the page API Keys.";
    /// A call that takes no key.
    API_KEY_NOT_FOR_THIS = "This call takes no API key. Please sign in and use the app for it.";
    /// A key id that is not one's own.
    API_KEY_NOT_FOUND = "This API key does not exist. It may have been revoked.";
    /// As many keys as there may be.
    API_KEYS_FULL = "You have 20 keys, which is the most. Please revoke one first.";
    /// Too many requests with one key.
    RATE_LIMITED = "Too many requests with this API key. The headers RateLimit and Retry-After say when to go on.";
    /// A path under /api that is no call.
    CALL_NOT_FOUND = "There is no such call. The list of calls is at /api/openapi.json.";
    /// A path that is a call, by another method.
    METHOD_NOT_ALLOWED = "This call does not take this method; the Allow header names those it takes.";
    /// A body of another media type where JSON is needed.
    JSON_NEEDED = "Please send the body as JSON, with the header `Content-Type: application/json`.";
    /// A body of another media type where photographs are needed.
    FORM_NEEDED = "Please send the photo as multipart/form-data with a boundary, in the field `image`.";
    /// A call without the body that it needs.
    BODY_EMPTY = "The request body is empty. Please send a JSON object.";
    /// A body that is no JSON at all; where it stops being so is filled in.
    BODY_NOT_JSON = "The request body is not valid JSON. Please look at line {line}, column {column}.";
    /// A body that is no object, or whose wrong field cannot be named.
    BODY_UNREADABLE = "The request body must be a JSON object with the fields of this call. The list of calls is at /api/openapi.json.";
    /// The same of a query.
    QUERY_UNREADABLE = "The query does not have the form of this call. The list of calls is at /api/openapi.json.";
    /// A field that its call needs and that is not there.
    FIELD_MISSING = "`{field}` is missing. Please send it.";
    /// A field that is there more than once.
    FIELD_TWICE = "`{field}` is given more than once. Please send it once.";
    /// A field that its call does not know, where what it does not know is refused.
    FIELD_UNKNOWN = "This call has no field `{field}`. Please leave it out.";
    /// A field with a value of another kind than it takes.
    FIELD_WRONG = "`{field}` must be {expected}.";
    /// The same where the kind has no short name.
    FIELD_UNREADABLE = "`{field}` does not have the form of this call. The list of calls is at /api/openapi.json.";
    /// A body with more bytes than its call takes.
    BODY_TOO_LARGE = "The request body is larger than this call takes. Please send less at a time.";
    /// The client stopped sending.
    UPLOAD_STALLED = "The upload stopped before it was complete. Nothing was saved; please try again.";
    /// A name in the `Host` header that is not this server's, where the setting `public_url` is not set.
    WRONG_HOST = "This server does not answer to this name. Please use http://localhost or its IP address; another name must be in the setting `public_url`.";
    /// The same where it is set, to `{url}`.
    WRONG_HOST_PUBLIC = "This server answers at {url} alone. Please use that address; a proxy must pass its name on in the Host header.";
    /// A connection beyond those that may be open.
    TOO_MANY_CONNECTIONS = "Too many connections are open. Please try again in a few seconds.";
    /// A write from another site's page.
    CROSS_ORIGIN = "This request came from another site and was refused. Please use the app's own address.";
    /// Too much work is waiting.
    BUSY = "The server is busy. Please try again in a few seconds.";
    /// A file or a search took longer than one may.
    TOO_LONG = "The server did not finish this in time, and nothing was saved. Please try again in a minute, with a smaller file or in pieces.";
    /// Photographs without an answer took as much work as one account may cause.
    PHOTO_WORK_USED_UP = "Too many large photos without an answer in a short time. Please wait a minute, and send smaller or fewer photos.";
    /// The database cannot be reached, or is held by another process. Whether a commit that was under way was done is
    /// not known, so this does not say that nothing was saved.
    DATABASE_BUSY = "The database does not answer at the moment. Please try again in a few seconds.";
    /// No space is left for the database.
    STORAGE_FULL = "The server's disk is full. Nothing was saved; please free some space and try again.";
    /// Anything unexpected.
    INTERNAL = "Something went wrong on our side. Please try again; if it happens again, contact support.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_of_messages_is_as_reviewed() {
        let lines: Vec<String> = ALL.iter().map(|(name, text)| format!("{name}: {text}")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }

    #[test]
    fn no_message_stands_twice() {
        let mut texts: Vec<&str> = ALL.iter().map(|(_, text)| *text).collect();
        texts.sort_unstable();
        texts.dedup();
        assert_eq!(texts.len(), ALL.len());
    }
}
