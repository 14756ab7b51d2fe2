use serde_json::Value;

/// A question in the form that all protocols share.
pub(super) struct Prompt<'q> {
    /// Name of the answer's schema; letters and `_`.
    pub(super) name: &'static str,
    /// The purpose of the answer.
    pub(super) purpose: &'static str,
    /// The instructions, without any text from users.
    pub(super) system: &'static str,
    /// The data, as JSON.
    pub(super) text: String,
    /// The JSON schema of the answer.
    pub(super) schema: Value,
    /// The photograph, if the question is about one.
    pub(super) jpeg: Option<&'q [u8]>,
}

impl Prompt<'_> {
    /// The name of the tool that receives the answer, for protocols with tools.
    pub(super) fn tool(&self) -> String {
        format!("give_{}", self.name)
    }

    /// Upper bound on its tokens without the photograph: one for two bytes; typical are one for four in English and
    /// one for three in JSON.
    pub(super) fn max_text_tokens(&self) -> u64 {
        (self.system.len() + self.text.len() + self.schema.to_string().len()) as u64 / 2
    }
}
