//! What any call can be answered before it is looked at: its path, its form, its sender.

messages! {
    REQUESTS;
    /// A message to the tools for language models with more than it may have.
    MCP_MESSAGE_TOO_LARGE = "A message has at most 12 MB, which is a photo of about 9 MB in base64.";
    /// A call sent again while its first sending still runs.
    CALL_IS_RUNNING = "The same call is still running. Please wait a moment.";
    /// A key for calls that are sent again, used for two different calls.
    IDEMPOTENCY_KEY_REUSED = "This `Idempotency-Key` was used for another call. Please use a new one for each call.";
    /// A key that cannot be one.
    IDEMPOTENCY_KEY_INVALID = "`Idempotency-Key` must have 1 to 255 visible ASCII characters.";
    /// A path under /api that is no call.
    CALL_NOT_FOUND = "There is no such call. The list of calls is at /api/openapi.json.";
    /// A path that is a call, by another method.
    METHOD_NOT_ALLOWED = "This call does not take this method; the Allow header names those it takes.";
    /// A body of another media type where JSON is needed.
    JSON_NEEDED = "Please send the body as JSON, with the header `Content-Type: application/json`.";
    /// A body that is compressed.
    BODY_COMPRESSED = "Compressed bodies are not read. Please send the body as it is, without the header `Content-Encoding`.";
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
    /// The same where one that it knows is much like it.
    FIELD_UNKNOWN_NEAR = "This call has no field `{field}`. Did you mean `{near}`?";
    /// A field of a form that it does not have; `{field}` names it.
    FORM_FIELD_UNKNOWN = "The form has no field `{field}`. Please leave it out.";
    /// A field with a value of another kind than it takes.
    FIELD_WRONG = "`{field}` must be {expected}.";
    /// The same where the kind has no short name.
    FIELD_UNREADABLE = "`{field}` does not have the form of this call. The list of calls is at /api/openapi.json.";
    /// A body with more bytes than its call takes; `{limit}` is how many that are.
    BODY_TOO_LARGE = "The request body is larger than the {limit} that this call takes. Please send less at a time.";
    /// A form with more bytes than its call takes, all fields together; `{limit}` is how many that are.
    FORM_TOO_LARGE = "The form is larger than the {limit} that this call takes. Please send fewer or smaller files at a time.";
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
}
