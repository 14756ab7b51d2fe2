use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use partsight_test_support::process;
use serde_json::Value;
use tempfile::TempDir;

/// The folder of the whole workspace.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A file of the model's golden set: a picture of `brake-rotor`, `coil-spring` or `rim`, or a `meadow`.
pub(crate) fn golden(name: &str) -> PathBuf {
    repository().join("models/partsight-50/golden").join(format!("{name}.png"))
}

/// The program, in a folder of its own.
pub(crate) struct Program {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        link_onnx_runtime(folder.path());
        // One engine starts sooner than one a core.
        Self { folder, variables: vec![("PARTSIGHT_ENGINE_THREADS", "1".to_owned())] }
    }

    /// The program with its data in `data` of its folder.
    pub(crate) fn with_data() -> Self {
        let program = Self::new();
        let data_dir = program.folder().join("data");
        program.with("PARTSIGHT_DATA_DIR", data_dir)
    }

    /// The same with a variable of the environment.
    pub(crate) fn with(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name, value.as_ref().to_str().unwrap().to_owned()));
        self
    }

    /// The folder that it runs in.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a file into the folder and gives its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Puts a golden picture into the folder.
    pub(crate) fn add_golden(&self, name: &str, golden_name: &str) -> PathBuf {
        self.write(name, fs::read(golden(golden_name)).unwrap())
    }

    /// What lies in the folder of models of [`Program::with_data`].
    pub(crate) fn models(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder().join("data/models")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    pub(crate) fn command<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_partsight"));
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"PARTSIGHT_") {
                command.env_remove(name);
            }
        }
        // Where ONNX Runtime lies is a matter of the machine.
        // The program has to see to this by itself.
        command.env_remove("ORT_DISABLE_TELEMETRY");
        if let Some(library) = std::env::var_os("PARTSIGHT_ONNXRUNTIME") {
            command.env("PARTSIGHT_ONNXRUNTIME", library);
        }
        command
            .args(arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .env("XDG_DATA_HOME", self.folder().join("home"))
            .env("XDG_CACHE_HOME", self.folder().join("cache"))
            .current_dir(self.folder())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: &[A]) -> Outcome {
        process::output(&mut self.command(arguments)).into()
    }

    /// Runs it with this on standard input.
    pub(crate) fn run_with_input<A: AsRef<OsStr>>(
        &self,
        arguments: &[A],
        input: impl AsRef<[u8]>,
    ) -> Outcome {
        let mut command = self.command(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses its arguments reads nothing.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        process::end(&mut child).into()
    }
}

/// The program's cache folder is its own here, but for the library, which is looked for in there.
fn link_onnx_runtime(folder: &Path) {
    let cache = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")));
    let library = cache.map(|cache| cache.join("partsight/onnxruntime")).filter(|library| library.is_dir());
    #[cfg(unix)]
    if let Some(library) = library {
        fs::create_dir_all(folder.join("cache/partsight")).unwrap();
        std::os::unix::fs::symlink(library, folder.join("cache/partsight/onnxruntime")).unwrap();
    }
}

impl From<Output> for Outcome {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Outcome {
    #[track_caller]
    pub(crate) fn expect_code(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard output as one JSON array.
    #[track_caller]
    pub(crate) fn rows(&self) -> Vec<Value> {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Checks that the program failed with one line on standard error and nothing else; gives that line.
    #[track_caller]
    pub(crate) fn only_sentence(&self) -> &str {
        self.sentence_with_code(1)
    }

    /// The same where the arguments do not fit together.
    #[track_caller]
    pub(crate) fn misfit(&self) -> &str {
        self.sentence_with_code(2)
    }

    #[track_caller]
    fn sentence_with_code(&self, code: i32) -> &str {
        self.expect_code(code);
        assert_eq!(self.stdout, "", "{self:#?}");
        let line = self.stderr.strip_suffix('\n').unwrap();
        assert!(line.starts_with("partsight: ") && !line.contains('\n'), "{self:#?}");
        line
    }
}
