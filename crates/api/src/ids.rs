//! Ids and labels in addresses. What has not the form of one names something that does not exist.

use std::str::FromStr;

use partsight_app::Entity;
use partsight_domain::{PartLabel, ScanId, VehicleId};

use crate::ApiError;

/// The id in `text` of something that the call asks for.
pub(crate) fn parse_id<T: FromStr>(text: &str, entity: Entity) -> Result<T, ApiError> {
    text.parse().map_err(|_| ApiError::missing(entity))
}

pub(crate) fn vehicle_id(text: &str) -> Result<VehicleId, ApiError> {
    parse_id(text, Entity::Vehicle)
}

/// The vehicle that a query is kept to. One that is named by nothing is none, as where a form leaves it empty.
pub(crate) fn vehicle_filter(text: Option<&str>) -> Result<Option<VehicleId>, ApiError> {
    text.filter(|text| !text.trim().is_empty()).map(vehicle_id).transpose()
}

pub(crate) fn scan_id(text: &str) -> Result<ScanId, ApiError> {
    parse_id(text, Entity::Scan)
}

pub(crate) fn part_label(text: &str) -> Result<PartLabel, ApiError> {
    PartLabel::new(text).map_err(|_| ApiError::missing(Entity::Part))
}
