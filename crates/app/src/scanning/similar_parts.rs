//! The parts of a shop whose photographs look like a scan.

use std::collections::HashMap;

use partsight_catalog::{Neighbour, SearchFilter};
use partsight_domain::{Fit, ReferenceId, Scan, ScanId, ShopPart, TenantId, User};

use crate::Result;
use crate::scanning::Scanning;

/// Most parts in one answer: more would not help somebody who looks for one.
const MAX_SIMILAR_PARTS: usize = 5;
/// References that are searched. Many, because shared references are among them whether or not they show a part of the
/// shop, and must not crowd out its own photographs.
const NEIGHBOURS: usize = 500;

/// A part of the shop that looks like the scanned one.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarPart {
    /// The part of the shop.
    pub part: ShopPart,
    /// The part type, for people.
    pub type_name: String,
    /// Cosine similarity in -1..=1 of the scan and the nearest photograph of the part.
    pub similarity: f32,
    /// That photograph.
    pub nearest: ReferenceId,
}

impl Scanning {
    /// The parts of the user and their company whose photographs look like one of their scans, the most similar first;
    /// at most five.
    ///
    /// Parts known not to fit the vehicle of the scan are left out, and, if a category is the answer, parts of other
    /// categories. Empty for a scan by another model than the one in use, whose embeddings cannot be compared.
    ///
    /// # Errors
    /// [`Error::NotFound`](crate::Error::NotFound) for a scan that is not theirs,
    /// [`Error::VectorIndex`](crate::Error::VectorIndex) for an index that does not answer.
    pub async fn similar_parts(&self, user: &User, id: ScanId) -> Result<Vec<SimilarPart>> {
        let scan = self.scan_of(user, id).await?;
        let features = self.store.find_scan_features(user.tenant_id, id).await?;
        let usable = features.filter(|features| features.model_sha256 == self.identifier.model_sha256());
        let Some(embedding) =
            usable.and_then(|features| self.identifier.reference_embedding(&features.embedding))
        else {
            return Ok(Vec::new());
        };
        let filters = user.visible_tenants().map(|tenant_id| SearchFilter {
            category: scan.category.map(|guess| guess.category),
            vehicle: scan.vehicle.clone(),
            parts_only: true,
            ..SearchFilter::of_tenant(tenant_id)
        });
        // An unavailable index is an error here, and not an empty list: this call can be repeated, whereas a scan must
        // not wait.
        let mut near = self
            .teaching
            .index
            .search(self.teaching.nearest_references(filters, &embedding, NEIGHBOURS))
            .await?;
        let least = self.identifier.reference_similarities().similar;
        near.retain(|neighbour| neighbour.score >= least);
        let types = self.parts.part_types(user).await?;
        let mut found = Vec::new();
        for tenant_id in user.visible_tenants() {
            for (part, similarity, nearest) in self.parts_shown(tenant_id, &scan, &near).await? {
                let type_name = types.name(&part.details.label);
                found.push(SimilarPart { part, type_name, similarity, nearest });
            }
        }
        found.sort_by(|one, other| {
            other.similarity.total_cmp(&one.similarity).then(one.part.id.cmp(&other.part.id))
        });
        found.truncate(MAX_SIMILAR_PARTS);
        Ok(found)
    }

    /// The parts of a tenant that references show and that may fit the vehicle of a scan, each with its nearest
    /// reference. A reference may show several parts; the index knows only that one of them may fit.
    async fn parts_shown(
        &self,
        tenant_id: TenantId,
        scan: &Scan,
        near: &[Neighbour],
    ) -> Result<Vec<(ShopPart, f32, ReferenceId)>> {
        let score_of: HashMap<ReferenceId, f32> =
            near.iter().map(|neighbour| (neighbour.id, neighbour.score)).collect();
        let references: Vec<ReferenceId> = near.iter().map(|neighbour| neighbour.id).collect();
        let parts = self.store.list_shop_parts_shown(tenant_id, &references).await?;
        let nearest = |part: &ShopPart| {
            let scored = part.details.photos.iter().filter_map(|id| Some((*id, *score_of.get(id)?)));
            scored.max_by(|one, other| one.1.total_cmp(&other.1))
        };
        let may_fit = |part: &ShopPart| {
            scan.vehicle.as_ref().is_none_or(|vehicle| Fit::may_fit(&part.details.fitments, vehicle))
        };
        let parts = parts.into_iter().filter(may_fit);
        let parts = parts.filter_map(|part| nearest(&part).map(|(id, score)| (part, score, id)));
        Ok(parts.collect())
    }
}
