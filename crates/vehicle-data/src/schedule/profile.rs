use serde::Deserialize;

use crate::oil::{EngineTraits, energy_of_name};

/// How gears are changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transmission {
    /// By itself, continuously variable ones included.
    Automatic,
    /// By hand.
    Manual,
}

/// Which wheels are driven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drive {
    /// The front wheels.
    Front,
    /// The rear wheels.
    Rear,
    /// All wheels, always or when asked.
    Four,
}

/// The facts about a vehicle that the schedule depends on. All except the make may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceProfile {
    /// As the owner typed it.
    pub make: String,
    /// Model year.
    pub year: Option<u16>,
    /// The engine.
    pub engine: EngineTraits,
    /// Automatic or manual.
    pub transmission: Option<Transmission>,
    /// Which wheels are driven.
    pub drive: Option<Drive>,
}

impl ServiceProfile {
    /// Parses what an owner typed: make, model and year, and the two free texts if they are given.
    ///
    /// The model may state what the text of the engine does not: `Camry Hybrid`, `RAV4 AWD`, `Leaf`.
    pub fn read(
        make: &str,
        model: &str,
        year: u16,
        engine: Option<&str>,
        transmission: Option<&str>,
    ) -> Self {
        let mut traits = EngineTraits::read(engine.unwrap_or_default());
        traits.energy = traits.energy.or_else(|| energy_of_name(make, model));
        let drive = engine.and_then(read_drive).or_else(|| read_drive(model));
        Self {
            make: make.trim().to_owned(),
            year: Some(year),
            engine: traits,
            transmission: transmission.and_then(read_transmission),
            // Some owners write `Auto 4WD` as the transmission.
            drive: drive.or_else(|| transmission.and_then(read_drive)),
        }
    }

    /// Adds what is shared by all engines with which the vehicle was sold, except those that contradict the owner's
    /// text: their traits, and a manual transmission. `engines` are names of EPA's list, such as `3.5L 6-cyl` and
    /// `Electric`, each with its transmissions, such as `Manual 5-spd`; none if EPA does not state them.
    #[must_use]
    pub fn with_known_engines<'a>(
        mut self,
        engines: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> Self {
        let known = engines.into_iter().map(|(name, with)| (EngineTraits::read_listed(name), with));
        let (possible, transmissions): (Vec<EngineTraits>, Vec<&[String]>) =
            known.filter(|(traits, _)| self.engine.allows(traits)).unzip();
        let is_manual = |text: &String| read_transmission(text) == Some(Transmission::Manual);
        let are_manual = !transmissions.is_empty()
            && transmissions.iter().all(|of_one| !of_one.is_empty() && of_one.iter().all(is_manual));
        self.transmission = self.transmission.or(are_manual.then_some(Transmission::Manual));
        if let Some((first, others)) = possible.split_first() {
            let shared = &mut self.engine;
            let is_energy_shared = others.iter().all(|other| other.energy == first.energy);
            shared.energy = shared.energy.or(first.energy.filter(|_| is_energy_shared));
            let is_induction_shared = others.iter().all(|other| other.induction == first.induction);
            shared.induction = shared.induction.or(first.induction.filter(|_| is_induction_shared));
            let is_size_shared = others.iter().all(|other| {
                (other.displacement_dl, other.cylinders) == (first.displacement_dl, first.cylinders)
            });
            if is_size_shared {
                shared.displacement_dl = shared.displacement_dl.or(first.displacement_dl);
                shared.cylinders = shared.cylinders.or(first.cylinders);
            }
        }
        self
    }
}

fn words(text: &str) -> Vec<String> {
    text.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

fn read_transmission(text: &str) -> Option<Transmission> {
    let words = words(text);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    // "Automated manual" and "auto(AM-S6)" count as automatic.
    if has(&["automatic", "auto", "automated", "cvt", "ecvt", "dct", "dsg", "pdk", "at", "tiptronic"]) {
        Some(Transmission::Automatic)
    } else if has(&["manual", "stick", "mt"]) {
        Some(Transmission::Manual)
    } else {
        None
    }
}

fn read_drive(text: &str) -> Option<Drive> {
    let words = words(text);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let wheel = |name: &str| words.windows(2).any(|pair| pair[0] == name && pair[1] == "wheel");
    if has(&["4wd", "awd", "4x4", "xdrive", "quattro", "4matic", "4motion"]) || wheel("4") || wheel("all") {
        Some(Drive::Four)
    } else if has(&["fwd"]) || wheel("front") {
        Some(Drive::Front)
    } else if has(&["rwd"]) || wheel("rear") {
        Some(Drive::Rear)
    } else {
        None
    }
}
