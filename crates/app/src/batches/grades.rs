//! The condition of scanned parts, by the scale of the shop.

use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use partsight_domain::{
    DEFAULT_GRADES, GradeTotal, InvalidInput, ScanGrade, ScanId, User, grade_scale, messages,
};
use partsight_store::GradeRange;

use crate::batches::Batches;
use crate::{Entity, Error, Result};

/// Days that are counted at a time, at most.
const MAX_DAYS: i32 = 366;

/// What somebody says of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrade {
    /// One of the scale.
    pub grade: String,
    /// What is damaged.
    pub damage: Vec<String>,
    /// What else there is to say.
    pub note: String,
}

/// Which grades to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradeDays {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// How far the clocks of the shop are ahead of UTC, in minutes.
    pub utc_offset_minutes: i32,
}

impl Batches {
    /// The scale of the user's shop, the best first.
    pub async fn grade_scale(&self, user: &User) -> Result<Vec<String>> {
        let chosen = self.store.find_grade_scale(user.shop_tenant()).await?;
        Ok(chosen.unwrap_or_else(|| DEFAULT_GRADES.map(str::to_owned).to_vec()))
    }

    /// Sets the scale of the user's shop. Grades that were given stay as they were named.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::Forbidden`] for a member of a company who is no manager.
    pub async fn set_grade_scale(&self, user: &User, names: &[String]) -> Result<Vec<String>> {
        let shop = user.shop_tenant_to_change().map_err(|message| Error::Forbidden { message })?;
        let grades = grade_scale(names)?;
        self.store.set_grade_scale(shop, &grades).await?;
        Ok(grades)
    }

    /// Gives the part of a scan a grade, in the place of an earlier one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs, [`Error::Invalid`].
    pub async fn grade_scan(&self, user: &User, id: ScanId, new: NewGrade) -> Result<ScanGrade> {
        self.scanning.scan_of(user, id).await?;
        let scale = self.grade_scale(user).await?;
        let grade = ScanGrade::new(&scale, &new.grade, new.damage, &new.note, self.clock.now())?;
        // The scan was there a moment ago; it may have been deleted since.
        if self.store.set_scan_grade(user.tenant_id, id, user.id, user.shop_tenant(), &grade).await? {
            Ok(grade)
        } else {
            Err(Error::NotFound { entity: Entity::Scan })
        }
    }

    /// Takes the grade of a scan back; one without a grade stays so.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs.
    pub async fn take_grade_back(&self, user: &User, id: ScanId) -> Result<()> {
        self.scanning.scan_of(user, id).await?;
        self.store.delete_scan_grade(user.tenant_id, id).await?;
        Ok(())
    }

    /// How many grades of each kind were given, by day, person and part, the newest day first: of the whole shop for who
    /// manages it, else one's own.
    ///
    /// # Errors
    /// [`Error::Invalid`] for days that are none, or more than a year, and for an offset that no clock has.
    pub async fn grade_totals(&self, user: &User, days: GradeDays) -> Result<Vec<GradeTotal>> {
        let invalid = || Error::from(InvalidInput::new("from", messages::GRADE_DAYS));
        let n_days = days.from.until(days.to).map_err(|_| invalid())?.get_days();
        let offset = Offset::from_seconds(days.utc_offset_minutes.saturating_mul(60))
            .map_err(|_| InvalidInput::new("utcOffset", messages::GRADE_UTC_OFFSET))?;
        if !(0..MAX_DAYS).contains(&n_days) {
            return Err(invalid());
        }
        // One offset for all days: where summer time begins among them, an hour is counted to the day beside
        // it.
        let zone = TimeZone::fixed(offset);
        let start = |day: Date| day.to_zoned(zone.clone()).map(|start| start.timestamp());
        let range = GradeRange {
            // Half-open, so that no moment belongs to two days.
            from: start(days.from).map_err(|_| invalid())?,
            until: days.to.tomorrow().and_then(start).map_err(|_| invalid())?,
            offset_millis: i64::from(offset.seconds()) * 1_000,
        };
        let is_whole_shop = user.shop_tenant_to_change().is_ok();
        let tenant_id = if is_whole_shop { user.shop_tenant() } else { user.tenant_id };
        Ok(self.store.count_grades(tenant_id, is_whole_shop, range).await?)
    }
}
