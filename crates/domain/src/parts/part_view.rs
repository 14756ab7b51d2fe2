//! Positions of parts on a car, and views that tell two parts apart.

use serde::{Deserialize, Serialize};

use crate::{Category, PartLabel};

/// Position of a part on a car, which a drawing points at.
///
/// Only as detailed as needed to find the part: for example one position for everything driven by the belt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartPosition {
    /// The air filter and what leads from it to the engine.
    AirIntake,
    /// The battery and its cables.
    Battery,
    /// What the belt at the front of the engine drives.
    BeltDrive,
    /// The wall between engine bay and cabin.
    Bulkhead,
    /// Along the side of the engine bay.
    EngineBaySide,
    /// Behind the grille: radiator, fan, condenser.
    Radiator,
    /// On and in the top of the engine.
    CylinderHead,
    /// The middle of the engine.
    EngineBlock,
    /// The hot side of the engine, where its exhaust leaves.
    ExhaustManifold,
    /// The side of the engine where air and fuel go in.
    IntakeManifold,
    /// The bottom of the engine.
    OilPan,
    /// Under the cover at the end of the engine.
    TimingDrive,
    /// Between engine and transmission.
    BellHousing,
    /// The shafts from the transmission to the front wheels.
    DriveAxle,
    /// The shaft along the middle of the car.
    Driveshaft,
    /// The transmission.
    Gearbox,
    /// Between the rear wheels.
    RearAxle,
    /// Behind the transmission of a car with four driven wheels.
    TransferCase,
    /// Inside the front wheels.
    FrontBrake,
    /// Above and beside the front wheels.
    FrontSuspension,
    /// Inside the rear wheels.
    RearBrake,
    /// Above and beside the rear wheels.
    RearSuspension,
    /// Between the front wheels.
    SteeringLinkage,
    /// The wheels.
    Wheel,
    /// What a wheel is bolted to, and turns on.
    WheelHub,
    /// Under the front of the floor.
    ExhaustFront,
    /// Under the rear of the floor.
    ExhaustRear,
    /// The rear side, where fuel is filled in.
    FuelFiller,
    /// Under the rear seat.
    FuelTank,
    /// Along the floor, from front to rear.
    UnderbodyLines,
    /// Between the front seats.
    CenterConsole,
    /// In front of the driver.
    Dashboard,
    /// Behind the dashboard.
    HeaterBox,
    /// At the driver's feet.
    Pedals,
    /// At the seats.
    Seat,
    /// Behind the steering wheel.
    SteeringColumn,
    /// Under the rear seat or the floor of a hybrid or electric car.
    TractionBattery,
    /// In and on the doors.
    Door,
    /// On the front doors, at the mirror.
    DoorMirror,
    /// The front end, below the hood.
    FrontBumper,
    /// Above and around the front wheels.
    FrontFender,
    /// The front corners.
    FrontLights,
    /// The hood.
    Hood,
    /// The rear end, below the trunk.
    RearBumper,
    /// The rear corners.
    RearLights,
    /// The roof, outside and inside.
    Roof,
    /// Below the doors.
    Sill,
    /// The trunk lid or tailgate.
    Tailgate,
    /// The windshield and what wipes it.
    Windshield,
    /// The engine, for a part of its category that is no nearer known.
    Engine,
    /// All brakes, likewise.
    Brakes,
    /// What carries current, likewise.
    Electrics,
    /// All springs and links, likewise.
    Suspension,
    /// Clutch to axles, likewise.
    Drivetrain,
    /// Cooling and heating, likewise.
    CoolingSystem,
    /// The whole exhaust, likewise.
    ExhaustSystem,
    /// Tank to engine, likewise.
    FuelSystem,
    /// The whole body, likewise.
    Body,
}

impl PartPosition {
    /// The position of a part of which only the category is known, such as a taught part.
    pub const fn of_category(category: Category) -> Self {
        match category {
            Category::Engine => Self::Engine,
            Category::Brake => Self::Brakes,
            Category::Electrical => Self::Electrics,
            Category::Suspension => Self::Suspension,
            Category::Transmission => Self::Drivetrain,
            Category::Cooling => Self::CoolingSystem,
            Category::Exhaust => Self::ExhaustSystem,
            Category::Fuel => Self::FuelSystem,
            Category::Body => Self::Body,
        }
    }
}

/// How to take a photograph that shows more of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhotoView {
    /// The whole part, filling the picture.
    Whole,
    /// From the side, level with it, so that its outline and its depth show.
    Side,
    /// Straight at its broadest face.
    Face,
    /// Both sides, one after the other.
    BothSides,
    /// Close, at numbers and marks.
    Marking,
    /// Close, at its ports, plugs, threads or bolt holes.
    Connections,
    /// Beside a thing of known size.
    Scale,
}

/// What tells apart two part types that are confused in photographs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TellingApart {
    /// The two labels.
    pub between: [PartLabel; 2],
    /// The view that shows it.
    pub view: PhotoView,
    /// What to look for, one or two sentences for people.
    pub sentence: String,
}

impl TellingApart {
    /// Whether it is about these two, in either order.
    pub fn is_between(&self, one: &PartLabel, other: &PartLabel) -> bool {
        let [first, second] = &self.between;
        // Each pair is in the file once, in either order.
        (first == one && second == other) || (first == other && second == one)
    }
}
