//! Keeps ONNX Runtime from telling its makers of this machine.

/// Forbids ONNX Runtime its telemetry; to be called before any other thread runs.
///
/// On Linux the library of version 1.31.1 looks up and connects to a server of its makers about ten seconds after it is
/// loaded, also where its own interface is told to send nothing: it begins before anybody can tell it. This variable it
/// reads first.
#[expect(unsafe_code, reason = "the library has no other switch that comes early enough")]
pub(crate) fn forbid() {
    // SAFETY: no other thread runs yet that could read the environment meanwhile.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
}
