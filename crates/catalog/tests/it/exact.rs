use std::sync::Arc;

use partsight_catalog::{ExactIndex, IndexError, SearchFilter, VectorIndex};

use crate::contract;
use crate::references::{Drawer, assert_same, plain_search, space, tenant};

#[tokio::test]
async fn the_index_in_memory_keeps_the_contract() {
    contract::check(&ExactIndex::new(space(contract::DIMENSION)).unwrap()).await;
}

#[test]
fn an_index_of_no_width_cannot_be_made() {
    for dimension in [0, 1, 4097] {
        let result = ExactIndex::new(space(dimension));
        assert!(matches!(result, Err(IndexError::UnusableDimension { .. })), "{dimension}");
    }
}

/// For various data: the dimensions include odd ones, the rows fill several blocks, and similar rows are the
/// hardest for the first pass. With 16,384 rows or more the first pass uses half bytes.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_plain_scan_finds_is_missed() {
    let sets = [
        ("unlike each other", 512, 9_000, 1, 30.0),
        ("many unlike each other", 257, 17_000, 1, 30.0),
        ("a type each", 257, 5_000, 50, 0.7),
        ("few types", 100, 20_000, 3, 0.4),
        ("nearly alike", 129, 9_000, 1, 0.02),
        ("many nearly alike", 129, 17_000, 1, 0.02),
        ("alike but for rounding", 64, 5_000, 1, 1e-4),
        ("many alike but for rounding", 64, 17_000, 1, 1e-4),
    ];
    for (what, dimension, n_rows, n_centres, spread) in sets {
        let mut drawer = Drawer::new(dimension, n_centres, spread, 3);
        let entries: Vec<_> = (0..n_rows).map(|number| drawer.plain_entry(number)).collect();
        let index = ExactIndex::new(space(dimension)).unwrap();
        index.upsert(entries.clone()).await.unwrap();
        for k in [1, 10, 300] {
            let query = drawer.embedding();
            let filter = SearchFilter::of_tenant(tenant(0));
            let found = index.search(&query, &filter, k).await.unwrap();
            assert_same(&found, &plain_search(&entries, &query, &filter, k), &format!("{what}, {k}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_moved_up_are_found_where_they_are_now() {
    let mut drawer = Drawer::new(64, 20, 0.5, 6);
    let mut entries: Vec<_> = (0..20_000).map(|number| drawer.plain_entry(number)).collect();
    let index = ExactIndex::new(space(64)).unwrap();
    index.upsert(entries.clone()).await.unwrap();
    let filter = SearchFilter::of_tenant(tenant(0));
    let query = drawer.embedding();
    // The nearest are deleted, so that rows from the end move to their places.
    let nearest = index.search(&query, &filter, 500).await.unwrap();
    index.delete(nearest.iter().map(|neighbour| neighbour.id).collect()).await.unwrap();
    entries.retain(|entry| nearest.iter().all(|neighbour| neighbour.id != entry.id));
    for entry in entries.iter_mut().step_by(7) {
        entry.embedding = drawer.embedding();
        index.upsert(vec![entry.clone()]).await.unwrap();
    }
    let found = index.search(&query, &filter, 300).await.unwrap();
    assert_same(&found, &plain_search(&entries, &query, &filter, 300), "after changes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_all_cores_share_finds_the_same() {
    const N_ROWS: u128 = 270_000;
    let mut drawer = Drawer::new(8, 40, 0.5, 4);
    let entries: Vec<_> = (0..N_ROWS).map(|number| drawer.plain_entry(number)).collect();
    let index = ExactIndex::new(space(8)).unwrap();
    index.upsert(entries.clone()).await.unwrap();
    let filter = SearchFilter::of_tenant(tenant(0));
    let query = drawer.embedding();
    let found = index.search(&query, &filter, 25).await.unwrap();
    assert_same(&found, &plain_search(&entries, &query, &filter, 25), "on all cores");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_and_searches_at_once_see_whole_entries() {
    let index = Arc::new(ExactIndex::new(space(32)).unwrap());
    let filter = SearchFilter::of_tenant(tenant(0));
    // One entry stays throughout; it is the nearest to its own embedding.
    let fixed = Drawer::new(32, 1, 5.0, 5).plain_entry(1);
    index.upsert(vec![fixed.clone()]).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for writer in 0..2_u64 {
        let index = Arc::clone(&index);
        tasks.spawn(async move {
            let mut drawer = Drawer::new(32, 1, 5.0, 100 + writer);
            for round in 0..300 {
                let first = 1000 + u128::from(writer) * 1000 + round % 20 * 30;
                let entries: Vec<_> = (first..first + 30).map(|number| drawer.plain_entry(number)).collect();
                let ids = entries.iter().step_by(2).map(|entry| entry.id).collect();
                index.upsert(entries).await.unwrap();
                index.delete(ids).await.unwrap();
            }
        });
    }
    for _ in 0..2 {
        let (index, filter, fixed) = (Arc::clone(&index), filter.clone(), fixed.clone());
        tasks.spawn(async move {
            for _ in 0..1000 {
                let found = index.search(&fixed.embedding, &filter, 10).await.unwrap();
                assert_eq!(found[0].id, fixed.id);
                assert!(found.iter().all(|neighbour| neighbour.score <= 1.001));
            }
        });
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    assert_eq!(index.count().await.unwrap(), 1 + 2 * 20 * 15);
}
