//! Ids and labels in URLs. A malformed one gets 404, like one that does not exist.

use std::str::FromStr;

use partsight_app::Entity;
use partsight_domain::{
    BatchId, CompanyId, CrossReferenceListId, EvaluationId, OilChangeId, PartLabel, PriceListId, ReferenceId,
    RepairId, ScanId, ShopPartId, VehicleId, WebhookId,
};

use crate::ApiError;

/// Parses the id of an `entity`.
pub(crate) fn parse_id<T: FromStr>(text: &str, entity: Entity) -> Result<T, ApiError> {
    text.parse().map_err(|_| ApiError::missing(entity))
}

macro_rules! ids {
    ($($name:ident: $id:ident of $entity:ident;)*) => {$(
        pub(crate) fn $name(text: &str) -> Result<$id, ApiError> {
            parse_id(text, Entity::$entity)
        }
    )*};
}

ids! {
    batch_id: BatchId of Batch;
    company_id: CompanyId of Company;
    cross_reference_list_id: CrossReferenceListId of CrossReferenceList;
    evaluation_id: EvaluationId of Evaluation;
    oil_change_id: OilChangeId of OilChange;
    price_list_id: PriceListId of PriceList;
    reference_id: ReferenceId of Reference;
    repair_id: RepairId of Repair;
    scan_id: ScanId of Scan;
    shop_part_id: ShopPartId of ShopPart;
    vehicle_id: VehicleId of Vehicle;
    webhook_id: WebhookId of Webhook;
}

/// The vehicle that a query is limited to. An empty parameter, as forms send it, counts as none.
pub(crate) fn vehicle_filter(text: Option<&str>) -> Result<Option<VehicleId>, ApiError> {
    text.filter(|text| !text.trim().is_empty()).map(vehicle_id).transpose()
}

pub(crate) fn part_label(text: &str) -> Result<PartLabel, ApiError> {
    PartLabel::new(text).map_err(|_| ApiError::missing(Entity::Part))
}
