//! Checks the ranges that are stated at the fields of a manifest.

use super::{FileFormat, Manifest, Resize};
use crate::{Error, Result};

impl Manifest {
    /// Checks every range stated at the fields.
    ///
    /// # Errors
    /// [`Error::InvalidManifest`] for the first value out of range.
    pub fn validate(&self) -> Result<()> {
        self.validate_file()?;
        self.validate_input()?;
        self.validate_outputs()?;
        self.validate_prototypes()?;
        self.validate_calibration()?;
        self.validate_second_look()?;
        self.validate_references()?;
        self.validate_judging()?;
        self.validate_thresholds()?;
        self.validate_sets()?;
        self.validate_drift()
    }

    fn validate_file(&self) -> Result<()> {
        self.check(is_plain_name(&self.name), "name", &self.name, "lower-case letters, digits and hyphens")?;
        let file = &self.file;
        self.check_digest("file.sha256", &file.sha256)?;
        self.check(file.size_bytes > 0, "file.size_bytes", &file.size_bytes, "greater than 0")?;
        if let Some(opset) = file.opset {
            self.check(opset > 0, "file.opset", &opset, "greater than 0")?;
            let is_onnx = file.format == FileFormat::Onnx;
            self.check(is_onnx, "file.opset", &opset, "absent when `file.format` is `safetensors`")?;
        }
        // Two entries for one file could have different digests.
        let mut names = vec!["model.toml"];
        for part in &file.parts {
            self.check_digest("file.parts.sha256", &part.sha256)?;
            self.check(part.size_bytes > 0, "file.parts.size_bytes", &part.size_bytes, "greater than 0")?;
        }
        let own = [("file.path", &file.path), ("classes.labels", &self.classes.labels)];
        let parts = file.parts.iter().map(|part| ("file.parts.path", &part.path));
        let prototypes = self.prototypes.iter().map(|file| ("prototypes.path", &file.path));
        for (field, path) in own.into_iter().chain(parts).chain(prototypes) {
            // The manifest of an untrusted model must not make the program read files elsewhere.
            let is_inside = !path.is_empty() && !path.contains(['/', '\\']) && path != ".." && path != ".";
            self.check(is_inside, field, &path, "a file name without a folder")?;
            self.check(!names.contains(&path.as_str()), field, &path, "a file of its own")?;
            names.push(path);
        }
        Ok(())
    }

    fn validate_input(&self) -> Result<()> {
        // Bounds the memory for an input: 4096 x 4096 x 3 values of f32 are 200 MB.
        let side = 1..=4096;
        self.check(side.contains(&self.input.width), "input.width", &self.input.width, "1 to 4096")?;
        self.check(side.contains(&self.input.height), "input.height", &self.input.height, "1 to 4096")?;
        for value in self.input.mean {
            self.check(value.is_finite(), "input.mean", &value, "a finite number")?;
        }
        for value in self.input.std {
            self.check(value.is_finite() && value > 0.0, "input.std", &value, "greater than 0")?;
        }
        if let Resize::Squash { through: Some(through), .. } = self.resize {
            self.check(side.contains(&through), "resize.through", &through, "1 to 4096")?;
        }
        if let Resize::CenterCrop { shortest_side, .. } = self.resize {
            let is_enough = shortest_side >= self.input.width.max(self.input.height) && shortest_side <= 8192;
            let expected = "the input's larger side to 8192";
            self.check(is_enough, "resize.shortest_side", &shortest_side, expected)?;
        }
        Ok(())
    }

    fn validate_outputs(&self) -> Result<()> {
        if let Some(digest) = &self.classes.labels_sha256 {
            self.check_digest("classes.labels_sha256", digest)?;
        }
        self.check(self.classes.count > 0, "classes.count", &self.classes.count, "greater than 0")?;
        let dimension = self.embedding.dimension;
        self.check(dimension > 0, "embedding.dimension", &dimension, "greater than 0")?;
        if self.embedding.pool.is_some() {
            let may_pool = self.file.format == FileFormat::Onnx && self.prototypes.is_some();
            let expected = "absent unless `file.format` is `onnx` and there are `[prototypes]`";
            self.check(may_pool, "embedding.pool", &"a value", expected)?;
        }
        let mut names = vec![("input.name", &self.input.name), ("embedding.output", &self.embedding.output)];
        names.extend(self.classes.output.iter().map(|name| ("classes.output", name)));
        names.extend(self.known.iter().map(|known| ("known.output", &known.output)));
        for (index, (field, name)) in names.iter().enumerate() {
            let is_new = !name.is_empty() && names[..index].iter().all(|(_, earlier)| earlier != name);
            self.check(is_new, field, &name, "a name of its own")?;
        }
        Ok(())
    }

    /// Scores come either from the graph or from prototypes.
    fn validate_prototypes(&self) -> Result<()> {
        let outputs = [
            ("classes.output", self.classes.output.clone()),
            ("known.output", self.known.as_ref().map(|known| known.output.clone())),
        ];
        // A safetensors network is a vision tower: it returns embeddings and no scores.
        let Some(prototypes) = &self.prototypes else {
            let has_graph = self.file.format == FileFormat::Onnx;
            let expected = "`onnx`, or the model needs `[prototypes]`";
            self.check(has_graph, "file.format", &self.file.format.as_str(), expected)?;
            for (field, output) in outputs {
                let expected = "the name of an output, or the model needs `[prototypes]`";
                self.check(output.is_some(), field, &"nothing", expected)?;
            }
            return Ok(());
        };
        for (field, output) in outputs {
            let found = output.clone().unwrap_or_default();
            self.check(output.is_none(), field, &found, "absent when there are `[prototypes]`")?;
        }
        self.check_digest("prototypes.sha256", &prototypes.sha256)?;
        let size_bytes = prototypes.size_bytes;
        self.check(size_bytes > 0, "prototypes.size_bytes", &size_bytes, "greater than 0")?;
        let scale = prototypes.scale;
        self.check(scale.is_finite() && scale > 0.0, "prototypes.scale", &scale, "greater than 0")?;
        let normalised = self.embedding.normalised;
        self.check(normalised, "embedding.normalised", &normalised, "true when there are `[prototypes]`")
    }

    fn validate_calibration(&self) -> Result<()> {
        let calibration = &self.calibration;
        for (field, value) in [
            ("calibration.temperature", calibration.temperature),
            ("calibration.known_scale", calibration.known_scale),
        ] {
            self.check(value.is_finite() && value > 0.0, field, &value, "greater than 0")?;
        }
        let bias = calibration.known_bias;
        self.check(bias.is_finite(), "calibration.known_bias", &bias, "a finite number")
    }

    fn validate_second_look(&self) -> Result<()> {
        let Some(second_look) = &self.second_look else { return Ok(()) };
        for (field, value) in [
            ("second_look.confidence_below", second_look.confidence_below),
            ("second_look.known_score_below", second_look.known_score_below),
        ] {
            self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
        }
        for (field, value) in [
            ("second_look.logit_scale", second_look.logit_scale),
            ("second_look.known_scale", second_look.known_scale),
        ] {
            self.check(value.is_finite() && value > 0.0, field, &value, "greater than 0")?;
        }
        let bias = second_look.known_bias;
        self.check(bias.is_finite(), "second_look.known_bias", &bias, "a finite number")?;
        let n_views = second_look.views.len();
        let expected = "a list of 1 to 4 views";
        self.check((1..=4).contains(&n_views), "second_look.views", &n_views, expected)?;
        for view in &second_look.views {
            let is_share = view.centre > 0.0 && view.centre <= 1.0;
            let expected = "greater than 0 and at most 1";
            self.check(is_share, "second_look.views.centre", &view.centre, expected)?;
        }
        Ok(())
    }

    fn validate_references(&self) -> Result<()> {
        let Some(references) = &self.references else { return Ok(()) };
        let path = &references.prototypes;
        // As for the other files: the manifest of an untrusted model must not make the program read files
        // elsewhere.
        let is_inside = !path.is_empty() && !path.contains(['/', '\\']) && path != ".." && path != ".";
        self.check(is_inside, "references.prototypes", path, "a file name without a folder")?;
        self.check_digest("references.sha256", &references.sha256)?;
        let size_bytes = references.size_bytes;
        self.check(size_bytes > 0, "references.size_bytes", &size_bytes, "greater than 0")?;
        let normalised = self.embedding.normalised;
        self.check(normalised, "embedding.normalised", &normalised, "true when there are `[references]`")?;
        for (field, scale, bias_field, bias) in [
            (
                "references.score_scale",
                references.score_scale,
                "references.score_bias",
                references.score_bias,
            ),
            (
                "references.known_scale",
                references.known_scale,
                "references.known_bias",
                references.known_bias,
            ),
        ] {
            self.check(scale.is_finite() && scale > 0.0, field, &scale, "greater than 0")?;
            self.check(bias.is_finite(), bias_field, &bias, "a finite number")?;
        }
        self.check(references.nearest > 0, "references.nearest", &references.nearest, "at least 1")?;
        for (field, value) in [
            ("references.class_scale", references.class_scale),
            ("references.model_known_scale", references.model_known_scale),
            ("references.background_scale", references.background_scale),
            ("references.learnt_offset", references.learnt_offset),
        ] {
            self.check(value.is_finite() && value >= 0.0, field, &value, "0 or more")?;
        }
        if let Some(identified) = &references.identified {
            let confidence = identified.confidence.unwrap_or_default();
            for (field, value) in [
                ("references.identified.confidence", confidence),
                ("references.identified.error_upper_bound", identified.error_upper_bound),
            ] {
                self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
            }
            for (field, value, of, expected) in [
                (
                    "references.identified.identified_wrong",
                    identified.identified_wrong,
                    identified.identified,
                    "at most `identified`",
                ),
                (
                    "references.identified.others_identified",
                    identified.others_identified,
                    identified.others_n,
                    "at most `others_n`",
                ),
            ] {
                self.check(value <= of, field, &value, expected)?;
            }
        }
        let similarities = &references.similarities;
        for (field, value) in [
            ("references.similarities.own", similarities.own),
            ("references.similarities.copy", similarities.copy),
            ("references.similarities.copy_search", similarities.copy_search),
            ("references.similarities.outlier", similarities.outlier),
            ("references.similarities.similar", similarities.similar),
        ] {
            self.check((-1.0..=1.0).contains(&value), field, &value, "-1 to 1")?;
        }
        self.check(
            similarities.copy_search <= similarities.copy,
            "references.similarities.copy_search",
            &similarities.copy_search,
            "at most `references.similarities.copy`",
        )?;
        let margin = similarities.confusion_margin;
        self.check(
            (0.0..=2.0).contains(&margin),
            "references.similarities.confusion_margin",
            &margin,
            "0 to 2",
        )
    }

    fn validate_judging(&self) -> Result<()> {
        let similarity = self.judging().reuse_similarity;
        self.check((0.9..=1.0).contains(&similarity), "judging.reuse_similarity", &similarity, "0.9 to 1")
    }

    fn validate_thresholds(&self) -> Result<()> {
        let thresholds = &self.thresholds;
        for (field, value) in [
            ("thresholds.not_a_part_below", thresholds.not_a_part_below),
            ("thresholds.identified_known_score", thresholds.identified_known_score),
            ("thresholds.identified_confidence", thresholds.identified_confidence),
            ("thresholds.category_confidence", thresholds.category_confidence()),
        ] {
            self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
        }
        self.check(
            thresholds.identified_known_score >= thresholds.not_a_part_below,
            "thresholds.identified_known_score",
            &thresholds.identified_known_score,
            "at least `thresholds.not_a_part_below`",
        )?;
        // In ascending order, because the mark used for a choice is the last one whose error rate does not exceed
        // it.
        let (mut earlier, mut stricter) = (0.0, 1.0);
        for mark in &thresholds.risk {
            let wanted = mark.wanted_error;
            let rises = wanted > earlier && wanted < 1.0;
            let expected = "between 0 and 1, and above the mark before it";
            self.check(rises, "thresholds.risk.wanted_error", &wanted, expected)?;
            earlier = wanted;
            let confidence = mark.identified_confidence;
            let expected = "at most that of the mark before it, which allows fewer wrong answers";
            self.check(
                confidence <= stricter,
                "thresholds.risk.identified_confidence",
                &confidence,
                expected,
            )?;
            stricter = confidence;
            for (field, value) in [
                ("thresholds.risk.identified_confidence", mark.identified_confidence),
                ("thresholds.risk.answered", mark.answered),
                ("thresholds.risk.error_upper_bound", mark.error_upper_bound),
            ] {
                self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
            }
            self.check(mark.n > 0, "thresholds.risk.n", &mark.n, "greater than 0")?;
            let identified = mark.identified.unwrap_or_default();
            // The counts may be absent; if present they must add up, because they are shown to users.
            let n_decided = identified.saturating_add(mark.not_sure.unwrap_or_default());
            self.check(
                n_decided <= mark.n,
                "thresholds.risk.identified",
                &identified,
                "with `not_sure` at most `n`",
            )?;
            let n_wrong = mark.identified_wrong.unwrap_or_default();
            self.check(
                n_wrong <= identified,
                "thresholds.risk.identified_wrong",
                &n_wrong,
                "at most `identified`",
            )?;
        }
        for (index, bound) in thresholds.rejection.iter().enumerate() {
            let is_new = thresholds.rejection[..index].iter().all(|earlier| earlier.of != bound.of);
            let expected = "at most one entry of a kind";
            self.check(is_new, "thresholds.rejection.of", &format!("{:?}", bound.of), expected)?;
            self.check(bound.n > 0, "thresholds.rejection.n", &bound.n, "greater than 0")?;
            let identified = bound.identified;
            self.check(identified <= bound.n, "thresholds.rejection.identified", &identified, "at most `n`")?;
            let upper = bound.identified_upper_bound;
            self.check(
                upper <= 1.0 && upper >= identified as f64 / bound.n as f64,
                "thresholds.rejection.identified_upper_bound",
                &upper,
                "from `identified` / `n` to 1",
            )?;
        }
        Ok(())
    }

    fn validate_sets(&self) -> Result<()> {
        let Some(sets) = &self.sets else { return Ok(()) };
        let is_between = sets.coverage > 0.0 && sets.coverage < 1.0;
        self.check(is_between, "sets.coverage", &sets.coverage, "between 0 and 1")?;
        for (field, value) in
            [("sets.probability", sets.probability), ("sets.measured_coverage", sets.measured_coverage)]
        {
            self.check((0.0..=1.0).contains(&value), field, &value, "0 to 1")?;
        }
        let is_size = (1.0..=self.classes.count as f64).contains(&sets.mean_size);
        self.check(is_size, "sets.mean_size", &sets.mean_size, "1 to `classes.count`")?;
        self.check(sets.n > 0, "sets.n", &sets.n, "greater than 0")
    }

    fn validate_drift(&self) -> Result<()> {
        let Some(drift) = &self.drift else { return Ok(()) };
        self.check(drift.effective_n > 0, "drift.effective_n", &drift.effective_n, "greater than 0")?;
        let is_share = |value: &f64| (0.0..=1.0).contains(value);
        let shown = |values: &[f64]| format!("{values:?}");
        let rises = drift.at.is_sorted_by(|one, next| one < next);
        self.check(
            rises && !drift.at.is_empty() && drift.at.iter().all(is_share),
            "drift.at",
            &shown(&drift.at),
            "marks from 0 to 1, each greater than the one before",
        )?;
        for (field, shares) in
            [("drift.confidence", &drift.confidence), ("drift.known_score", &drift.known_score)]
        {
            let is_curve = shares.len() == drift.at.len()
                && shares.iter().all(is_share)
                && shares.is_sorted_by(|one, next| one <= next);
            self.check(
                is_curve,
                field,
                &shown(shares),
                "as many shares as `drift.at`, 0 to 1, never falling",
            )?;
        }
        Ok(())
    }

    fn check_digest(&self, field: &'static str, text: &str) -> Result<()> {
        // Upper case is refused, because digests are compared as strings.
        let digits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_digest = text.len() == 64 && text.bytes().all(digits);
        self.check(is_digest, field, &text, "64 lower-case hex digits")
    }

    fn check(
        &self,
        holds: bool,
        field: &'static str,
        found: &dyn ToString,
        expected: &'static str,
    ) -> Result<()> {
        if holds {
            return Ok(());
        }
        Err(Error::InvalidManifest { model: self.name.clone(), field, found: found.to_string(), expected })
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}
