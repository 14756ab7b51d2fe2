//! Disables ONNX Runtime's telemetry.

/// Disables ONNX Runtime's telemetry; must be called before any other thread runs.
///
/// On Linux, version 1.31.1 connects to a server of its vendor about ten seconds after it is loaded, even if telemetry
/// is disabled through its API, because it starts before the API can be called. It reads this variable first.
#[expect(unsafe_code, reason = "the library has no other switch that comes early enough")]
pub(crate) fn forbid() {
    // SAFETY: no other thread runs yet that could read the environment concurrently.
    unsafe { std::env::set_var("ORT_DISABLE_TELEMETRY", "1") };
}
