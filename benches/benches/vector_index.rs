//! Searching references in memory: whole catalogues, small ones, and one tenant or category of a large one.
//!
//! `make bench-index` measures the same beside faiss and hnswlib; what was seen stands in `benches/README.md`.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use partsight_benches::references::{References, tenant};
use partsight_catalog::{ExactIndex, SearchFilter};
use partsight_domain::Category;

/// Numbers of an embedding of the shipped model.
const DIMENSION: usize = 512;
/// Neighbours that a scan asks for.
const K: usize = 10;

fn index(n_rows: usize, n_tenants: u128) -> (ExactIndex, Vec<Vec<f32>>) {
    let mut references = References::new(DIMENSION, 7);
    let index = references.index(n_rows, n_tenants);
    (index, references.embeddings(256))
}

fn searches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(30).measurement_time(Duration::from_secs(4));
    let everything = SearchFilter::of_tenant(tenant(0));
    let one_category = SearchFilter { category: Some(Category::Brake), ..everything.clone() };
    let cases = [
        ("all of", 10_000, 1, &everything),
        ("all of", 100_000, 1, &everything),
        ("a category of", 100_000, 1, &one_category),
        ("a tenant of 100 of", 100_000, 100, &everything),
    ];
    for (what, n_rows, n_tenants, filter) in cases {
        let (index, queries) = index(n_rows, n_tenants);
        let mut queries = queries.iter().cycle();
        group.bench_function(BenchmarkId::new(what, n_rows), |bencher| {
            bencher.iter(|| {
                let query = queries.next().map(Vec::as_slice).unwrap_or_default();
                index.search_blocking(black_box(query), filter, K).expect("a query of unit length")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
