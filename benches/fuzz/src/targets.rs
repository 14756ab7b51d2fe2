//! What is given the bytes, a file for each reader. A panic is a finding.

#![expect(clippy::panic, reason = "that is how a target says what it found")]

mod backup;
mod catalog_file;
mod codes;
mod embeddings;
mod heic;
mod judge_answer;
mod label_list;
mod multipart;
mod network_graph;
mod part_files;
mod photo;
mod price_list;
mod records_csv;
mod supplier_answer;
mod vehicle_facts;
mod vin;
mod webhook;
mod zip;

pub(crate) use backup::backup;
pub(crate) use catalog_file::catalog_file;
pub(crate) use codes::codes;
pub(crate) use embeddings::embeddings;
pub(crate) use heic::heic;
pub(crate) use judge_answer::judge_answer;
pub(crate) use label_list::label_list;
pub(crate) use multipart::multipart;
pub(crate) use network_graph::network_graph;
pub(crate) use part_files::part_files;
pub(crate) use photo::{LIMITS as PHOTO_LIMITS, photo};
pub(crate) use price_list::price_list;
pub(crate) use records_csv::records_csv;
pub(crate) use supplier_answer::supplier_answer;
pub(crate) use vehicle_facts::vehicle_facts;
pub(crate) use vin::vin;
pub(crate) use webhook::webhook;
pub(crate) use zip::zip;
