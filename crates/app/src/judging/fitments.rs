//! Whether a part fits a vehicle, with notes by a language model if no data says so.

use partsight_domain::{User, VehicleId};

use crate::judging::Judging;
use crate::judging::fills::may_discard;
use crate::parts::compatibility::{CheckedFit, FitSubject, PartFit};
use crate::{Entity, Error, Result};

impl Judging {
    /// Whether a part fits one of the user's vehicles; by default the default vehicle.
    ///
    /// A missing requirement of the vehicle decides first: a spark plug fits no vehicle without a combustion engine.
    /// Then come fitments of the shop and imported fitment data. Otherwise the answer is unknown; notes of a language
    /// model are shown with it and do not change it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if the plan does not include it, [`Error::NotFound`] for an unknown part or vehicle or
    /// somebody else's, [`Error::Invalid`] without a vehicle and a default one.
    pub async fn part_fit(
        &self,
        user: &User,
        subject: &FitSubject,
        vehicle_id: Option<VehicleId>,
    ) -> Result<PartFit> {
        let CheckedFit { found, lacking } = self.parts.checked_fit(user, subject, vehicle_id).await?;
        let fill = match lacking {
            Some(lacking) => Some(self.fill_state(user, &lacking).await),
            None => None,
        };
        Ok(PartFit { fill, ..found })
    }

    /// As [`part_fit`](Self::part_fit), but first requests notes of a language model if the answer is unknown.
    ///
    /// # Errors
    /// As [`part_fit`](Self::part_fit), and [`Error::TooManyAttempts`] beyond the shop's rate limit.
    pub async fn ask_for_fitment(
        &self,
        user: &User,
        subject: &FitSubject,
        vehicle_id: Option<VehicleId>,
    ) -> Result<PartFit> {
        let CheckedFit { found, lacking } = self.parts.checked_fit(user, subject, vehicle_id).await?;
        let fill = match lacking {
            Some(lacking) => Some(self.fill(user, &lacking).await?),
            None => None,
        };
        Ok(PartFit { fill, ..found })
    }

    /// Discards a language model's notes on a part and a vehicle.
    ///
    /// # Errors
    /// As [`part_fit`](Self::part_fit); [`Error::NotFound`] if there are no notes; [`Error::Forbidden`] for a member
    /// of a company who is no manager.
    pub async fn discard_fitment(
        &self,
        user: &User,
        subject: &FitSubject,
        vehicle_id: Option<VehicleId>,
    ) -> Result<()> {
        let checked = self.parts.checked_fit(user, subject, vehicle_id).await?;
        let lacking = checked.lacking.ok_or(Error::NotFound { entity: Entity::Fill })?;
        may_discard(user, &lacking)?;
        self.discard_fill(user, &lacking).await
    }
}
