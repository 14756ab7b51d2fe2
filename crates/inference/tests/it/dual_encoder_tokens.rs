//! Token ids compared with those of `transformers`.

use std::{fs, io::Read};

use partsight_inference::{ComputeDevice, DualEncoder, Error};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use super::dual_encoder_folder::{
    FIXTURES, folder_for, folder_without_weights, golden, published_vocabulary, tensors_of, weight,
    write_weights,
};

fn load(folder: &TempDir) -> partsight_inference::Result<DualEncoder> {
    DualEncoder::load(folder.path(), &ComputeDevice::Cpu)
}

fn expected_ids(golden: &Value) -> Vec<(String, Vec<u32>)> {
    let texts: Vec<String> = serde_json::from_value(golden["texts"].clone()).expect("texts");
    let ids: Vec<Vec<u32>> = serde_json::from_value(golden["token_ids"].clone()).expect("token ids");
    texts.into_iter().zip(ids).collect()
}

/// Replaces `tokenizer.json` by the older pair of files.
fn use_pair(folder: &TempDir) {
    fs::remove_file(folder.path().join("tokenizer.json")).expect("it is there");
    for name in ["vocab.json", "merges.txt"] {
        fs::copy(format!("{FIXTURES}/clip-tokenizer/{name}"), folder.path().join(name)).expect("a copy");
    }
}

/// The characters that represent the 256 bytes in CLIP's vocabulary: printable ones come first.
fn byte_alphabet() -> Vec<String> {
    let printable = (33..127).chain(161..173).chain(174..256);
    printable.chain(256..).take(256).filter_map(char::from_u32).map(String::from).collect()
}

/// CLIP's `vocab.json` and the lines of its `merges.txt`, from the published list of merges.
fn published_tokenizer(list: &str) -> (Value, String) {
    let merges: Vec<&str> = list.lines().skip(1).take(49_152 - 256 - 2).collect();
    let alphabet = byte_alphabet();
    let tokens = alphabet
        .iter()
        .cloned()
        .chain(alphabet.iter().map(|byte| format!("{byte}</w>")))
        .chain(merges.iter().map(|merge| merge.replace(' ', "")))
        .chain(["<|startoftext|>".to_owned(), "<|endoftext|>".to_owned()]);
    let vocabulary: Map<String, Value> = tokens.enumerate().map(|(id, token)| (token, json!(id))).collect();
    (Value::Object(vocabulary), format!("#version: 0.2\n{}\n", merges.join("\n")))
}

#[test]
fn the_published_vocabulary_gives_the_ids_of_transformers() {
    let Some(path) = published_vocabulary() else {
        println!("skipped: PARTSIGHT_WEIGHTS holds no bpe_simple_vocab_16e6.txt.gz");
        return;
    };
    let mut list = String::new();
    flate2::read::GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut list).unwrap();
    let (vocabulary, merges) = published_tokenizer(&list);
    let small =
        json!({ "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1 });
    let config = json!({ "model_type": "clip", "text_config": small, "vision_config": small });
    let folder = folder_for(&config);
    use_pair(&folder);
    fs::write(folder.path().join("vocab.json"), vocabulary.to_string()).unwrap();
    fs::write(folder.path().join("merges.txt"), merges).unwrap();

    let encoder = load(&folder).unwrap();
    let cat = encoder.token_ids("a photo of a cat").unwrap();
    assert_eq!(cat, [49_406, 320, 1125, 539, 320, 2368, 49_407]);
    for (text, expected) in expected_ids(&golden("clip-token-ids")) {
        assert_eq!(encoder.token_ids(&text).unwrap(), expected, "{text}");
    }
}

#[test]
fn the_older_pair_of_files_gives_what_the_new_one_gives() {
    let golden = golden("tiny-clip");
    let folder = folder_for(&golden["config"]);
    use_pair(&folder);
    let encoder = load(&folder).unwrap();
    for (text, expected) in expected_ids(&golden) {
        assert_eq!(encoder.token_ids(&text).unwrap(), expected, "{text}");
    }
}

#[test]
fn a_long_text_is_cut_and_keeps_its_end_token() {
    for (name, context, end_token) in
        [("tiny-clip", 77, 633), ("tiny-clip-gelu", 20, 633), ("tiny-siglip", 64, 1)]
    {
        let encoder = load(&folder_for(&golden(name)["config"])).unwrap();
        let ids = encoder.token_ids(&"oil pan ".repeat(500)).unwrap();
        assert_eq!((ids.len(), ids.last()), (context, Some(&end_token)), "{name}");
        assert_eq!(ids.iter().filter(|id| **id == end_token).count(), 1, "{name}");
    }
}

#[test]
fn limits_in_the_file_of_the_tokenizer_give_way_to_the_models() {
    let golden = golden("tiny-clip");
    let folder = folder_for(&golden["config"]);
    let path = folder.path().join("tokenizer.json");
    let mut tokenizer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    tokenizer["truncation"] =
        json!({ "direction": "Right", "max_length": 5, "strategy": "LongestFirst", "stride": 0 });
    tokenizer["padding"] = json!({
        "strategy": { "Fixed": 99 }, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0,
        "pad_type_id": 0, "pad_token": "!",
    });
    fs::write(path, tokenizer.to_string()).unwrap();
    let encoder = load(&folder).unwrap();
    for (text, expected) in expected_ids(&golden) {
        assert_eq!(encoder.token_ids(&text).unwrap(), expected, "{text}");
    }
}

#[test]
fn siglip_pads_with_what_its_settings_say() {
    let folder = folder_for(&golden("tiny-siglip")["config"]);
    let settings = folder.path().join("tokenizer_config.json");
    let last_id = |folder| *load(folder).unwrap().token_ids("rim").unwrap().last().unwrap();
    assert_eq!(last_id(&folder), 1);
    fs::write(&settings, r#"{ "pad_token": { "content": "<pad>", "special": true } }"#).unwrap();
    assert_eq!(last_id(&folder), 0);
    fs::remove_file(&settings).unwrap();
    assert_eq!(last_id(&folder), 1, "the configuration's, by default");
    fs::write(&settings, r#"{ "pad_token": "<none>" }"#).unwrap();
    assert!(
        matches!(load(&folder), Err(Error::InvalidTokenizer { reason, .. }) if reason.contains("<none>"))
    );
}

#[test]
fn capitals_and_punctuation_go_only_where_siglip_was_trained_so() {
    let folder = folder_for(&golden("tiny-siglip")["config"]);
    let settings = folder.path().join("tokenizer_config.json");
    let ids = |text: &str| load(&folder).unwrap().token_ids(text).unwrap();
    let plain = ids("oil pan");
    assert_eq!(ids("  OIL,\n pan!? "), plain);
    fs::write(&settings, r#"{ "do_lower_case": false }"#).unwrap();
    assert_eq!(ids("oil, pan"), plain);
    assert_ne!(ids("OIL pan"), plain);
    fs::write(&settings, r#"{ "tokenizer_class": "GemmaTokenizer" }"#).unwrap();
    assert_ne!(ids("oil, pan"), plain);
}

#[test]
fn a_tokenizer_that_does_not_fit_is_refused() {
    let golden = golden("tiny-clip");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut config = golden["config"].clone();
        change(&mut config["text_config"]);
        let folder = folder_without_weights(&config);
        let path = folder.path().join("model.safetensors");
        write_weights(&path, &tensors_of(&config), "F32", &weight);
        load(&folder).unwrap_err()
    };
    let error = changed(&|text| text["vocab_size"] = json!(633));
    assert!(matches!(error, Error::VocabularyTooLarge { highest_id: 633, embeddings: 633, .. }), "{error}");
    let error = changed(&|text| text["eos_token_id"] = json!(7));
    assert!(
        matches!(&error, Error::InvalidTokenizer { reason, .. } if reason.contains("end token")),
        "{error}"
    );
    let error = changed(&|text| text["max_position_embeddings"] = json!(2));
    assert!(
        matches!(&error, Error::InvalidTokenizer { reason, .. } if reason.contains("2 tokens")),
        "{error}"
    );
}

#[test]
fn a_tokenizer_that_is_missing_or_damaged_is_named() {
    let config = &golden("tiny-clip")["config"];
    let folder = folder_for(config);
    fs::write(folder.path().join("tokenizer.json"), "{").unwrap();
    let error = load(&folder).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidModelFile { path, .. } if path.ends_with("tokenizer.json")),
        "{error}"
    );

    use_pair(&folder);
    fs::write(folder.path().join("vocab.json"), r#"{ "a": 0 }"#).unwrap();
    let error = load(&folder).unwrap_err();
    assert!(
        matches!(&error, Error::InvalidTokenizer { reason, .. } if reason.contains("startoftext")),
        "{error}"
    );

    fs::remove_file(folder.path().join("merges.txt")).unwrap();
    let error = load(&folder).unwrap_err();
    assert!(
        matches!(&error, Error::TokenizerMissing { needed, .. } if needed.contains("merges.txt")),
        "{error}"
    );
}
