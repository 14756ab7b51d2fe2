use serde::Serialize;

use super::SelectiveCurve;

/// Number of steps of 0.01: the thresholds are 0, 0.01 ... 1, and 1.01, which is above every confidence.
const STEPS: u8 = 101;

/// Assumed price and accuracy of a vision LLM that answers the unsure photographs. Both are set by the user, not
/// measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// Price of one call, in any currency; 0 or more.
    pub llm_price: f64,
    /// Share of its answers that are right, in 0..=1.
    pub llm_accuracy: f64,
}

/// Cost and accuracy at one confidence threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostPoint {
    /// The model answers from this confidence on, in 0..=1.01.
    pub threshold: f32,
    /// Coverage: the share of photographs that the model answers, in 0..=1.
    pub answered_locally: f64,
    /// LLM calls per 1,000 photographs.
    pub calls_per_thousand: f64,
    /// Price of these calls.
    pub cost_per_thousand: f64,
    /// Expected accuracy including the answers of the LLM, in 0..=1.
    pub accuracy: f64,
}

/// Accuracy against cost, by ascending threshold: at 0 the LLM answers only photographs without a score, at the end
/// all. Empty without photographs.
pub fn cost_curve(curve: &SelectiveCurve, prices: &Prices) -> Vec<CostPoint> {
    if curve.total == 0 {
        return Vec::new();
    }
    let total = curve.total as f64;
    (0..=STEPS)
        .map(|step| {
            let threshold = f32::from(step) / 100.0;
            let point = curve.at_threshold(threshold);
            let asked = (curve.total - point.answered) as f64;
            let right = (point.answered - point.wrong) as f64;
            let calls_per_thousand = 1000.0 * asked / total;
            CostPoint {
                threshold,
                answered_locally: point.answered as f64 / total,
                calls_per_thousand,
                cost_per_thousand: calls_per_thousand * prices.llm_price,
                // Expected, not counted, because no LLM is called.
                accuracy: prices.llm_accuracy.mul_add(asked, right) / total,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_near;

    #[test]
    fn a_threshold_trades_calls_for_accuracy() {
        // One of four photographs has no score: it always goes to the LLM.
        let curve = SelectiveCurve::new(vec![(0.9, true), (0.6, true), (0.3, false)], 4);
        let points = cost_curve(&curve, &Prices { llm_price: 0.02, llm_accuracy: 0.9 });
        let lowest = points[0];
        assert_near(lowest.answered_locally, 0.75);
        assert_near(lowest.calls_per_thousand, 250.0);
        assert_near(lowest.cost_per_thousand, 5.0);
        assert_near(lowest.accuracy, (2.0 + 0.9) / 4.0);
        let half = points[50];
        assert_near(half.answered_locally, 0.5);
        assert_near(half.accuracy, (2.0 + 1.8) / 4.0);
        let highest = points[101];
        assert_near(highest.calls_per_thousand, 1000.0);
        assert_near(highest.accuracy, 0.9);
    }

    #[test]
    fn of_nothing_there_is_no_curve() {
        let prices = Prices { llm_price: 1.0, llm_accuracy: 1.0 };
        assert_eq!(cost_curve(&SelectiveCurve::new(Vec::new(), 0), &prices), []);
    }
}
