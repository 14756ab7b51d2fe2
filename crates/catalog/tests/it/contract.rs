//! The contract of every index.

use partsight_catalog::{IndexError, SearchFilter, VectorIndex};

use crate::references::{Drawer, assert_same, filters, id, plain_search, tenant, unit};

/// Dimension of the embeddings in [`check`].
pub(crate) const DIMENSION: usize = 48;

/// Checks an empty index of [`DIMENSION`] numbers; leaves it empty.
pub(crate) async fn check(index: &dyn VectorIndex) {
    let mut drawer = Drawer::new(DIMENSION, 7, 0.6, 1);
    let query = drawer.embedding();
    let everything = SearchFilter::of_tenant(tenant(0));
    assert_eq!(index.space().dimension, DIMENSION);
    assert_eq!(index.count().await.unwrap(), 0);
    assert_eq!(index.search(&query, &everything, 5).await.unwrap(), []);

    // Every filter finds the inserted entries that match it, and nothing else.
    let mut entries: Vec<_> = (1..=600).map(|number| drawer.entry(number)).collect();
    index.upsert(entries.clone()).await.unwrap();
    assert_eq!(index.count().await.unwrap(), 600);
    for filter in filters() {
        for k in [1, 7, 1000] {
            let query = drawer.embedding();
            let found = index.search(&query, &filter, k).await.unwrap();
            assert_same(&found, &plain_search(&entries, &query, &filter, k), &format!("{filter:?}, {k}"));
        }
    }
    assert_eq!(index.search(&query, &everything, 0).await.unwrap(), []);

    // An entry that is inserted again replaces the old one, whatever has changed.
    for entry in entries.iter_mut().step_by(3) {
        let number = entry.id.0.as_u128();
        *entry = drawer.entry(number);
    }
    let again: Vec<_> = entries.iter().step_by(3).cloned().collect();
    index.upsert(again).await.unwrap();
    assert_eq!(index.count().await.unwrap(), 600);
    check_all(index, &entries, &mut drawer, "after the second upsert").await;

    // Deleted entries are gone, and an unknown id is no error.
    let gone: Vec<_> = entries.iter().map(|entry| entry.id).filter(|id| id.0.as_u128() % 2 == 0).collect();
    index.delete([gone, vec![id(99_999)]].concat()).await.unwrap();
    entries.retain(|entry| entry.id.0.as_u128() % 2 == 1);
    assert_eq!(index.count().await.unwrap(), 300);
    check_all(index, &entries, &mut drawer, "after the deletion").await;

    // Invalid entries are refused together with the valid ones.
    let too_short = [&entries[0].embedding[..DIMENSION - 1], &[]].concat();
    let mut bad = drawer.entry(1000);
    bad.embedding = too_short.clone();
    let result = index.upsert(vec![drawer.entry(1001), bad.clone()]).await;
    assert!(matches!(result, Err(IndexError::WrongDimension { found: 47, .. })), "{result:?}");
    for wrong in [0.0, 2.0, f32::NAN, f32::INFINITY] {
        bad.embedding = vec![wrong; DIMENSION];
        let result = index.upsert(vec![drawer.entry(1001), bad.clone()]).await;
        assert!(matches!(result, Err(IndexError::NotUnitLength { .. })), "{result:?}");
        let result = index.search(&bad.embedding, &everything, 3).await;
        assert!(matches!(result, Err(IndexError::NotUnitLength { .. })), "{result:?}");
    }
    let result = index.search(&too_short, &everything, 3).await;
    assert!(matches!(result, Err(IndexError::WrongDimension { .. })), "{result:?}");
    assert_eq!(index.count().await.unwrap(), 300);

    // All of several identical embeddings are found.
    let mut twins: Vec<_> = (2000..2004).map(|number| drawer.plain_entry(number)).collect();
    let mut direction = vec![0.0; DIMENSION];
    direction[5] = 1.0;
    let direction = unit(direction);
    for twin in &mut twins {
        twin.embedding.clone_from(&direction);
    }
    index.upsert(twins).await.unwrap();
    let found = index.search(&direction, &everything, 4).await.unwrap();
    let ids: Vec<u128> = found.iter().map(|neighbour| neighbour.id.0.as_u128()).collect();
    assert_eq!(ids, [2000, 2001, 2002, 2003]);

    index.clear().await.unwrap();
    assert_eq!(index.count().await.unwrap(), 0);
    assert_eq!(index.search(&query, &everything, 5).await.unwrap(), []);
}

async fn check_all(
    index: &dyn VectorIndex,
    entries: &[partsight_catalog::IndexEntry],
    drawer: &mut Drawer,
    what: &str,
) {
    for filter in filters() {
        let query = drawer.embedding();
        let found = index.search(&query, &filter, 10).await.unwrap();
        assert_same(&found, &plain_search(entries, &query, &filter, 10), &format!("{what}: {filter:?}"));
    }
}
