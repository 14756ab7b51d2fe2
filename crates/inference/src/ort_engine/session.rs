//! Builds sessions, and verifies where they compute.

use std::{env, fs, path::Path, process};

use ort::{
    ep::{CUDA, ExecutionProvider, cuda::ConvAlgorithmSearch},
    session::{
        Session,
        builder::{GraphOptimizationLevel, SessionBuilder},
    },
    value::TensorRef,
};

use super::placement;
use crate::onnx_graph::Graph;
use crate::{Error, ImageBatch, Manifest, OnnxRuntime, Result};

fn commit(graph: Graph<'_>, builder: &mut SessionBuilder) -> ort::Result<Session> {
    match graph {
        Graph::Bytes(bytes) => builder.commit_from_memory(bytes),
        Graph::File(path) => builder.commit_from_file(path),
    }
}

/// A session on the CPU with `threads` computing threads.
pub(super) fn on_cpu(runtime: &OnnxRuntime, graph: Graph<'_>, threads: usize) -> ort::Result<Session> {
    commit(graph, &mut builder(runtime)?.with_intra_threads(threads.max(1))?)
}

/// A session on the CPU with one computing thread, for inputs whose shape differs from run to run.
///
/// By default ONNX Runtime plans one block of memory for each new shape, and keeps the blocks. After the text of 351
/// photographs was read, a process then held 45 MB more, at the same speed.
pub(crate) fn for_any_shape(runtime: &OnnxRuntime, graph: Graph<'_>) -> ort::Result<Session> {
    commit(graph, &mut builder(runtime)?.with_intra_threads(1)?.with_memory_pattern(false)?)
}

/// A session on GPU `number` that was verified to compute there.
pub(super) fn on_cuda(
    runtime: &OnnxRuntime,
    graph: Graph<'_>,
    number: usize,
    manifest: &Manifest,
) -> Result<Session> {
    let no_gpu = |missing: String, source: Option<ort::Error>| Error::NoGpu {
        number,
        missing,
        source: source.map(|source| Box::new(source) as _),
    };
    // The files are checked first, because the other check needs the runtime to be started.
    let is_for_gpus = runtime.is_for_gpus() && {
        runtime.start()?;
        matches!(CUDA::is_available(), Ok(true))
    };
    if !is_for_gpus {
        let (version, path) = (runtime.version(), runtime.path().display());
        let missing = format!(
            "ONNX Runtime {version} at `{path}` is the build for processors; a GPU needs the other one \
             (`onnxruntime-gpu`; name its library in the setting `onnxruntime`)"
        );
        return Err(no_gpu(missing, None));
    }
    let with_gpu = |strict: bool| -> ort::Result<SessionBuilder> {
        let builder = builder(runtime)?;
        let builder = if strict { builder.with_disable_cpu_fallback()? } else { builder };
        // A number beyond any machine's GPUs fails, instead of selecting another GPU.
        let device = i32::try_from(number).unwrap_or(i32::MAX);
        // Without `error_on_failure`, a provider that cannot be loaded would be skipped silently.
        // TF32 rounds products to 10 bits, but calibration and golden files are for full f32.
        // The exhaustive search, ONNX Runtime's default, takes seconds for each new batch size.
        let cuda = CUDA::default()
            .with_device_id(device)
            .with_tf32(false)
            .with_conv_algorithm_search(ConvAlgorithmSearch::Heuristic)
            .build()
            .error_on_failure();
        Ok(builder.with_execution_providers([cuda])?)
    };
    let mut strict = with_gpu(true).map_err(|source| {
        let missing = "the NVIDIA driver, or the CUDA and cuDNN libraries that this ONNX Runtime needs, \
                       cannot be loaded";
        no_gpu(missing.to_owned(), Some(source))
    })?;
    if let Ok(session) = commit(graph, &mut strict) {
        return Ok(session);
    }
    // Some graphs compute shapes on the CPU, which costs nothing; so build it without the restriction, and check
    // the profile, since the runtime falls back to the CPU silently. See docs/decisions/0016-prove-the-gpu.md.
    let failed = |source| no_gpu(format!("no GPU of the number {number} answers"), Some(source));
    // Process and GPU are part of the name, since two servers of one machine may start at once.
    let profile = env::temp_dir().join(format!("partsight-profile-{}-{number}", process::id()));
    let session = with_gpu(false)
        .and_then(|builder| builder.with_profiling(&profile).map_err(Into::into))
        .and_then(|mut builder| commit(graph, &mut builder));
    let mut session = match session {
        Ok(session) => session,
        // If the CPU refuses the graph too, the cause is the graph.
        Err(source) => {
            return Err(match on_cpu(runtime, graph, 1) {
                Ok(_) => failed(source),
                Err(source) => Error::BuildSession { model: manifest.name.clone(), source },
            });
        }
    };
    let profile = profile_of_one_run(&mut session, manifest).map_err(failed)?;
    match placement::heavy_on_processor(&profile) {
        Some(operators) if operators.is_empty() => Ok(session),
        Some(operators) => {
            let operators = operators.join("`, `");
            Err(no_gpu(
                format!("the graph has operators that only the processor computes: `{operators}`"),
                None,
            ))
        }
        None => Err(no_gpu("ONNX Runtime does not say where the graph runs".to_owned(), None)),
    }
}

fn builder(runtime: &OnnxRuntime) -> ort::Result<SessionBuilder> {
    // Spinning threads busy-wait: in a measurement this doubled the CPU time under traffic.
    Ok(Session::builder(runtime.environment().map_err(ort::Error::wrap)?)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        // There is one engine thread per core, so a session must not start more threads. See
        // docs/decisions/0003-one-session-per-core.md.
        .with_inter_threads(1)?
        .with_parallel_execution(false)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?)
}

/// The runtime's profile of a run with one blank image, as text; the profile file is removed.
fn profile_of_one_run(session: &mut Session, manifest: &Manifest) -> ort::Result<String> {
    if let Ok(blank) = ImageBatch::blank(manifest) {
        let input = TensorRef::from_array_view((blank.view().shape().to_vec(), blank.as_slice()))?;
        session.run(ort::inputs![manifest.input.name.as_str() => input])?;
    }
    let path = session.end_profiling()?;
    let text = fs::read_to_string(Path::new(&path)).map_err(ort::Error::wrap);
    // A failure to remove it does not concern the model.
    let _ = fs::remove_file(&path);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    /// Checks the format of the profile, on which the verification relies, with a real one.
    #[test]
    fn a_profile_of_the_processor_shows_the_heavy_operators_there() {
        let path = env::var_os("PARTSIGHT_ONNXRUNTIME").map(std::path::PathBuf::from);
        let runtime = OnnxRuntime::load(path.as_deref()).expect("ONNX Runtime is installed");
        let model = Model::embedded().expect("the embedded model");
        let profile = env::temp_dir().join(format!("partsight-profile-test-{}", process::id()));
        let mut session = builder(&runtime)
            .expect("a builder")
            .with_profiling(&profile)
            .expect("profiling")
            .commit_from_memory(model.onnx().expect("a graph"))
            .expect("a session");
        let profile = profile_of_one_run(&mut session, model.manifest()).expect("a profile");
        let operators = placement::heavy_on_processor(&profile).expect("a profile with operators");
        assert!(operators.iter().any(|operator| operator.contains("Conv")), "{operators:?}");
    }
}
