use std::collections::HashMap;

use jiff::civil::Date;
use partsight_domain::{
    ApiKey, Batch, BatchItem, Company, ContactMessage, CrossReferenceList, ErrorRate, Evaluation,
    FillUsageRow, JudgeBudgetChoice, LearningChoice, LookAlike, MAX_SHOP_PARTS, MaintenanceItem,
    OdometerReading, OilChange, OwnerOil, PriceList, Reading, Repair, Scan, ScanGrade, ScanId, ScanRegions,
    ShopPart, UsageDays, UsageRow, User, Vehicle, VehicleId, Webhook,
};
use partsight_store::{ItemFilter, ScanFilter};

use crate::operations::Operations;
use crate::scanning::history::all_scans;
use crate::{Result, TaughtType};

/// Everything that a tenant owns, including what their plan does not show.
#[derive(Debug, Clone)]
pub struct TenantData {
    /// The default vehicle first, each with the owner's own oil values.
    pub vehicles: Vec<(Vehicle, Option<OwnerOil>)>,
    /// The oldest first.
    pub oil_changes: Vec<OilChange>,
    /// The oldest first.
    pub repairs: Vec<Repair>,
    /// The owner's settings for maintenance items.
    pub maintenance: Vec<(VehicleId, MaintenanceItem)>,
    /// Including readings from oil changes and repairs.
    pub odometer_readings: Vec<(VehicleId, OdometerReading)>,
    /// The newest first.
    pub scans: Vec<Scan>,
    /// Texts and codes read on the photographs of scans.
    pub readings: HashMap<ScanId, Reading>,
    /// Detected parts, for scans of several parts.
    pub regions: HashMap<ScanId, ScanRegions>,
    /// Condition grades of scanned parts.
    pub grades: HashMap<ScanId, ScanGrade>,
    /// The newest first, without the company's parts.
    pub shop_parts: Vec<ShopPart>,
    /// The newest first, each with its items. Waiting items have no scan yet.
    pub batches: Vec<(Batch, Vec<BatchItem>)>,
    /// Accuracy evaluations on their photographs, the newest first, without the reports.
    pub evaluations: Vec<Evaluation>,
    /// The oldest first, without their secrets.
    pub webhooks: Vec<Webhook>,
}

/// Personal data other than garage, scans and payments.
#[derive(Debug, Clone)]
pub struct PersonalData {
    /// Their company.
    pub company: Option<Company>,
    /// Not revoked, the newest first.
    pub api_keys: Vec<ApiKey>,
    /// Counts of scans of all time, by day, source and path.
    pub usage: Vec<UsageRow>,
    /// Counts of texts written on request by a language model, by day and kind.
    pub fills: Vec<FillUsageRow>,
    /// Messages to support while signed in, the oldest first.
    pub messages: Vec<ContactMessage>,
    /// Part types that they or their company taught.
    pub taught_types: Vec<TaughtType>,
    /// Pairs of types that they or their company marked as look-alikes.
    pub look_alikes: Vec<LookAlike>,
    /// Price lists of their shop, without rows.
    pub price_lists: Vec<PriceList>,
    /// Lists of cross-references of their shop, without rows.
    pub cross_references: Vec<CrossReferenceList>,
    /// Grade scale of their shop; `None` for the default.
    pub grade_scale: Option<Vec<String>>,
    /// Their own consent to send photographs to the judge; `None` if never answered.
    pub judge_consent: Option<bool>,
    /// The budget that their shop chose for the judge.
    pub judge_budget: JudgeBudgetChoice,
    /// The error rate that their shop chose; `None` if never set.
    pub dial_choice: Option<ErrorRate>,
    /// What their shop lets the server learn; `None` if never set.
    pub learning_choice: Option<LearningChoice>,
}

impl Operations {
    /// Runs CPU-bound `work` on an export, such as serialising it, off the request threads.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) for a full queue.
    pub async fn run_export<T: Send + 'static>(
        &self,
        user: &User,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.parts.heavy.run(user.into(), move |_| Ok(work())).await
    }

    /// Room for the whole export in memory, to be taken before it is read and held until its file is complete.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) if the user has an export already, or too many others do.
    pub fn room_for_export(&self, user: &User) -> Result<impl Send + use<>> {
        self.parts.heavy.room_for_history(user.into())
    }

    /// Personal data other than garage, scans and payments.
    pub async fn export_personal_data(&self, user: &User) -> Result<PersonalData> {
        let always = UsageDays { from: Date::ZERO, to: Date::MAX };
        let mut taught_types = self.teaching.list_taught_types(user).await?;
        for taught in &mut taught_types {
            taught.references.retain(|reference| reference.is_own);
        }
        // Types shared with everybody on this server are not theirs.
        taught_types.retain(|taught| !taught.is_shared || !taught.references.is_empty());
        let mut look_alikes = self.teaching.visible_look_alikes(user.visible_tenants()).await?;
        look_alikes.retain(|marked| marked.tenant_id.is_some());
        Ok(PersonalData {
            look_alikes,
            company: self.plans.company(user).await?,
            api_keys: self.accounts.api_keys(user).await?,
            usage: self.store.list_usage(user.id, always).await?,
            fills: self.store.list_fill_usage(user.id, always).await?,
            messages: self.store.list_contact_messages_of(user.id).await?,
            taught_types,
            price_lists: self.parts.list_price_lists(user).await?,
            cross_references: self.parts.list_cross_reference_lists(user).await?,
            grade_scale: self.store.find_grade_scale(user.shop_tenant()).await?,
            judge_consent: self.store.judge_consent(user.tenant_id).await?,
            judge_budget: self.store.judge_budget_choice(user.shop_tenant()).await?,
            dial_choice: self.store.dial_choice(user.shop_tenant()).await?,
            learning_choice: self.store.learning_choice(user.shop_tenant()).await?,
        })
    }

    /// All data of the user's tenant.
    pub async fn export_tenant(&self, user: &User) -> Result<TenantData> {
        let tenant_id = user.tenant_id;
        let mut vehicles = Vec::new();
        for vehicle in self.store.list_vehicles(tenant_id).await? {
            let oil = self.store.find_vehicle_oil(tenant_id, vehicle.id).await?;
            vehicles.push((vehicle, oil));
        }
        let mut batches = Vec::new();
        for batch in self.store.list_batches(tenant_id).await? {
            // All in one page, because an export holds everything in memory anyway.
            let all = u32::try_from(batch.counts.total()).unwrap_or(u32::MAX);
            let items = self.store.list_batch_items(tenant_id, batch.id, &ItemFilter::default(), all).await?;
            batches.push((batch, items));
        }
        Ok(TenantData {
            batches,
            evaluations: self.store.list_evaluations(tenant_id).await?,
            webhooks: self.store.list_webhooks(tenant_id).await?,
            vehicles,
            oil_changes: self.store.export_oil_changes(tenant_id).await?,
            repairs: self.store.export_repairs(tenant_id).await?,
            maintenance: self.store.list_all_maintenance_items(tenant_id).await?,
            odometer_readings: self.store.list_all_odometer_readings(tenant_id, Date::ZERO).await?,
            readings: self.store.list_readings(tenant_id).await?.into_iter().collect(),
            regions: self.store.list_regions(tenant_id).await?.into_iter().collect(),
            grades: self.store.list_all_scan_grades(tenant_id).await?.into_iter().collect(),
            scans: all_scans(&self.store, tenant_id, ScanFilter::default()).await?,
            shop_parts: self.store.list_shop_parts(tenant_id, None, None, MAX_SHOP_PARTS).await?,
        })
    }
}
