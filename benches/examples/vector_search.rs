//! Searches the embeddings of a file when it is told to, and says how much processor time that took.
//!
//! usage: `vector_search ROWS QUERIES DIMENSION K`, where both files are little-endian f32 of L2 length 1.
//! Rows are shared out among the categories in turn. Each line on standard input is a run over all queries: `all`, or
//! `category` for those of the first category alone. Each line of the answer is JSON; of the times, the mean is
//! processor time of one thread, and each search's is on the clock.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::time::Instant;
use std::{env, io};

use partsight_catalog::{EmbeddingSpace, ExactIndex, IndexEntry, SearchFilter};
use partsight_domain::{Category, PartLabel, ReferenceId, ReferenceKind, TenantId};
use serde_json::json;
use uuid::Uuid;

/// The queries are repeated until they took this long: the scheduler's books are a few milliseconds behind.
const LEAST_NS: u64 = 200_000_000;

const TENANT: TenantId = TenantId(Uuid::from_u128(1));

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    let [_, rows, queries, dimension, k] = arguments.as_slice() else {
        return Err("usage: vector_search ROWS QUERIES DIMENSION K".into());
    };
    let (dimension, k): (usize, usize) = (dimension.parse()?, k.parse()?);
    let queries: Vec<Vec<f32>> = vectors(queries, dimension)?.collect::<io::Result<_>>()?;

    let before = cpu_ns()?;
    let index = ExactIndex::new(EmbeddingSpace { dimension, model_sha256: String::new() })?;
    let label = PartLabel::new("turbocharger")?;
    // One by one: the file in memory as well would show in what the index is said to take.
    for (number, embedding) in vectors(rows, dimension)?.enumerate() {
        index.upsert_blocking(vec![IndexEntry {
            id: ReferenceId(Uuid::from_u128(number as u128)),
            tenant_id: Some(TENANT),
            label: label.clone(),
            category: Some(Category::ALL[number % Category::ALL.len()]),
            kind: ReferenceKind::Enrolled,
            parts: Vec::new(),
            revision: 0,
            embedding: embedding?,
        }])?;
    }
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "{}",
        json!({
            "kernel": index.kernel(),
            "categories": Category::ALL.len(),
            "buildSeconds": (cpu_ns()? - before) as f64 / 1e9,
        })
    )?;
    out.flush()?;

    for line in io::stdin().lock().lines() {
        let category = match line?.as_str() {
            "all" => None,
            "category" => Some(Category::ALL[0]),
            other => return Err(format!("`{other}` is neither `all` nor `category`").into()),
        };
        let filter = SearchFilter { category, ..SearchFilter::of_tenant(TENANT) };
        let before = cpu_ns()?;
        let mut found = Vec::with_capacity(queries.len());
        let mut milliseconds = Vec::new();
        let (mut n_searches, mut ns) = (0, 0);
        while ns < LEAST_NS {
            found.clear();
            for query in &queries {
                let started = Instant::now();
                found.push(index.search_blocking(query, &filter, k)?);
                milliseconds.push(started.elapsed().as_secs_f64() * 1000.0);
            }
            n_searches += queries.len();
            ns = cpu_ns()? - before;
        }
        let ms_per_query = ns as f64 / 1e6 / n_searches as f64;
        let ids: Vec<Vec<u64>> = found
            .iter()
            .map(|neighbours| neighbours.iter().map(|neighbour| neighbour.id.0.as_u128() as u64).collect())
            .collect();
        let answer = json!({ "msPerQuery": ms_per_query, "milliseconds": milliseconds, "ids": ids });
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn vectors(path: &str, dimension: usize) -> Result<impl Iterator<Item = io::Result<Vec<f32>>>, Failure> {
    let file = File::open(path)?;
    let row_bytes = 4 * dimension as u64;
    let n_rows = file.metadata()?.len() / row_bytes;
    if n_rows * row_bytes != file.metadata()?.len() {
        return Err(format!("`{path}` does not hold rows of {dimension} numbers").into());
    }
    let (mut file, mut bytes) = (BufReader::new(file), vec![0; row_bytes as usize]);
    Ok((0..n_rows).map(move |_| {
        file.read_exact(&mut bytes)?;
        Ok(bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect())
    }))
}

/// Nanoseconds that this thread has run, from the scheduler's own books: waiting for others does not count.
fn cpu_ns() -> Result<u64, Failure> {
    let text = fs::read_to_string("/proc/self/schedstat").map_err(|error| {
        format!("processor time is read from /proc/self/schedstat, which Linux has: {error}")
    })?;
    Ok(text.split_whitespace().next().ok_or("an empty /proc/self/schedstat")?.parse()?)
}
