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

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_died_while_it_waited_costs_no_photograph() {
    let folder = tempfile::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let started =
        format!("echo $$ >> '{}'; exec '{}' decode-photo", pids.display(), env!("CARGO_BIN_EXE_partsight"));
    let command = DecoderCommand { program: "/bin/sh".into(), arguments: vec!["-c".to_owned(), started] };
    let decoder = PhotoDecoder::isolated(PhotoLimits::default(), command);
    let bytes = std::fs::read(golden("meadow")).unwrap();
    let first = decoder.decode(&bytes).unwrap();
    let process = || std::fs::read_to_string(&pids).unwrap().lines().last().unwrap().to_owned();
    let waiting = process();
    let killed = std::process::Command::new("kill").args(["-9", &waiting]).status().unwrap();
    assert!(killed.success());
    // Dead, and not yet reaped: the first thread counts as dead while others still end, and none of the process can be
    // waited for until they have.
    let is_dead = || {
        let stat = std::fs::read_to_string(format!("/proc/{waiting}/stat")).unwrap();
        let first_is_dead = stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'));
        first_is_dead && std::fs::read_dir(format!("/proc/{waiting}/task")).unwrap().count() == 1
    };
    while !is_dead() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(decoder.decode(&bytes).unwrap() == first);
    assert_ne!(process(), waiting);
}

#[test]
fn the_command_is_not_for_people() {
    assert!(!Program::new().run(&["--help"]).expect_code(0).stdout.contains("decode-photo"));
    let without_command = Program::new().run(&["--model", "clip"]);
    assert!(!without_command.expect_code(2).stderr.contains("decode-photo"), "{without_command:?}");
}
