use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::garage::VehicleName;

/// A safety recall of a make, model and model year, as NHTSA lists it.
///
/// It does not tell whether one vehicle is affected or repaired: only the manufacturer knows, by the VIN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// NHTSA's campaign number, such as `19V182000`.
    pub campaign: String,
    /// When NHTSA received the maker's report.
    pub reported_on: Option<Date>,
    /// The path of the component, such as `AIR BAGS:FRONTAL:DRIVER SIDE:INFLATOR MODULE`.
    pub component: String,
    /// What is wrong.
    pub summary: Option<String>,
    /// What may happen.
    pub consequence: Option<String>,
    /// The manufacturer's remedy.
    pub remedy: Option<String>,
    /// Whether it should not be driven until it is repaired.
    pub is_do_not_drive: bool,
    /// Whether it should be parked outside, because it may burn.
    pub is_park_outside: bool,
}

impl Recall {
    /// Separator of the paths in [`Recall::component`] of a campaign with several.
    pub const BETWEEN_COMPONENTS: &str = "; ";
}

/// A complaint that an owner filed with NHTSA, unverified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// NHTSA's number of it.
    pub number: u64,
    /// When it was filed.
    pub filed_on: Option<Date>,
    /// The components, such as `AIR BAGS,ELECTRICAL SYSTEM`.
    pub components: String,
    /// The owner's words.
    pub summary: Option<String>,
    /// Whether there was a crash.
    pub is_crash: bool,
    /// Whether there was a fire.
    pub is_fire: bool,
}

/// Number of complaints about a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentComplaints {
    /// As NHTSA writes it, such as `AIR BAGS`.
    pub component: String,
    /// Number of complaints that name it, of any age.
    pub count: u32,
}

/// What NHTSA lists of a make, model and model year.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafetyRecords {
    /// The vehicle name used in the query to NHTSA.
    pub vehicle: VehicleName,
    /// The newest first.
    pub recalls: Vec<Recall>,
    /// Number of all complaints, of which only the newest are kept.
    pub n_complaints: u32,
    /// By component, most complaints first.
    pub by_component: Vec<ComponentComplaints>,
    /// The newest complaints, the newest first.
    pub complaints: Vec<Complaint>,
}

impl SafetyRecords {
    /// Sorts the lists of NHTSA's answers and keeps the newest `keep` complaints.
    pub fn new(
        vehicle: VehicleName,
        mut recalls: Vec<Recall>,
        mut complaints: Vec<Complaint>,
        keep: usize,
    ) -> Self {
        // Makes rows of one campaign adjacent, as `dedup_by` requires.
        recalls.sort_by(|a, b| (b.reported_on, &b.campaign).cmp(&(a.reported_on, &a.campaign)));
        // A campaign has one row per component; they are merged into one recall.
        recalls.dedup_by(|next, kept| {
            let is_same = next.campaign == kept.campaign;
            if is_same
                && !kept
                    .component
                    .split(Recall::BETWEEN_COMPONENTS)
                    .any(|component| component == next.component)
            {
                kept.component = [kept.component.as_str(), &next.component].join(Recall::BETWEEN_COMPONENTS);
            }
            is_same
        });
        complaints.sort_by_key(|complaint| std::cmp::Reverse((complaint.filed_on, complaint.number)));
        // Counted before the list is truncated.
        let n_complaints = u32::try_from(complaints.len()).unwrap_or(u32::MAX);
        let by_component = count_by_component(&complaints);
        complaints.truncate(keep);
        Self { vehicle, recalls, n_complaints, by_component, complaints }
    }
}

/// The components of a list such as `AIR BAGS,FUEL SYSTEM, GASOLINE`, where a comma followed by a space is part of a
/// name.
fn named_components(text: &str) -> Vec<&str> {
    // NHTSA separates components by commas without a space, and has names with a comma and a space.
    let is_between = |at: &usize| !text[at + 1..].starts_with(' ');
    let ends = text.match_indices(',').map(|(at, _)| at).filter(is_between).chain([text.len()]);
    let mut start = 0;
    let names = ends.map(|end| text[std::mem::replace(&mut start, end + 1)..end].trim());
    names.filter(|name| !name.is_empty()).collect()
}

fn count_by_component(complaints: &[Complaint]) -> Vec<ComponentComplaints> {
    let mut counts: Vec<ComponentComplaints> = Vec::new();
    for complaint in complaints {
        let mut components = named_components(&complaint.components);
        components.sort_unstable();
        // A complaint that names a component twice counts once for it.
        components.dedup();
        for component in components {
            match counts.iter_mut().find(|counted| counted.component == component) {
                Some(counted) => counted.count += 1,
                None => counts.push(ComponentComplaints { component: component.to_owned(), count: 1 }),
            }
        }
    }
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.component.cmp(&b.component)));
    counts
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn recall(campaign: &str, day: Option<Date>, component: &str) -> Recall {
        Recall {
            campaign: campaign.to_owned(),
            reported_on: day,
            component: component.to_owned(),
            summary: None,
            consequence: None,
            remedy: None,
            is_do_not_drive: false,
            is_park_outside: false,
        }
    }

    fn complaint(number: u64, day: Option<Date>, components: &str) -> Complaint {
        let components = components.to_owned();
        Complaint { number, filed_on: day, components, summary: None, is_crash: false, is_fire: false }
    }

    #[test]
    fn the_newest_stand_first_and_a_campaign_stands_once() {
        let name: VehicleName = "2012 Acura RDX".parse().unwrap();
        let (early, late) = (Some(date(2016, 2, 3)), Some(date(2019, 3, 7)));
        let recalls = vec![
            recall("16V061000", early, "AIR BAGS"),
            recall("19V182000", late, "SEATS"),
            recall("19V182000", late, "AIR BAGS"),
            recall("19V182000", late, "SEATS"),
            recall("00V000000", None, "TIRES"),
        ];
        let complaints = vec![
            complaint(1, early, "FUEL SYSTEM, GASOLINE,SEATS,SEATS"),
            complaint(2, late, "SEATS"),
            complaint(3, late, " "),
        ];
        let records = SafetyRecords::new(name, recalls, complaints, 2);
        let campaigns: Vec<&str> = records.recalls.iter().map(|recall| recall.campaign.as_str()).collect();
        assert_eq!(campaigns, ["19V182000", "16V061000", "00V000000"]);
        assert_eq!(records.recalls[0].component, "SEATS; AIR BAGS");
        assert_eq!(records.n_complaints, 3);
        let numbers: Vec<u64> = records.complaints.iter().map(|complaint| complaint.number).collect();
        assert_eq!(numbers, [3, 2], "the newest two are kept");
        let counts: Vec<(&str, u32)> =
            records.by_component.iter().map(|counted| (counted.component.as_str(), counted.count)).collect();
        assert_eq!(
            counts,
            [("SEATS", 2), ("FUEL SYSTEM, GASOLINE", 1)],
            "those that are not kept count as well"
        );
    }
}
