//! Measures a model on labelled photographs, and writes the report.
//!
//! The central type is [`Evaluation`]: every figure of one model on one [`Dataset`]. There are three steps, each usable
//! alone: [`Dataset::open`] lists the photographs with their labels, [`Run`] gets the model's answer for each, and
//! [`Evaluation::new`] computes the figures. [`Comparison`] compares several evaluations. [`write_report`] and
//! [`write_comparison`] write the pages and files.
//!
//! Each answer is written to a journal at once, so that an interrupted run resumes. A few hundred bytes are kept for
//! each photograph, never its pixels, so 100,000 photographs fit into memory. Only the few dozen photographs that the
//! report shows are decoded a second time.
//!
//! A photograph whose label the model does not know counts for rejection: every verdict but "identified" is right. The
//! statistics in [`metrics`] do not depend on photographs.
//!
//! This crate trains nothing, chooses no threshold, and makes no outgoing connection; its pages load
//! nothing from elsewhere.
//!
//! Start with `evaluation.rs` for the figures and the photographs they cover, and `report/page.rs` for the page.

mod assessor;
mod baseline;
mod cascade;
mod comparison;
mod dataset;
mod drift;
mod duplicates;
mod embeddings;
mod error;
mod evaluation;
mod journal;
mod label_map;
mod maps;
pub mod metrics;
mod nearest;
mod photo_facts;
mod promises;
mod rejection;
mod report;
mod run;
mod sha256;
mod slices;
#[cfg(test)]
mod testing;
mod verification;

pub use assessor::EvalAssessor;
pub use baseline::{
    Baseline, Change, Gate, GateVerdict, Provenance, ReportedModel, ReportedPhoto, SliceChange,
};
pub use cascade::{Cascade, CascadeJudge, CascadeKnowledge, CascadePoint, CascadeStep, Trial};
pub use comparison::{Comparison, Difference, MAX_MODELS, Pair, stated_p};
pub use dataset::{Dataset, NOT_A_PART, Sample};
pub use drift::{Drift, EmbeddingShift, Farthest, Shift};
pub use duplicates::{Duplicates, Lookalike, Match, References};
pub use embeddings::{Embeddings, MAX_EMBEDDINGS};
pub use error::{Error, Result};
pub use evaluation::{Evaluation, Figures, LocalAnswers, Neighbour, Options, WrongLabel};
pub use journal::Resume;
pub use label_map::LabelMap;
pub use photo_facts::PhotoFacts;
pub use promises::{Promise, PromiseCheck, PromiseVerdict, Promised};
pub use rejection::UnknownLabel;
pub use report::{
    ReferencePictures, ReportFolder, bound_percent, comparison_json, comparison_rows, counted,
    diagnosis_json, label_noise, load_picture, promise_sentence, summary_json, write_comparison,
    write_diagnosis, write_embeddings, write_report, wrong_labels_csv,
};
pub use run::{Answer, Failure, Guess, Measured, Measurement, ModelFacts, Run, Truth};
pub use slices::Slice;
pub use verification::{Check, verify};
