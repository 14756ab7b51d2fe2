//! Whether a part fits a vehicle, with the notes of a language model where nothing that is known says it.

use partsight_domain::{User, VehicleId};

use crate::judging::Judging;
use crate::judging::fills::may_discard;
use crate::parts::compatibility::{CheckedFit, FitSubject, PartFit};
use crate::{Entity, Error, Result};

impl Judging {
    /// Whether a part fits a vehicle of the user, the default one unless given.
    ///
    /// What the vehicle lacks comes first, such as an engine that a spark plug could be in; then what is said of the
    /// part: by the shop, or by fitment data that was imported. Where nobody says anything, that is the answer; notes
    /// that a language model was asked for stand beside it and change nothing of it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] without the plan for it, [`Error::NotFound`] for a part or vehicle that does not exist or
    /// is somebody else's, [`Error::Invalid`] where no vehicle is given and none is the default.
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

    /// As [`part_fit`](Self::part_fit), with a language model asked first for notes where the answer is unknown.
    ///
    /// # Errors
    /// As [`part_fit`](Self::part_fit), and [`Error::TooManyAttempts`] for too many questions at once.
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

    /// Throws away the notes of a language model on a part and a vehicle.
    ///
    /// # Errors
    /// As [`part_fit`](Self::part_fit); [`Error::NotFound`] where there are none, and [`Error::Forbidden`] for a member
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
