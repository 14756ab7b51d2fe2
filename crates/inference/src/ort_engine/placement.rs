//! Reads from ONNX Runtime's profile which operators ran on the CPU.

use std::collections::BTreeSet;

use serde::Deserialize;

/// Operators that take most of a network's time. All others on the CPU are shapes and copies.
const HEAVY: [&str; 4] = ["Conv", "MatMul", "Gemm", "Attention"];
const PROCESSOR: &str = "CPUExecutionProvider";

/// One event of the profile.
#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    cat: String,
    #[serde(default)]
    args: Arguments,
}

#[derive(Default, Deserialize)]
struct Arguments {
    #[serde(default)]
    op_name: String,
    #[serde(default)]
    provider: String,
}

/// The heavy operators that ran on the CPU, without duplicates; `None` if the profile names no operator's provider.
pub(super) fn heavy_on_processor(profile: &str) -> Option<Vec<String>> {
    let events: Vec<Event> = serde_json::from_str(profile).ok()?;
    let mut is_any = false;
    let mut found = BTreeSet::new();
    for Event { args, .. } in events.into_iter().filter(|event| event.cat == "Node") {
        if args.provider.is_empty() {
            continue;
        }
        is_any = true;
        // The runtime's own variants contain the name: FusedConv, QLinearConv, MatMulInteger.
        if args.provider == PROCESSOR && HEAVY.iter().any(|heavy| args.op_name.contains(heavy)) {
            found.insert(args.op_name);
        }
    }
    is_any.then(|| found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(operator: &str, provider: &str) -> String {
        format!(r#"{{"cat": "Node", "args": {{"op_name": "{operator}", "provider": "{provider}"}}}}"#)
    }

    #[test]
    fn shapes_on_the_processor_are_no_matter() {
        let profile = format!(
            r#"[{{"cat": "Session", "dur": 5}}, {}, {}]"#,
            node("Conv", "CUDAExecutionProvider"),
            node("Shape", PROCESSOR)
        );
        assert_eq!(heavy_on_processor(&profile), Some(Vec::new()));
    }

    #[test]
    fn heavy_operators_on_the_processor_are_named_once() {
        let profile = format!(
            "[{}, {}, {}]",
            node("QLinearConv", PROCESSOR),
            node("QLinearConv", PROCESSOR),
            node("FusedMatMul", PROCESSOR)
        );
        assert_eq!(heavy_on_processor(&profile).expect("operators"), ["FusedMatMul", "QLinearConv"]);
    }

    #[test]
    fn a_profile_that_says_nothing_proves_nothing() {
        for profile in ["", "[]", r#"[{"cat": "Session"}]"#, r#"[{"cat": "Node", "args": {}}]"#] {
            assert_eq!(heavy_on_processor(profile), None, "{profile}");
        }
    }
}
