//! Pictures of several parts, composed of photographs: how many of the parts are found, how many regions show none, how
//! many answers are right; and how many photographs of one part give one region.
//!
//! usage: `PARTSIGHT_PHOTOS=FOLDER several_parts choose|report N [PICTURES]`, with N pictures of parts of any type, and half
//! as many of parts of one type each, as in a crate. `choose` and `report` share no
//! photograph: `choose` takes every other one of `valid` and those of `field-valid2`, `report` the rest of `valid` and
//! `field-valid`; of `negatives`, on which half of the pictures lie, each takes every other one. With PICTURES, a folder, the
//! first twelve are written there with the boxes that were found. Needs ONNX Runtime (`.make/onnxruntime`).

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use image::{Rgb, RgbImage, imageops};
use partsight_domain::{
    CalibratedScores, MAX_PROPOSED_REGIONS, ModelCalibration, RawScores, RegionBox, RegionLook, RegionRule,
};
use partsight_inference::{
    Detail, Engine, ImageBatch, Model, OnnxRuntime, OrtEngine, PartDetector, Photo, PhotoFormat, PhotoLimits,
    Preprocessor,
};
use sha2::{Digest, Sha256};

type Failure = Box<dyn std::error::Error>;

const SIZE: (u32, u32) = (1280, 960);
/// A region is the part's from this overlap on (intersection over union).
const FOUND: f32 = 0.5;
/// Grey level from which on the rim of a catalogue picture is its background.
const WHITE: u8 = 232;

/// Of each field photograph that does not show one part alone: the SHA-256 of its file, and how many parts a person
/// counts, or nothing where people would differ, as with a carton beside its part.
const COUNTED: &str = include_str!("several_parts.csv");

/// A part and where it lies.
struct Truth {
    label: String,
    area: RegionBox,
}

/// A picture, what is on it, all looks at it, and last the look at the whole of it.
struct Looked {
    parts: Vec<Truth>,
    looks: Vec<RegionLook>,
}

/// Field photographs as they are.
struct Real {
    /// Those that show one part.
    singles: Vec<Looked>,
    /// Those that show several, and how many.
    several: Vec<(usize, Looked)>,
}

impl Looked {
    /// Which of the looks are regions.
    fn chosen(&self, rule: RegionRule) -> Vec<usize> {
        let Some((whole, places)) = self.looks.split_last() else { return Vec::new() };
        let chosen = rule.choose(whole, places);
        if chosen.is_empty() { vec![places.len()] } else { chosen }
    }

    fn area(&self, at: usize) -> RegionBox {
        self.looks[at].area
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (half, n, folder) = match arguments.as_slice() {
        [half, n] => (half, n, None),
        [half, n, folder] => (half, n, Some(PathBuf::from(folder))),
        _ => return Err("usage: several_parts choose|report N [PICTURES]".into()),
    };
    let is_report = half == "report";
    let photos = PathBuf::from(env::var_os("PARTSIGHT_PHOTOS").ok_or("PARTSIGHT_PHOTOS names no folder")?);
    let rest = usize::from(is_report);
    let field = photos.join(if is_report { "field-valid" } else { "field-valid2" });
    let catalogue = every_other(files(&photos.join("valid"))?, rest);
    let field_photos = files(&field)?;
    let backgrounds = every_other(files(&photos.join("negatives"))?, rest);

    let mut eye = Eye::open()?;
    let mut random = Random(if is_report { 20_261_125 } else { 7 });
    let started = cpu_ms();
    let (mut scenes, mut alike, mut composing) = (Vec::new(), Vec::new(), 0.0);
    let n: usize = n.parse()?;
    for index in 0..n + n / 2 {
        let before = cpu_ms();
        let (picture, parts) = if index < n {
            compose(&mut random, &catalogue, &field_photos, &backgrounds)?
        } else {
            let [catalogue, field_photos] = of_one_type(&mut random, [&catalogue, &field_photos]);
            compose(&mut random, &catalogue, &field_photos, &backgrounds)?
        };
        composing += cpu_ms() - before;
        let looked = Looked { parts, looks: eye.look(&picture)? };
        if let Some(folder) = folder.as_ref().filter(|_| index % n < 12) {
            draw(&picture, &looked)?.save(folder.join(format!("{half}-{index:02}.jpg")))?;
        }
        if index < n { scenes.push(looked) } else { alike.push(looked) }
    }
    let each = (cpu_ms() - started - composing) / (n + n / 2).max(1) as f64;
    let rows = COUNTED.lines().skip(1).map(|row| row.split_once(',').ok_or("a row without a count's column"));
    let listed: HashMap<&str, &str> = rows.collect::<Result<_, _>>()?;
    let (mut singles, mut several) = (Vec::new(), Vec::new());
    for path in &field_photos {
        let file = fs::read(path)?;
        let photo = Photo::decode_at_least(&file, &PhotoLimits::default(), Detail::covering(768, 768))?;
        match listed.get(&*hex::encode(Sha256::digest(&file))) {
            None => {
                let truth = Truth { label: label_of(path), area: RegionBox::WHOLE };
                singles.push(Looked { parts: vec![truth], looks: eye.look(&photo)? });
            }
            Some(&"") => {}
            Some(count) => {
                several.push((count.parse()?, Looked { parts: Vec::new(), looks: eye.look(&photo)? }));
            }
        }
    }
    let real = Real { singles, several };
    let mut out = io::stdout().lock();
    writeln!(out, "{half}: {} pictures, {each:.0} ms of processor time each", scenes.len())?;
    report(&mut out, "default", RegionRule::default(), &eye, &scenes, &real)?;
    report(&mut out, "default, of one type", RegionRule::default(), &eye, &alike, &real)?;
    if !is_report {
        let rule = RegionRule::default();
        for pieces_fill in [0.8, 0.9, 2.0] {
            let rule = RegionRule { pieces_fill, ..rule };
            report(&mut out, &format!("pieces_fill {pieces_fill}"), rule, &eye, &scenes, &real)?;
            report(&mut out, "of one type", rule, &eye, &alike, &real)?;
        }
        for other_strength in [0.1, 0.5, 2.0] {
            let rule = RegionRule { other_strength, ..rule };
            report(&mut out, &format!("other_strength {other_strength}"), rule, &eye, &scenes, &real)?;
            report(&mut out, "of one type", rule, &eye, &alike, &real)?;
        }
    }
    Ok(())
}

fn report(
    out: &mut impl Write,
    name: &str,
    rule: RegionRule,
    eye: &Eye,
    scenes: &[Looked],
    real: &Real,
) -> Result<(), Failure> {
    let (mut n_parts, mut n_found, mut n_right, mut n_false, mut n_counted) = (0, 0, 0, 0, 0);
    for looked in scenes {
        let chosen = looked.chosen(rule);
        let mut used = vec![false; chosen.len()];
        n_parts += looked.parts.len();
        for part in &looked.parts {
            let overlap = |at: usize| looked.area(chosen[at]).overlap(part.area);
            let best = (0..chosen.len())
                .filter(|&at| !used[at])
                .max_by(|&one, &other| overlap(one).total_cmp(&overlap(other)))
                .filter(|&at| overlap(at) >= FOUND);
            if let Some(at) = best {
                used[at] = true;
                n_found += 1;
                n_right += usize::from(eye.label(&looked.looks[chosen[at]]) == Some(part.label.as_str()));
            }
        }
        n_false += used.iter().filter(|is_used| !**is_used).count();
        n_counted += usize::from(chosen.len() == looked.parts.len());
    }
    let Real { singles, several } = real;
    let n_several =
        several.iter().filter(|(n_parts, one): &&(usize, Looked)| one.chosen(rule).len() == *n_parts).count();
    let n_single = singles.iter().filter(|one| one.chosen(rule).len() == 1).count();
    let right = |one: &&Looked| {
        let chosen = one.chosen(rule);
        chosen.len() == 1 && eye.label(&one.looks[chosen[0]]) == Some(one.parts[0].label.as_str())
    };
    let n_single_right = singles.iter().filter(right).count();
    writeln!(
        out,
        "{name:<24} found {n_found}/{n_parts}, false {n_false}, right {n_right}/{n_found}, counted {n_counted}/{}, \
         one part is one {n_single}/{}, and right {n_single_right}, several counted {n_several}/{}",
        scenes.len(),
        singles.len(),
        several.len()
    )?;
    Ok(())
}

/// The detector, and the model one look at a time.
struct Eye {
    detector: PartDetector,
    engine: OrtEngine,
    preprocessor: Preprocessor,
    calibration: ModelCalibration,
    labels: Vec<String>,
}

impl Eye {
    fn open() -> Result<Self, Failure> {
        let runtime = OnnxRuntime::load(env::var_os("PARTSIGHT_ONNXRUNTIME").map(PathBuf::from).as_deref())?;
        let model = Model::embedded()?;
        let calibration = &model.manifest().calibration;
        Ok(Self {
            detector: PartDetector::embedded(&runtime)?,
            engine: OrtEngine::new(&runtime, &model, 1)?,
            preprocessor: Preprocessor::new(model.manifest())?,
            calibration: ModelCalibration {
                temperature: calibration.temperature,
                known_scale: calibration.known_scale,
                known_bias: calibration.known_bias,
            },
            labels: model.labels().to_vec(),
        })
    }

    fn look(&mut self, photo: &Photo) -> Result<Vec<RegionLook>, Failure> {
        let found = self.detector.find(photo, MAX_PROPOSED_REGIONS)?.into_iter();
        let areas = found.filter_map(|part| RegionBox::new(part.area, 1).ok()).chain([RegionBox::WHOLE]);
        areas.collect::<Vec<_>>().into_iter().map(|area| self.look_at(photo, area)).collect()
    }

    fn look_at(&mut self, photo: &Photo, area: RegionBox) -> Result<RegionLook, Failure> {
        let tensor = self.preprocessor.tensor(&photo.part(area.shares()));
        let outputs = self.engine.run(&ImageBatch::stack(&[tensor])?)?;
        let logits = outputs.logits.row(0).to_vec();
        let raw = RawScores { logits: &logits, known: outputs.known[0] };
        let scores = CalibratedScores::new(&self.calibration, raw);
        let (confidence, known_score) = (scores.confidence(), scores.known_score);
        Ok(RegionLook { area, confidence, known_score, class: scores.best() })
    }

    fn label(&self, look: &RegionLook) -> Option<&str> {
        look.class.and_then(|class| self.labels.get(class)).map(String::as_str)
    }
}

/// The photographs of one type: of those in a catalogue's manner, and, where there are any, of those from the field.
fn of_one_type(random: &mut Random, photos: [&[PathBuf]; 2]) -> [Vec<PathBuf>; 2] {
    let label = label_of(&photos[0][random.below(photos[0].len())]);
    let [catalogue, field] = photos
        .map(|photos| photos.iter().filter(|path| label_of(path) == label).cloned().collect::<Vec<_>>());
    let field = if field.is_empty() { catalogue.clone() } else { field };
    [catalogue, field]
}

/// Parts on a background, none over another.
fn compose(
    random: &mut Random,
    catalogue: &[PathBuf],
    field: &[PathBuf],
    backgrounds: &[PathBuf],
) -> Result<(Photo, Vec<Truth>), Failure> {
    let mut picture = background(random, backgrounds)?;
    let n_parts = 2 + random.below(5);
    let columns = if n_parts <= 4 { 2 } else { 3 };
    let rows = n_parts.div_ceil(columns);
    let (cell_width, cell_height) = (SIZE.0 / columns as u32, SIZE.1 / rows as u32);
    let mut parts = Vec::new();
    for index in 0..n_parts {
        let from = if random.below(3) == 0 { field } else { catalogue };
        let path = &from[random.below(from.len())];
        let (part, mask) = cut_out(&read(path)?);
        let room = |cell: u32| f64::from(cell) * (0.6 + 0.3 * random.share_of(index as u64));
        let scale =
            (room(cell_width) / f64::from(part.width())).min(room(cell_height) / f64::from(part.height()));
        let size = |side: u32| ((f64::from(side) * scale) as u32).max(8);
        let (width, height) = (size(part.width()), size(part.height()));
        let part = imageops::resize(&part, width, height, imageops::FilterType::Triangle);
        let mask = imageops::resize(&mask, width, height, imageops::FilterType::Triangle);
        let column = (index % columns) as u32;
        let row = (index / columns) as u32;
        let mut place =
            |first: u32, cell: u32, side: u32| first + random.below((cell - side) as usize + 1) as u32;
        let left = place(column * cell_width, cell_width, width);
        let top = place(row * cell_height, cell_height, height);
        for (x, y, pixel) in part.enumerate_pixels() {
            let share = u32::from(mask.get_pixel(x, y)[0]);
            let under = picture.get_pixel_mut(left + x, top + y);
            for channel in 0..3 {
                let mixed = u32::from(pixel[channel]) * share + u32::from(under[channel]) * (255 - share);
                under[channel] = (mixed / 255) as u8;
            }
        }
        let shares = [
            left as f32 / SIZE.0 as f32,
            top as f32 / SIZE.1 as f32,
            width as f32 / SIZE.0 as f32,
            height as f32 / SIZE.1 as f32,
        ];
        let area = RegionBox::new(shares, index + 1).map_err(|error| error.message)?;
        parts.push(Truth { label: label_of(path), area });
    }
    Ok((Photo::from_rgb(SIZE.0, SIZE.1, picture.into_raw(), PhotoFormat::Png)?, parts))
}

/// A sheet of one colour, boards, or a photograph of something else.
fn background(random: &mut Random, files: &[PathBuf]) -> Result<RgbImage, Failure> {
    let kind = random.below(4);
    if kind >= 2 {
        let photo = read(&files[random.below(files.len())])?;
        return Ok(imageops::resize(&photo, SIZE.0, SIZE.1, imageops::FilterType::Triangle));
    }
    let tone = 70.0 + random.below(170) as f64;
    let tint = [40, 30, 40].map(|most| random.below(most) as f64);
    let seed = random.next();
    let picture = RgbImage::from_fn(SIZE.0, SIZE.1, |x, y| {
        let shade = f64::from(x * 25 / SIZE.0);
        let mut grain = Random(seed ^ (u64::from(x) << 32 | u64::from(y)));
        let noise = grain.below(13) as f64 - 6.0;
        let board = if kind == 1 { f64::from(y / 120 % 2 * 24 + y * 7 / 11 % 9 * 2) } else { 0.0 };
        Rgb([0, 1, 2]
            .map(|channel: usize| (tone + shade + noise - board - tint[channel]).clamp(0.0, 255.0) as u8))
    });
    Ok(picture)
}

/// A catalogue picture without its white background, any other whole; with how much of each pixel is part, 0..=255.
fn cut_out(photo: &RgbImage) -> (RgbImage, image::GrayImage) {
    let (width, height) = photo.dimensions();
    let is_white = |x: u32, y: u32| photo.get_pixel(x, y).0.iter().all(|&value| value >= WHITE);
    let rim: Vec<(u32, u32)> = (0..width)
        .flat_map(|x| [(x, 0), (x, height - 1)])
        .chain((0..height).flat_map(|y| [(0, y), (width - 1, y)]))
        .collect();
    let mut mask = image::GrayImage::from_pixel(width, height, image::Luma([255]));
    let n_white = rim.iter().filter(|&&(x, y)| is_white(x, y)).count();
    if n_white * 10 < rim.len() * 6 {
        return (photo.clone(), mask);
    }
    let mut open: Vec<(u32, u32)> = rim.into_iter().filter(|&(x, y)| is_white(x, y)).collect();
    while let Some((x, y)) = open.pop() {
        if mask.get_pixel(x, y)[0] == 0 {
            continue;
        }
        mask.put_pixel(x, y, image::Luma([0]));
        let near = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
        open.extend(near.into_iter().filter(|&(x, y)| x < width && y < height && is_white(x, y)));
    }
    let shown = mask.enumerate_pixels().filter(|(_, _, value)| value[0] > 0);
    let bounds = shown.fold(None, |bounds: Option<[u32; 4]>, (x, y, _)| {
        let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
        Some([left.min(x), top.min(y), right.max(x), bottom.max(y)])
    });
    let Some([left, top, right, bottom]) = bounds else { return (photo.clone(), mask) };
    let (across, down) = (right + 1 - left, bottom + 1 - top);
    (
        imageops::crop_imm(photo, left, top, across, down).to_image(),
        imageops::crop_imm(&mask, left, top, across, down).to_image(),
    )
}

/// The picture with the parts in green and the regions in red.
fn draw(photo: &Photo, looked: &Looked) -> Result<RgbImage, Failure> {
    let mut picture =
        RgbImage::from_raw(photo.width(), photo.height(), photo.rgb().to_vec()).ok_or("no picture")?;
    let mut frame = |area: RegionBox, colour: [u8; 3]| {
        let x = |share: f32| ((share * SIZE.0 as f32) as u32).min(SIZE.0 - 1);
        let y = |share: f32| ((share * SIZE.1 as f32) as u32).min(SIZE.1 - 1);
        let (left, top, right, bottom) =
            (x(area.left), y(area.top), x(area.left + area.width), y(area.top + area.height));
        for wide in 0..4 {
            for at in left..=right {
                picture.put_pixel(at, (top + wide).min(SIZE.1 - 1), Rgb(colour));
                picture.put_pixel(at, bottom.saturating_sub(wide), Rgb(colour));
            }
            for at in top..=bottom {
                picture.put_pixel((left + wide).min(SIZE.0 - 1), at, Rgb(colour));
                picture.put_pixel(right.saturating_sub(wide), at, Rgb(colour));
            }
        }
    };
    for part in &looked.parts {
        frame(part.area, [0, 200, 0]);
    }
    for at in looked.chosen(RegionRule::default()) {
        frame(looked.area(at), [220, 0, 0]);
    }
    Ok(picture)
}

fn read(path: &Path) -> Result<RgbImage, Failure> {
    let photo = Photo::decode(&fs::read(path)?, &PhotoLimits::default())?;
    let (width, height) = (photo.width(), photo.height());
    RgbImage::from_raw(width, height, photo.into_rgb()).ok_or_else(|| "a photograph without pixels".into())
}

fn label_of(path: &Path) -> String {
    path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// All photographs below a folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "jpg" || ending == "jpeg"));
    found.sort();
    Ok(found)
}

fn every_other(files: Vec<PathBuf>, rest: usize) -> Vec<PathBuf> {
    files.into_iter().enumerate().filter(|(index, _)| index % 2 == rest).map(|(_, path)| path).collect()
}

/// `SplitMix64` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// In 0..1, the same for the same turn and number.
    fn share_of(&self, number: u64) -> f64 {
        let mut own = Self(self.0 ^ number.wrapping_mul(0x1234_5678_9abc_def1));
        (own.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Processor time of all threads of this process.
fn cpu_ms() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 * 1e3 + now.tv_nsec as f64 / 1e6
}
