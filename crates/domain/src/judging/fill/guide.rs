use super::{plain_line, plain_lines};
use crate::parts::{Difficulty, InstallationGuide};

const STEPS: std::ops::RangeInclusive<usize> = 3..=25;
const STEP_MAX_CHARS: usize = 400;
const MAX_TOOLS: usize = 20;
const TOOL_MAX_CHARS: usize = 80;
const SAFETY_MAX_CHARS: usize = 500;
/// Valid minutes of a job: up to two days around the clock.
const MINUTES: std::ops::RangeInclusive<f64> = 1.0..=2_880.0;

/// Validates a guide by a language model; `None` for an invalid one.
///
/// Invalid tools are left out. A guide with an invalid step is refused, because a guide with a gap is worse than none,
/// and so is one without a safety note.
pub fn filled_guide(
    difficulty: Difficulty,
    time_minutes: [f64; 2],
    tools: &[String],
    steps: &[String],
    safety: &str,
) -> Option<InstallationGuide> {
    let [low, high] = time_minutes;
    let steps: Vec<String> =
        // Collected into an `Option`, so that one invalid step refuses the guide.
        steps.iter().map(|step| plain_line(step, STEP_MAX_CHARS)).collect::<Option<_>>()?;
    let is_time = MINUTES.contains(&low) && MINUTES.contains(&high) && low <= high;
    if !is_time || !STEPS.contains(&steps.len()) {
        return None;
    }
    Some(InstallationGuide {
        difficulty,
        time_minutes: [low.round() as u32, high.round() as u32],
        tools: plain_lines(tools, TOOL_MAX_CHARS, MAX_TOOLS),
        steps,
        safety: plain_line(safety, SAFETY_MAX_CHARS)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guide(time: [f64; 2], tools: &[&str], steps: &[&str], safety: &str) -> Option<InstallationGuide> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        filled_guide(Difficulty::Medium, time, &owned(tools), &owned(steps), safety)
    }

    #[test]
    fn a_guide_is_whole_or_none() {
        let steps = ["Let it cool.", "Undo the bolts.", "Fit the new one."];
        let good =
            guide([30.0, 60.4], &["Ratchet", "", "see www.example.com"], &steps, "It is hot.").unwrap();
        assert_eq!((good.time_minutes, good.tools.len(), good.steps.len()), ([30, 60], 1, 3));
        let long = "x".repeat(401);
        let many: Vec<&str> = std::iter::repeat_n("Turn.", 26).collect();
        for (time, steps, safety) in [
            ([30.0, 60.0], &steps[..2], "It is hot."),
            ([30.0, 60.0], &many[..], "It is hot."),
            ([30.0, 60.0], &["One.", "", "Three."][..], "It is hot."),
            ([30.0, 60.0], &["One.", &long, "Three."][..], "It is hot."),
            ([30.0, 60.0], &["One.", "Buy at https://example.com", "Three."][..], "It is hot."),
            ([60.0, 30.0], &steps[..], "It is hot."),
            ([0.0, 30.0], &steps[..], "It is hot."),
            ([30.0, 1e9], &steps[..], "It is hot."),
            ([f64::NAN, 30.0], &steps[..], "It is hot."),
            ([30.0, 60.0], &steps[..], " "),
        ] {
            assert_eq!(guide(time, &[], steps, safety), None, "{time:?} {steps:?} {safety}");
        }
    }
}
