//! Measures a model on labelled photographs, and writes the report.
//!
//! The central type is [`Evaluation`]: every figure of one model on one [`Dataset`]. The way there has three
//! steps, each usable alone: [`Dataset::open`] reads which photographs there are and what they show,
//! [`Run`] asks the model about each of them, and [`Evaluation::new`] counts. [`Comparison`] sets several
//! evaluations side by side. [`write_report`] and [`write_comparison`] make the pages and files.
//!
//! The answers are kept in a journal while they come, so that an interrupted run goes on where it stopped.
//! What is kept of a photograph is a few hundred bytes and never its pixels: 100,000 of them fit into memory.
//! Thumbnails for the report are decoded a second time, a few dozen of them.
//!
//! A label that the model does not know counts for rejection: the right answer is then any but "identified".
//! The statistics in [`metrics`] know nothing of photographs.
//!
//! This crate trains nothing, chooses no threshold, and makes no outgoing connection; its pages load
//! nothing from elsewhere.
//!
//! Begin with `evaluation.rs` for what is counted over which photographs, and `report/page.rs` for the page.

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
mod photo_facts;
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
pub use evaluation::{Evaluation, Figures, LocalAnswers, Options, WrongLabel};
pub use journal::Resume;
pub use label_map::LabelMap;
pub use photo_facts::PhotoFacts;
pub use report::{
    ReferencePictures, ReportFolder, comparison_json, comparison_rows, counted, diagnosis_json, load_picture,
    summary_json, write_comparison, write_diagnosis, write_embeddings, write_report, wrong_labels_csv,
};
pub use run::{Answer, Failure, Guess, Measured, Measurement, ModelFacts, Run, Truth};
pub use slices::Slice;
pub use verification::{Check, verify};
