//! The vehicle as a prior on part types.

use crate::PartLabel;
use crate::recognition::Candidate;
use crate::recognition::scoring::FusedScores;

/// Prior weight of a part type that cannot be on the vehicle. Low enough that fitting types usually rank first, and
/// high enough that a very confident answer is not overridden, because the vehicle may be entered wrongly.
// A judgement, not measured: see docs/decisions/0042-vehicle-as-prior.md.
pub const UNFIT_PRIOR: f32 = 0.02;
/// Minimum probability of an unfit type that is reported.
const NOTED_DOUBT: f32 = 0.05;

impl FusedScores {
    /// Applies the prior: `p_i' = w_i p_i / sum_j w_j p_j`, where `w` is [`UNFIT_PRIOR`] for labels that cannot be on
    /// the vehicle and 1 for the others. It is no veto: a very probable label stays first.
    ///
    /// Returns the unfit labels that had a probability of 0.05 or more before, the most probable first.
    pub(super) fn weigh_down_unfit(&mut self, is_unfit: impl Fn(&PartLabel) -> bool) -> Vec<Candidate> {
        let unfit: Vec<bool> = self.labels.iter().map(is_unfit).collect();
        let weighed = |(probability, unfit): (&f32, &bool)| {
            f64::from(*probability) * if *unfit { f64::from(UNFIT_PRIOR) } else { 1.0 }
        };
        let weights: Vec<f64> = self.probabilities.iter().zip(&unfit).map(weighed).collect();
        let total: f64 = weights.iter().sum();
        // Without unfit labels the probabilities stay the same, bit for bit.
        if !unfit.contains(&true) || total <= 0.0 {
            return Vec::new();
        }
        // Before the prior, because people are shown the probability by the photograph alone.
        let mut doubts: Vec<Candidate> = (0..self.labels.len())
            .filter(|&at| unfit[at] && self.probabilities[at] >= NOTED_DOUBT)
            .map(|at| Candidate { label: self.labels[at].clone(), confidence: self.probabilities[at] })
            .collect();
        doubts.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
        self.probabilities = weights.iter().map(|weight| (weight / total) as f32).collect();
        doubts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(text: &str) -> PartLabel {
        PartLabel::new(text).unwrap()
    }

    fn scores(probabilities: [f32; 2]) -> FusedScores {
        FusedScores {
            labels: vec![label("rim"), label("piston")],
            categories: vec![None; 2],
            probabilities: probabilities.to_vec(),
            known_score: 0.9,
        }
    }

    #[test]
    fn what_cannot_be_on_the_vehicle_is_weighed_down_and_named() {
        let is_rim = |found: &PartLabel| *found == label("rim");
        let mut found = scores([0.75, 0.25]);
        let doubts = found.weigh_down_unfit(is_rim);
        assert_eq!(doubts, [Candidate { label: label("rim"), confidence: 0.75 }]);
        assert_eq!(found.ranking(1)[0].label, label("piston"));
        let odds = found.probabilities[0] / found.probabilities[1];
        assert!((odds - 3.0 * 0.02).abs() < 1e-4);
        assert!((found.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-6);

        // A very probable label stays first.
        let mut sure = scores([0.999, 0.001]);
        assert_eq!(sure.weigh_down_unfit(is_rim).len(), 1);
        assert_eq!(sure.ranking(1)[0].label, label("rim"));
        // Without unfit labels nothing changes, bit for bit.
        let mut untouched = scores([0.75, 0.25]);
        assert!(untouched.weigh_down_unfit(|_| false).is_empty());
        assert_eq!(untouched, scores([0.75, 0.25]));
        // Unfit labels with a low probability are not reported.
        assert!(scores([0.04, 0.96]).weigh_down_unfit(is_rim).is_empty());
    }
}
