//! Building a session, and proving where it computes.

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

/// A session on the processor with `threads` computing threads.
pub(crate) fn on_cpu(runtime: &OnnxRuntime, graph: Graph<'_>, threads: usize) -> ort::Result<Session> {
    commit(graph, &mut builder(runtime)?.with_intra_threads(threads.max(1))?)
}

/// A session on GPU `number` that has been shown to compute there.
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
    // The files are asked first, because the runtime has to be started to answer.
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
        // A number beyond any machine's fails with "no such GPU" instead of another GPU being taken.
        let device = i32::try_from(number).unwrap_or(i32::MAX);
        // Without `error_on_failure` a provider that cannot be loaded would be left out in silence.
        // TF32 rounds products to 10 bits: calibration and golden files are those of full f32.
        // The exhaustive search, ONNX Runtime's own choice, takes seconds for each new size of batch.
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
    // Some graphs compute shapes on the processor, which is no loss; so ask again, and look at what ran where: the
    // runtime falls back to the processor without a word. See docs/decisions/0016-prove-the-gpu.md.
    let failed = |source| no_gpu(format!("no GPU of the number {number} answers"), Some(source));
    // Process and GPU in the name: two servers of one machine may start at once.
    let profile = env::temp_dir().join(format!("partsight-profile-{}-{number}", process::id()));
    let session = with_gpu(false)
        .and_then(|builder| builder.with_profiling(&profile).map_err(Into::into))
        .and_then(|mut builder| commit(graph, &mut builder));
    let mut session = match session {
        Ok(session) => session,
        // A graph that the processor refuses as well is a matter of the graph.
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
    // Spinning threads wait for work at full load: measured, it doubled the processor time under traffic.
    Ok(Session::builder(runtime.environment().map_err(ort::Error::wrap)?)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        // One engine thread a core, so that a session must not start further ones.
        // See docs/decisions/0003-one-session-per-core.md.
        .with_inter_threads(1)?
        .with_parallel_execution(false)?
        .with_intra_op_spinning(false)?
        .with_inter_op_spinning(false)?)
}

/// The runtime's own record of one blank image, as text; the file that it wrote is removed.
fn profile_of_one_run(session: &mut Session, manifest: &Manifest) -> ort::Result<String> {
    if let Ok(blank) = ImageBatch::blank(manifest) {
        let input = TensorRef::from_array_view((blank.view().shape().to_vec(), blank.as_slice()))?;
        session.run(ort::inputs![manifest.input.name.as_str() => input])?;
    }
    let path = session.end_profiling()?;
    let text = fs::read_to_string(Path::new(&path)).map_err(ort::Error::wrap);
    // Whether it could be removed says nothing of the model.
    let _ = fs::remove_file(&path);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;

    /// The runtime's own profile is what the proof rests on: its form is checked on a real one.
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
