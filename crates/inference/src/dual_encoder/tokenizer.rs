//! Converts a text to the token ids of a model.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};
use tokenizers::{Tokenizer, TruncationParams};

use super::{
    Family,
    config::{Pooling, TextConfig},
};
use crate::{Error, Result, network_config::model_name};

const START_TOKEN: &str = "<|startoftext|>";
const END_TOKEN: &str = "<|endoftext|>";

/// CLIP's regular expression for the words of a normalised text, as its authors published it (MIT licence).
const CLIP_WORDS: &str =
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+";

/// A tokenizer with the model's rules for length and padding.
#[derive(Debug)]
pub(super) struct TextTokenizer {
    model: String,
    tokenizer: Tokenizer,
    canonical_form: CanonicalForm,
    /// Length to which every text is padded, and the padding token; SigLIP only.
    padding: Option<(usize, u32)>,
}

/// Normalisation of a text before the tokenizer.
///
/// SigLIP was trained on texts without punctuation. Its Python tokenizer removes it in code, and not
/// every published `tokenizer.json` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CanonicalForm {
    /// No change.
    Unchanged,
    /// Without ASCII punctuation, each run of white space replaced by one space.
    WithoutPunctuation,
    /// The same in lower case.
    LowerCaseWithoutPunctuation,
}

/// The fields of `tokenizer_config.json` that are used.
#[derive(Default, Deserialize)]
struct Settings {
    tokenizer_class: Option<String>,
    do_lower_case: Option<bool>,
    pad_token: Option<TokenName>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TokenName {
    Plain(String),
    Detailed { content: String },
}

impl TextTokenizer {
    /// Reads the tokenizer of a folder and checks that the model has an embedding for each of its tokens.
    ///
    /// # Errors
    /// [`Error::TokenizerMissing`], [`Error::ReadModel`], [`Error::InvalidModelFile`],
    /// [`Error::InvalidTokenizer`], [`Error::VocabularyTooLarge`].
    pub(super) fn load(folder: &Path, family: Family, config: &TextConfig) -> Result<Self> {
        let (path, mut tokenizer) = read_tokenizer(folder, family)?;
        let invalid = |reason: String| Error::InvalidTokenizer { path: path.clone(), reason };
        let highest_id = tokenizer.get_vocab(true).into_values().max().unwrap_or_default();
        // Checked at loading: otherwise an id without an embedding would fail deep inside a run, and only for some
        // texts.
        if highest_id as usize >= config.vocabulary_size {
            return Err(Error::VocabularyTooLarge {
                model: model_name(folder),
                highest_id,
                embeddings: config.vocabulary_size,
            });
        }

        let settings = Settings::read(folder)?;
        let padding = match family {
            Family::Clip => None,
            Family::Siglip => {
                Some((config.context, settings.pad_token(&tokenizer, config).map_err(invalid)?))
            }
        };
        // A file may have limits of its own; those of the model apply.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| invalid(error.to_string()))?;
        let canonical_form = settings.canonical_form(family);
        let mut this = Self { model: model_name(folder), tokenizer, canonical_form, padding };

        // An empty text becomes just its start and end tokens, which frame every text.
        let frame = this.token_ids("")?;
        if config.context <= frame.len() {
            return Err(invalid(format!(
                "it gives an empty text {} tokens, and the model takes {}",
                frame.len(),
                config.context
            )));
        }
        let has_pooled_token = match config.pooling {
            Pooling::FirstOf(end_token) => frame.contains(&end_token),
            Pooling::HighestToken => !frame.is_empty(),
            Pooling::LastPosition => true,
        };
        if !has_pooled_token {
            let reason = "it does not put the end token of `config.json` behind a text";
            return Err(invalid(reason.to_owned()));
        }
        // Set only now, so that the frame above was counted without truncation.
        let truncation = TruncationParams { max_length: config.context, ..TruncationParams::default() };
        this.tokenizer.with_truncation(Some(truncation)).map_err(|error| invalid(error.to_string()))?;
        Ok(this)
    }

    /// The ids of a text: at least one and at most the model's context, and exactly that many for SigLIP. A text
    /// that is too long loses its end, but not its end token.
    ///
    /// # Errors
    /// [`Error::Tokenize`].
    pub(super) fn encode(&self, text: &str) -> Result<Vec<u32>> {
        let mut ids = self.token_ids(&self.canonical_form.of(text))?;
        if let Some((context, pad_token)) = self.padding {
            ids.resize(context, pad_token);
        }
        Ok(ids)
    }

    fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        let encoding = self
            .tokenizer
            .encode_fast(text, true)
            .map_err(|source| Error::Tokenize { model: self.model.clone(), source })?;
        Ok(encoding.get_ids().to_vec())
    }
}

impl CanonicalForm {
    fn of(self, text: &str) -> String {
        let kept: String = match self {
            Self::Unchanged => return text.to_owned(),
            Self::WithoutPunctuation => text.to_owned(),
            Self::LowerCaseWithoutPunctuation => text.to_lowercase(),
        };
        let kept = kept.replace(|character: char| character.is_ascii_punctuation(), "");
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Settings {
    /// Defaults if the file is missing.
    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("tokenizer_config.json");
        if !path.is_file() {
            return Ok(Self::default());
        }
        serde_json::from_slice(&read(&path)?)
            .map_err(|source| Error::InvalidModelFile { path, source: Box::new(source) })
    }

    fn canonical_form(&self, family: Family) -> CanonicalForm {
        // Some SigLIP models have another tokenizer, which was trained with punctuation.
        let is_siglips_own =
            matches!(self.tokenizer_class.as_deref(), None | Some("SiglipTokenizer" | "SiglipTokenizerFast"));
        match (family, is_siglips_own, self.do_lower_case) {
            (Family::Siglip, true, Some(false)) => CanonicalForm::WithoutPunctuation,
            (Family::Siglip, true, _) => CanonicalForm::LowerCaseWithoutPunctuation,
            _ => CanonicalForm::Unchanged,
        }
    }

    fn pad_token(&self, tokenizer: &Tokenizer, config: &TextConfig) -> Result<u32, String> {
        let id = match &self.pad_token {
            None => config.pad_token,
            Some(TokenName::Plain(name) | TokenName::Detailed { content: name }) => {
                tokenizer.token_to_id(name).ok_or_else(|| format!("it lacks the padding token `{name}`"))?
            }
        };
        if (id as usize) < config.vocabulary_size {
            Ok(id)
        } else {
            Err(format!("its padding token {id} has no embedding"))
        }
    }
}

/// `tokenizer.json`, or for CLIP the older pair of files; also returns the path for error messages.
fn read_tokenizer(folder: &Path, family: Family) -> Result<(PathBuf, Tokenizer)> {
    let path = folder.join("tokenizer.json");
    if path.is_file() {
        let tokenizer = parse(&path, &read(&path)?)?;
        return Ok((path, tokenizer));
    }
    let (vocabulary, merges) = (folder.join("vocab.json"), folder.join("merges.txt"));
    if family == Family::Clip && vocabulary.is_file() && merges.is_file() {
        let description = clip_tokenizer(&vocabulary, &merges)?;
        let tokenizer = parse(&vocabulary, description.to_string().as_bytes())?;
        return Ok((vocabulary, tokenizer));
    }
    let needed = match family {
        Family::Clip => "`tokenizer.json`, or `vocab.json` and `merges.txt`",
        Family::Siglip => "`tokenizer.json`",
    };
    Err(Error::TokenizerMissing { folder: folder.to_owned(), needed })
}

/// CLIP's tokenizer in the format of `tokenizer.json`: byte-pair encoding (Sennrich et al. 2015,
/// <https://arxiv.org/abs/1508.07909>) of lower-case words.
fn clip_tokenizer(vocabulary_path: &Path, merges_path: &Path) -> Result<Value> {
    let vocabulary: serde_json::Map<String, Value> = serde_json::from_slice(&read(vocabulary_path)?)
        .map_err(|source| Error::InvalidModelFile {
            path: vocabulary_path.to_owned(),
            source: Box::new(source),
        })?;
    let merges = String::from_utf8(read(merges_path)?).map_err(|source| Error::InvalidModelFile {
        path: merges_path.to_owned(),
        source: Box::new(source),
    })?;
    let merges: Vec<&str> =
        merges.lines().filter(|line| !line.is_empty() && !line.starts_with("#version")).collect();
    let id_of = |token: &str| {
        vocabulary.get(token).cloned().ok_or_else(|| Error::InvalidTokenizer {
            path: vocabulary_path.to_owned(),
            reason: format!("it lacks the token `{token}`"),
        })
    };
    let (start_id, end_id) = (id_of(START_TOKEN)?, id_of(END_TOKEN)?);
    let special = |token: &str, id: &Value| {
        json!({ "content": token, "id": id, "special": true, "normalized": false,
                "single_word": false, "lstrip": false, "rstrip": false })
    };
    Ok(json!({
        "version": "1.0",
        "added_tokens": [special(START_TOKEN, &start_id), special(END_TOKEN, &end_id)],
        "normalizer": { "type": "Sequence", "normalizers": [
            { "type": "NFC" },
            { "type": "Replace", "pattern": { "Regex": r"\s+" }, "content": " " },
            { "type": "Lowercase" },
        ] },
        "pre_tokenizer": { "type": "Sequence", "pretokenizers": [
            { "type": "Split", "pattern": { "Regex": CLIP_WORDS }, "behavior": "Removed", "invert": true },
            { "type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true },
        ] },
        "post_processor": {
            "type": "RobertaProcessing", "trim_offsets": false, "add_prefix_space": false,
            "sep": [END_TOKEN, end_id], "cls": [START_TOKEN, start_id],
        },
        "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": END_TOKEN, "continuing_subword_prefix": "",
            "end_of_word_suffix": "</w>", "fuse_unk": false, "vocab": vocabulary, "merges": merges,
        },
    }))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Tokenizer> {
    Tokenizer::from_bytes(bytes).map_err(|source| Error::InvalidModelFile { path: path.to_owned(), source })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| Error::ReadModel { path: path.to_owned(), source })
}
