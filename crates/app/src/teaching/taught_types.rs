//! Changes, deletes and restores part types that people taught.

use partsight_domain::{Category, PartLabel, TaughtPartType, TenantId, messages};
use partsight_store::TypeDeletion;

use super::lessons::{RESTORABLE, TaughtType};
use crate::accounts::owner::Owner;
use crate::parts::part_types::PartTypes;
use crate::teaching::Teaching;
use crate::{Entity, Error, Result};

impl Teaching {
    /// Changes the name of a part type of an owner, and its category if one is given. The label stays, and with it
    /// scans, feedback and repairs.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a type that they did not teach, [`Error::Forbidden`] for a type of a company in which
    /// they are no manager, [`Error::Invalid`] for an invalid name, [`Error::Conflict`] for a name that another part
    /// has.
    pub async fn change_type(
        &self,
        owner: &Owner,
        label: &PartLabel,
        name: &str,
        category: Option<Category>,
    ) -> Result<TaughtType> {
        let (name, _) = TaughtPartType::name_and_label(name)?;
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let owners = owners_of(&types, owner, label, false)?;
        let category = category.or_else(|| types.category(label));
        let category = category.ok_or(Error::NotFound { entity: Entity::TaughtType })?;
        check_name(&types, label, &name)?;
        if !self.store.change_taught_type(&owners, label, &name, category).await? {
            return Err(Error::NotFound { entity: Entity::TaughtType });
        }
        self.update_index().await;
        self.taught_type_of(owner, label).await
    }

    /// Deletes a part type of an owner with its photographs; it can be restored for 30 days.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a type that they did not teach, [`Error::Forbidden`] for a type of a company in which
    /// they are no manager, [`Error::Conflict`] while parts of a shop are of this type.
    pub async fn delete_type(&self, owner: &Owner, label: &PartLabel) -> Result<()> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let owners = owners_of(&types, owner, label, false)?;
        // Including those of a company whose member taught the type alone.
        let shops: Vec<TenantId> =
            owner.visible_tenants().filter(|tenant_id| owner.may_change(Some(*tenant_id))).collect();
        match self.store.delete_taught_type(&owners, &shops, label, self.clock.now()).await? {
            TypeDeletion::Deleted => {}
            TypeDeletion::InUse => {
                return Err(Error::Conflict { field: "id", message: messages::TAUGHT_TYPE_IN_USE });
            }
            TypeDeletion::Missing => return Err(Error::NotFound { entity: Entity::TaughtType }),
        }
        tracing::info!(part.label = %label, "a taught part type was deleted");
        self.update_index().await;
        Ok(())
    }

    /// Restores a deleted part type of an owner, with the photographs that were deleted with it.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a type that is not deleted, or was deleted more than 30 days ago; [`Error::Forbidden`]
    /// for a type of a company in which they are no manager, [`Error::Conflict`] for a name that another part now has.
    pub async fn restore_type(&self, owner: &Owner, label: &PartLabel) -> Result<TaughtType> {
        let types = self.parts.part_types_of(owner.visible_tenants()).await?;
        let owners = owners_of(&types, owner, label, true)?;
        check_name(&types, label, &types.name(label))?;
        if !self.store.restore_taught_type(&owners, label, self.clock.now() - RESTORABLE).await? {
            return Err(Error::NotFound { entity: Entity::TaughtType });
        }
        self.update_index().await;
        self.taught_type_of(owner, label).await
    }
}

/// The owners of part types with this label, deleted or not, for which `owner` may change it. The first type is the
/// one that is shown; if `owner` may not change that, the result is an error.
fn owners_of(
    types: &PartTypes,
    owner: &Owner,
    label: &PartLabel,
    is_deleted: bool,
) -> Result<Vec<Option<TenantId>>> {
    match types.taught_by(label, is_deleted).next() {
        Some(shown) if owner.may_change(shown) => {
            Ok(types.taught_by(label, is_deleted).filter(|tenant_id| owner.may_change(*tenant_id)).collect())
        }
        Some(Some(_)) => Err(Error::Forbidden { message: messages::COMPANY_MANAGERS_ONLY }),
        // Shared and shipped types belong to the server's operator.
        Some(None) | None => Err(Error::NotFound { entity: Entity::TaughtType }),
    }
}

/// Refuses a name that another part has.
fn check_name(types: &PartTypes, label: &PartLabel, name: &str) -> Result<()> {
    match types.named(name) {
        Some(other) if other != *label => {
            Err(Error::Conflict { field: "name", message: messages::PART_TYPE_NAME_TAKEN })
        }
        _ => Ok(()),
    }
}
