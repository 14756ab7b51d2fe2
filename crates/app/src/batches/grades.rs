//! Condition grades of scanned parts, on the shop's own scale.

use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use partsight_domain::{
    DEFAULT_GRADES, GradeTotal, InvalidInput, ScanGrade, ScanId, User, grade_scale, messages,
};
use partsight_store::{GivenGrade, GradeRange};

use crate::accounts::owner::shop_to_change;
use crate::batches::Batches;
use crate::{Entity, Error, Result};

/// Maximum of days in one report.
const MAX_DAYS: i32 = 366;

/// The condition that somebody gives a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewGrade {
    /// A grade of the scale.
    pub grade: String,
    /// Damages of the part.
    pub damage: Vec<String>,
    /// Free text.
    pub note: String,
}

/// The period of a report on grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GradeDays {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub to: Date,
    /// Offset of the shop's time zone from UTC, in minutes; positive east of it.
    pub utc_offset_minutes: i32,
}

impl Batches {
    /// The grade scale of the user's shop, best first.
    pub async fn grade_scale(&self, user: &User) -> Result<Vec<String>> {
        let chosen = self.store.find_grade_scale(user.shop_tenant()).await?;
        Ok(chosen.unwrap_or_else(|| DEFAULT_GRADES.map(str::to_owned).to_vec()))
    }

    /// Sets the grade scale of the user's shop. Grades already given keep their names.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::Forbidden`] for a member of a company who is no manager.
    pub async fn set_grade_scale(&self, user: &User, names: &[String]) -> Result<Vec<String>> {
        let shop = shop_to_change(user)?;
        let grades = grade_scale(names)?;
        self.store.set_grade_scale(shop, &grades).await?;
        Ok(grades)
    }

    /// Grades the part of a scan, replacing an earlier grade. The grade that it has, and the one before, can be given
    /// again after they left the scale.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs, [`Error::Invalid`]; [`Error::Forbidden`] if it would replace
    /// a grade that they gave for a company that they have left.
    pub async fn grade_scan(&self, user: &User, id: ScanId, new: NewGrade) -> Result<ScanGrade> {
        self.scanning.scan_of(user, id).await?;
        let given = self.given_grades(user, id).await?;
        let scale = self.grade_scale(user).await?;
        let grade = ScanGrade::new(&scale, &given, &new.grade, new.damage, &new.note, self.clock.now())?;
        // The scan may have been deleted since it was found.
        if self.store.set_scan_grade(user.tenant_id, id, user.id, user.shop_tenant(), &grade).await? {
            Ok(grade)
        } else {
            Err(Error::NotFound { entity: Entity::Scan })
        }
    }

    /// Removes the grade of a scan, if it has one.
    ///
    /// # Errors
    /// [`Error::NotFound`] for a scan that is not theirs, [`Error::Forbidden`] for a grade that they gave for a company
    /// that they have left.
    pub async fn take_grade_back(&self, user: &User, id: ScanId) -> Result<()> {
        self.scanning.scan_of(user, id).await?;
        self.given_grades(user, id).await?;
        self.store.delete_scan_grade(user.tenant_id, id).await?;
        Ok(())
    }

    /// The names of the grade that a scan has, and of the one before it.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for a grade that they gave for a company that they have left.
    async fn given_grades(&self, user: &User, id: ScanId) -> Result<Vec<String>> {
        let given = self.store.find_given_grade(user.tenant_id, id).await?;
        let Some(GivenGrade { shop, names }) = given else { return Ok(Vec::new()) };
        user.check_still_of(shop).map_err(|message| Error::Forbidden { message })?;
        Ok(names)
    }

    /// Counts of each grade by day, person and part, newest day first: of the whole shop for its managers, else the
    /// user's own.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty period, one longer than a year, and an impossible offset.
    pub async fn grade_totals(&self, user: &User, days: GradeDays) -> Result<Vec<GradeTotal>> {
        let invalid = || Error::from(InvalidInput::new("from", messages::GRADE_DAYS));
        let n_days = days.from.until(days.to).map_err(|_| invalid())?.get_days();
        let offset = Offset::from_seconds(days.utc_offset_minutes.saturating_mul(60))
            .map_err(|_| InvalidInput::new("utcOffset", messages::GRADE_UTC_OFFSET))?;
        if !(0..MAX_DAYS).contains(&n_days) {
            return Err(invalid());
        }
        // One offset for all days: after a change to or from summer time, one hour counts for the neighbouring
        // day.
        let zone = TimeZone::fixed(offset);
        let start = |day: Date| day.to_zoned(zone.clone()).map(|start| start.timestamp());
        let range = GradeRange {
            // Half-open, so that no timestamp belongs to two days.
            from: start(days.from).map_err(|_| invalid())?,
            until: days.to.tomorrow().and_then(start).map_err(|_| invalid())?,
            offset_millis: i64::from(offset.seconds()) * 1_000,
        };
        let is_whole_shop = user.shop_tenant_to_change().is_ok();
        let tenant_id = if is_whole_shop { user.shop_tenant() } else { user.tenant_id };
        Ok(self.store.count_grades(tenant_id, is_whole_shop, range).await?)
    }
}
