use serde_json::Value;

/// A question, as all protocols share it.
pub(super) struct Prompt<'q> {
    /// Name of the answer's schema; letters and `_`.
    pub(super) name: &'static str,
    /// What the answer is for.
    pub(super) purpose: &'static str,
    /// The instructions. They hold nothing that a person typed.
    pub(super) system: &'static str,
    /// The data, as JSON.
    pub(super) text: String,
    /// The JSON schema of the answer.
    pub(super) schema: Value,
    /// The photograph that it is about, if it is about one.
    pub(super) jpeg: Option<&'q [u8]>,
}

impl Prompt<'_> {
    /// The name of the tool that takes the answer, where the protocol has one.
    pub(super) fn tool(&self) -> String {
        format!("give_{}", self.name)
    }

    /// Upper bound on its tokens without the photograph: one for two bytes, where English has one for four and JSON
    /// one for three.
    pub(super) fn max_text_tokens(&self) -> u64 {
        (self.system.len() + self.text.len() + self.schema.to_string().len()) as u64 / 2
    }
}
