//! Searches the embeddings of a file when it is told to, and says how much processor time that took.
//!
//! usage: `vector_search ROWS QUERIES DIMENSION K`, where both files are little-endian f32 of L2 length 1.
//! Rows are shared out among the categories in turn, as in `partsight_benches::references`. Each line on standard input
//! is a run over all queries: `all`, or `category` for those of the first category alone. Each line of the answer is
//! JSON.

use std::io::{BufRead, Write};
use std::{env, fs, io};

use partsight_benches::references::tenant;
use partsight_catalog::{EmbeddingSpace, ExactIndex, IndexEntry, SearchFilter};
use partsight_domain::{Category, PartLabel, ReferenceId, ReferenceKind};
use serde_json::json;
use uuid::Uuid;

/// The queries are repeated until they took this long: the scheduler's books are a few milliseconds behind.
const LEAST_NS: u64 = 200_000_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().collect();
    let [_, rows, queries, dimension, k] = arguments.as_slice() else {
        return Err("usage: vector_search ROWS QUERIES DIMENSION K".into());
    };
    let (dimension, k): (usize, usize) = (dimension.parse()?, k.parse()?);
    let (rows, queries) = (vectors(rows, dimension)?, vectors(queries, dimension)?);

    let before = cpu_ns()?;
    let index = ExactIndex::new(EmbeddingSpace { dimension, model_sha256: String::new() })?;
    let label = PartLabel::new("turbocharger")?;
    for (number, embedding) in rows.into_iter().enumerate() {
        index.upsert_blocking(vec![IndexEntry {
            id: ReferenceId(Uuid::from_u128(number as u128)),
            tenant_id: Some(tenant(0)),
            label: label.clone(),
            category: Some(Category::ALL[number % Category::ALL.len()]),
            kind: ReferenceKind::Enrolled,
            parts: Vec::new(),
            revision: 0,
            embedding,
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
        let filter = SearchFilter { category, ..SearchFilter::of_tenant(tenant(0)) };
        let before = cpu_ns()?;
        let mut found = Vec::with_capacity(queries.len());
        let (mut n_searches, mut ns) = (0, 0);
        while ns < LEAST_NS {
            found.clear();
            for query in &queries {
                found.push(index.search_blocking(query, &filter, k)?);
            }
            n_searches += queries.len();
            ns = cpu_ns()? - before;
        }
        let ms_per_query = ns as f64 / 1e6 / n_searches as f64;
        let ids: Vec<Vec<u64>> = found
            .iter()
            .map(|neighbours| neighbours.iter().map(|neighbour| neighbour.id.0.as_u128() as u64).collect())
            .collect();
        writeln!(out, "{}", json!({ "msPerQuery": ms_per_query, "ids": ids }))?;
        out.flush()?;
    }
    Ok(())
}

fn vectors(path: &str, dimension: usize) -> Result<Vec<Vec<f32>>, Failure> {
    let bytes = fs::read(path)?;
    let numbers: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
    if !numbers.len().is_multiple_of(dimension) {
        return Err(format!("`{path}` does not hold rows of {dimension} numbers").into());
    }
    Ok(numbers.chunks_exact(dimension).map(<[f32]>::to_vec).collect())
}

/// Nanoseconds that this thread has run, from the scheduler's own books: waiting for others does not count.
fn cpu_ns() -> Result<u64, Failure> {
    let text = fs::read_to_string("/proc/self/schedstat").map_err(|error| {
        format!("processor time is read from /proc/self/schedstat, which Linux has: {error}")
    })?;
    Ok(text.split_whitespace().next().ok_or("an empty /proc/self/schedstat")?.parse()?)
}
