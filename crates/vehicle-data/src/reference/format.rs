//! The compact encoding of the table.
//!
//! Texts are stored once, sorted; each is the length of the prefix shared with the text before, and the rest. Years
//! are differences from the year before. One bit states that the variants equal those of the year before. The
//! result is about as small as a plain table after general compression, and needs no decompression.

use super::{Edition, EngineSpec, Lists, MakeRow, Propulsion, Reference, Variant};
use crate::FormatError;
use crate::codec::{self, Reader, Writer};

const MAGIC: [u8; 4] = *b"PSVD";
const VERSION: u8 = 1;

pub(super) fn encode(table: &Reference) -> Vec<u8> {
    let texts = Texts::of(table);
    let mut out = Writer::default();
    out.text(&table.source);
    out.sorted_texts(&texts.sorted);
    for list in [&table.lists.transmissions, &table.lists.drives, &table.lists.fuels] {
        out.number(list.len() as u64);
        for text in list {
            out.number(texts.index(text));
        }
    }
    out.number(table.lists.engines.len() as u64);
    for engine in &table.lists.engines {
        out.optional(engine.displacement_tenths.map(u64::from));
        out.optional(engine.cylinders.map(u64::from));
        // In one number with both flags, which needs one byte.
        let propulsion = Propulsion::ALL.iter().position(|one| *one == engine.propulsion).unwrap_or_default();
        out.number(
            (propulsion as u64) << 2 | u64::from(engine.supercharged) << 1 | u64::from(engine.turbocharged),
        );
        out.number(u64::from(engine.fuel));
        out.optional(engine.power_hp.map(u64::from));
    }
    out.number(table.makes.len() as u64);
    for make in &table.makes {
        out.number(texts.index(&make.name));
        out.optional(make.country.as_deref().map(|country| texts.index(country)));
        out.number(make.aliases.len() as u64);
        for alias in &make.aliases {
            out.number(texts.index(alias));
        }
        let models = &table.models[make.models.clone()];
        out.number(models.len() as u64);
        for model in models {
            out.number(texts.index(&model.name));
            out.editions(&model.editions, |text| texts.index(&table.lists.texts[text as usize]));
        }
    }
    codec::seal(MAGIC, VERSION, &out.bytes)
}

pub(super) fn decode(bytes: &[u8]) -> Result<Reference, FormatError> {
    let mut reader = codec::open(MAGIC, VERSION, bytes)?;
    let table = table(&mut reader)?;
    reader.end()?;
    Ok(table)
}

fn table(reader: &mut Reader<'_>) -> Result<Reference, FormatError> {
    let source = reader.text()?;
    let texts = reader.sorted_texts()?;
    let mut lists = Lists { texts, ..Lists::default() };
    for (list, most) in [(&mut lists.transmissions, 64), (&mut lists.drives, 8), (&mut lists.fuels, 256)] {
        for _ in 0..reader.count(most)? {
            list.push(reader.listed(&lists.texts)?.clone());
        }
    }
    for _ in 0..reader.count(1 << 16)? {
        let displacement_tenths = reader.optional()?;
        let cylinders = reader.optional()?;
        let flags = reader.number()?;
        let propulsion = usize::try_from(flags >> 2)
            .ok()
            .and_then(|index| Propulsion::ALL.get(index))
            .ok_or_else(|| reader.damaged())?;
        let fuel = reader.small()?;
        if usize::from(fuel) >= lists.fuels.len() {
            return Err(reader.damaged());
        }
        lists.engines.push(EngineSpec {
            displacement_tenths,
            cylinders,
            turbocharged: flags & 1 == 1,
            supercharged: flags & 2 == 2,
            propulsion: *propulsion,
            fuel,
            power_hp: reader.optional()?,
        });
    }
    let mut makes = Vec::new();
    for _ in 0..reader.count(usize::MAX)? {
        let name = reader.listed(&lists.texts)?.clone();
        let country = reader.optional_listed(&lists.texts)?.map(|index| lists.texts[index as usize].clone());
        let mut aliases = Vec::new();
        for _ in 0..reader.count(usize::MAX)? {
            aliases.push(reader.listed(&lists.texts)?.clone());
        }
        let mut models = Vec::new();
        for _ in 0..reader.count(usize::MAX)? {
            let name = reader.listed(&lists.texts)?.clone();
            models.push((name, reader.editions(&lists)?));
        }
        makes.push(MakeRow { name, country, aliases, models });
    }
    Ok(Reference::new(source, makes, lists))
}

/// All texts of a table, sorted, each once.
struct Texts<'a> {
    sorted: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    fn of(table: &'a Reference) -> Self {
        let lists = &table.lists;
        let mut sorted: Vec<&str> = [&lists.texts, &lists.transmissions, &lists.drives, &lists.fuels]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .chain(table.models.iter().map(|model| model.name.as_str()))
            .collect();
        for make in &table.makes {
            sorted.push(&make.name);
            sorted.extend(make.country.as_deref());
            sorted.extend(make.aliases.iter().map(String::as_str));
        }
        sorted.sort_unstable();
        sorted.dedup();
        Self { sorted }
    }

    fn index(&self, text: &str) -> u64 {
        // Every text of the table is in the list; see `of`.
        self.sorted.binary_search(&text).unwrap_or_else(|index| index) as u64
    }
}

impl Writer {
    fn editions(&mut self, editions: &[Edition], index: impl Fn(u32) -> u64) {
        self.number(editions.len() as u64);
        let mut before: Option<&Edition> = None;
        for edition in editions {
            // Years ascend, so the difference is usually 1 and needs one byte together with the bit.
            let step = edition.year - before.map_or(0, |before| before.year);
            let same = before.is_some_and(|before| before.variants == edition.variants);
            self.number(u64::from(step) << 1 | u64::from(same));
            self.optional(edition.body.map(&index));
            if !same {
                self.number(edition.variants.len() as u64);
                for row in &edition.variants {
                    self.number(index(row.listed_as));
                    self.number(u64::from(row.engine));
                    self.number(row.transmissions);
                    self.number(u64::from(row.drives));
                }
            }
            before = Some(edition);
        }
    }
}

impl Reader<'_> {
    fn editions(&mut self, lists: &Lists) -> Result<Vec<Edition>, FormatError> {
        let mut editions: Vec<Edition> = Vec::new();
        for _ in 0..self.count(usize::MAX)? {
            let head = self.number()?;
            let step = u16::try_from(head >> 1).map_err(|_| self.damaged())?;
            let before = editions.last();
            let year =
                before.map_or(0, |before| before.year).checked_add(step).ok_or_else(|| self.damaged())?;
            // Lookups use binary search, so years must ascend; `u16::MAX` is excluded because a range ends after
            // the last year.
            if step == 0 || year == u16::MAX {
                return Err(self.damaged());
            }
            let same = match (head & 1, before) {
                // Cloned, so that a lookup need not search earlier years.
                (1, Some(before)) => Some(before.variants.clone()),
                (1, None) => return Err(self.damaged()),
                _ => None,
            };
            let body = self.optional_listed(&lists.texts)?;
            let variants = match same {
                Some(variants) => variants,
                None => self.variants(lists)?,
            };
            editions.push(Edition { year, body, variants });
        }
        Ok(editions)
    }

    fn variants(&mut self, lists: &Lists) -> Result<Vec<Variant>, FormatError> {
        let mut variants = Vec::new();
        for _ in 0..self.count(usize::MAX)? {
            let row = Variant {
                listed_as: self.small()?,
                engine: self.small()?,
                transmissions: self.number()?,
                drives: self.small()?,
            };
            // Checked here, so that lookups can index without checks.
            if row.listed_as as usize >= lists.texts.len() || usize::from(row.engine) >= lists.engines.len() {
                return Err(self.damaged());
            }
            variants.push(row);
        }
        Ok(variants)
    }
}
