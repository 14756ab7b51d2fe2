//! The hidden command that decodes photographs in a process of its own.

use partsight_app::{DecoderCommand, Photo, PhotoDecoder, PhotoLimits};

use crate::{Program, golden};

fn isolated() -> PhotoDecoder {
    let program = env!("CARGO_BIN_EXE_partsight").into();
    let command = DecoderCommand { program, arguments: vec!["decode-photo".to_owned()] };
    PhotoDecoder::isolated(PhotoLimits::default(), command)
}

#[test]
fn a_process_gives_the_same_pixels_as_this_one() {
    let decoder = isolated();
    for name in ["brake-rotor", "coil-spring", "meadow"] {
        let bytes = std::fs::read(golden(name)).unwrap();
        let here = Photo::decode(&bytes, &PhotoLimits::default()).unwrap();
        assert!(decoder.decode(&bytes).unwrap() == here, "{name}");
    }
}

#[test]
fn a_damaged_photograph_is_refused_with_the_same_reason() {
    let bytes = std::fs::read(golden("meadow")).unwrap();
    let cut = &bytes[..bytes.len() / 2];
    let here = Photo::decode(cut, &PhotoLimits::default()).unwrap_err();
    assert_eq!(isolated().decode(cut).unwrap_err().to_string(), here.to_string());
}

#[test]
fn the_command_is_not_for_people() {
    assert!(!Program::new().run(&["--help"]).expect_code(0).stdout.contains("decode-photo"));
}
