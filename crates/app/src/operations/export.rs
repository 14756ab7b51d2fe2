use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use partsight_domain::{
    ApiKey, Batch, BatchItem, Company, ContactMessage, CrossReferenceList, ErrorRate, Evaluation,
    FillUsageRow, JudgeBudgetChoice, LookAlike, MAX_SHOP_PARTS, MaintenanceItem, OdometerReading, OilChange,
    OwnerOil, PriceList, Reading, Repair, Scan, ScanGrade, ScanId, ScanRegions, ShopPart, UsageDays,
    UsageRow, User, Vehicle, VehicleId, Webhook,
};
use partsight_store::{ItemFilter, ScanFilter};

use crate::operations::Operations;
use crate::scanning::history::all_scans;
use crate::{Result, TaughtType};

/// Everything that a tenant owns, whatever the plan shows of it: it is theirs.
#[derive(Debug, Clone)]
pub struct TenantData {
    /// The default one first, each with the owner's own oil values.
    pub vehicles: Vec<(Vehicle, Option<OwnerOil>)>,
    /// The oldest first.
    pub oil_changes: Vec<OilChange>,
    /// The oldest first.
    pub repairs: Vec<Repair>,
    /// What the owner set for the items of a vehicle.
    pub maintenance: Vec<(VehicleId, MaintenanceItem)>,
    /// Also those that came with oil changes and repairs.
    pub odometer_readings: Vec<(VehicleId, OdometerReading)>,
    /// The newest first.
    pub scans: Vec<Scan>,
    /// The text that was read on the photographs of scans.
    pub readings: HashMap<ScanId, Reading>,
    /// The parts on the photographs of scans that show several.
    pub regions: HashMap<ScanId, ScanRegions>,
    /// The conditions of the parts on them.
    pub grades: HashMap<ScanId, ScanGrade>,
    /// The scans whose photograph is kept as it was sent.
    pub kept_photos: HashSet<ScanId>,
    /// The newest first; those of a company are the company's.
    pub shop_parts: Vec<ShopPart>,
    /// The newest first, each with its photographs by name. Those that wait are still to become scans.
    pub batches: Vec<(Batch, Vec<BatchItem>)>,
    /// How well the model knew their photographs, the newest first, without the figures.
    pub evaluations: Vec<Evaluation>,
    /// The oldest first, without their secrets.
    pub webhooks: Vec<Webhook>,
}

/// What is kept of a person beside their garage and their payments.
#[derive(Debug, Clone)]
pub struct PersonalData {
    /// The company that they are in.
    pub company: Option<Company>,
    /// Those that were not revoked, the newest first.
    pub api_keys: Vec<ApiKey>,
    /// All scans that were ever counted, by day, source and path.
    pub usage: Vec<UsageRow>,
    /// All that a language model was asked to fill in for them, by day and kind.
    pub fills: Vec<FillUsageRow>,
    /// What they wrote to support while signed in, the oldest first.
    pub messages: Vec<ContactMessage>,
    /// The parts that they, or their company, taught.
    pub taught_types: Vec<TaughtType>,
    /// The pairs that they, or their company, marked as look-alikes.
    pub look_alikes: Vec<LookAlike>,
    /// The price lists of their shop, without their rows.
    pub price_lists: Vec<PriceList>,
    /// The cross-references of their shop, without their rows.
    pub cross_references: Vec<CrossReferenceList>,
    /// The grades that their shop gives; none where nobody has chosen any.
    pub grade_scale: Option<Vec<String>>,
    /// Whether their photographs may go to the judge, by their own word; none where they have not said.
    pub judge_consent: Option<bool>,
    /// What the judge may cost at most, as they chose.
    pub judge_budget: JudgeBudgetChoice,
    /// How many of the answers may be wrong; none where nobody has said.
    pub dial_choice: Option<ErrorRate>,
}

impl Operations {
    /// Runs `work` of a user over what an export holds, such as writing it, beside the threads of requests.
    ///
    /// # Errors
    /// [`Error::Busy`](crate::Error::Busy) where too much waits.
    pub async fn run_export<T: Send + 'static>(
        &self,
        user: &User,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        self.parts.heavy.run(user.into(), move |_| Ok(work())).await
    }

    /// What is kept of a person beside their garage and their payments.
    pub async fn export_personal_data(&self, user: &User) -> Result<PersonalData> {
        let always = UsageDays { from: Date::ZERO, to: Date::MAX };
        let mut taught_types = self.teaching.list_taught_types(user).await?;
        for taught in &mut taught_types {
            taught.references.retain(|reference| reference.is_own);
        }
        // What this server shares with everybody is not theirs.
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
            // In one page: an export holds all of it in memory anyway.
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
            kept_photos: self.store.list_scans_with_photo(tenant_id).await?.into_iter().collect(),
            readings: self.store.list_readings(tenant_id).await?.into_iter().collect(),
            regions: self.store.list_regions(tenant_id).await?.into_iter().collect(),
            grades: self.store.list_all_scan_grades(tenant_id).await?.into_iter().collect(),
            scans: all_scans(&self.store, tenant_id, ScanFilter::default()).await?,
            shop_parts: self.store.list_shop_parts(tenant_id, None, None, MAX_SHOP_PARTS).await?,
        })
    }
}
