use serde::Serialize;

/// What the maker reported of vehicles with such a number. What it did not report is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VinDetails {
    /// Such as `Dragon`.
    pub series: Option<String>,
    /// Such as `EX-V6`.
    pub trim: Option<String>,
    /// Such as `Sedan`.
    pub body: Option<String>,
    /// How many doors; a tailgate may count as one.
    pub doors: Option<u8>,
    /// The maker's name of the engine, such as `J30A4`.
    pub engine_code: Option<String>,
    /// How many cylinders.
    pub cylinders: Option<u8>,
    /// In cubic centimetres; often rounded to tenths of a litre.
    pub displacement_cc: Option<u32>,
    /// Such as `V-Shaped`.
    pub engine_layout: Option<String>,
    /// Such as `Gasoline`.
    pub fuel: Option<String>,
    /// The other fuel of a vehicle that takes two, such as `Electric`.
    pub second_fuel: Option<String>,
    /// With a turbocharger.
    pub turbocharged: Option<bool>,
    /// In SAE horsepower.
    pub power_hp: Option<u16>,
    /// As EPA writes it, such as `Front-Wheel Drive`; `2-Wheel Drive` where the maker does not say which.
    pub drive: Option<String>,
    /// Such as `Automatic`.
    pub transmission: Option<String>,
    /// How many forward gears.
    pub transmission_speeds: Option<u8>,
    /// Such as `PHEV (Plug-in Hybrid Electric Vehicle)`.
    pub electrification: Option<String>,
    /// Where it was built.
    pub plant_city: Option<String>,
    /// Where it was built.
    pub plant_state: Option<String>,
    /// Where it was built.
    pub plant_country: Option<String>,
    /// Belts and air bags, in the maker's words.
    pub restraint: Option<String>,
}

impl VinDetails {
    /// Displacement in tenths of a litre, as people say it.
    pub fn displacement_tenths(&self) -> Option<u16> {
        // To the nearest tenth: makers report 1,998 cc for what they sell as 2.0 litres.
        self.displacement_cc.map(|cc| u16::try_from((cc + 50) / 100).unwrap_or(u16::MAX))
    }

    /// City, state and country of the plant, as far as they are known.
    pub fn plant(&self) -> Option<String> {
        let parts: Vec<&str> = [&self.plant_city, &self.plant_state, &self.plant_country]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}
