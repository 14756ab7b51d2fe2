//! The compact form of the table.
//!
//! A header (magic, version, checksum), then one run of variable-length integers and texts. Texts stand once, sorted,
//! each as the length it shares with the one before and the rest. Years are steps from the year before. What a
//! model shares with the year before is said by one bit. The whole is about as small as a general compressor would
//! make it from a plain table, and is read without one.

use super::{Edition, EngineSpec, Lists, MakeRow, Propulsion, Reference, Variant};
use crate::FormatError;

const MAGIC: &[u8; 4] = b"PSVD";
const VERSION: u8 = 1;
const HEADER_BYTES: usize = MAGIC.len() + 1 + 8;

/// FNV-1a, 64 bits: finds a damaged file; it is no signature. Source: Fowler, Noll and Vo, draft-eastlake-fnv.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

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
    let payload = out.bytes;
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(MAGIC);
    bytes.push(VERSION);
    bytes.extend_from_slice(&checksum(&payload).to_le_bytes());
    bytes.extend_from_slice(&payload);
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Result<Reference, FormatError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(FormatError::NotOurs)?;
    let (version, rest) = rest.split_first().ok_or(FormatError::Checksum)?;
    if *version != VERSION {
        return Err(FormatError::Version { found: *version, expected: VERSION });
    }
    let (sum, payload) = rest.split_first_chunk::<8>().ok_or(FormatError::Checksum)?;
    if u64::from_le_bytes(*sum) != checksum(payload) {
        return Err(FormatError::Checksum);
    }
    let mut reader = Reader { bytes: payload, offset: 0 };
    let table = table(&mut reader)?;
    if reader.offset != payload.len() {
        return Err(reader.damaged());
    }
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
        // Every text of the table is in the list, see `of`.
        self.sorted.binary_search(&text).unwrap_or_else(|index| index) as u64
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// 0 for nothing, else one more than the number.
    fn optional(&mut self, number: Option<u64>) {
        self.number(number.map_or(0, |number| number + 1));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn sorted_texts(&mut self, texts: &[&str]) {
        self.number(texts.len() as u64);
        let mut before = "";
        for text in texts {
            let mut shared = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            while !text.is_char_boundary(shared) {
                shared -= 1;
            }
            self.number(shared as u64);
            self.text(&text[shared..]);
            before = text;
        }
    }

    fn editions(&mut self, editions: &[Edition], index: impl Fn(u32) -> u64) {
        self.number(editions.len() as u64);
        let mut before: Option<&Edition> = None;
        for edition in editions {
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

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    fn damaged(&self) -> FormatError {
        FormatError::Damaged { offset: self.offset }
    }

    fn number(&mut self) -> Result<u64, FormatError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.offset).ok_or_else(|| self.damaged())?;
            self.offset += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged())
    }

    /// A number that its type has room for.
    fn small<T: TryFrom<u64>>(&mut self) -> Result<T, FormatError> {
        let number = self.number()?;
        T::try_from(number).map_err(|_| self.damaged())
    }

    fn optional<T: TryFrom<u64>>(&mut self) -> Result<Option<T>, FormatError> {
        match self.number()? {
            0 => Ok(None),
            more => T::try_from(more - 1).map(Some).map_err(|_| self.damaged()),
        }
    }

    /// How many follow: no more than `most`, nor than there are bytes left, since each takes one at least.
    fn count(&mut self, most: usize) -> Result<usize, FormatError> {
        let count: usize = self.small()?;
        if count > most || count > self.bytes.len() - self.offset { Err(self.damaged()) } else { Ok(count) }
    }

    fn text(&mut self) -> Result<String, FormatError> {
        let length = self.count(usize::MAX)?;
        let bytes = &self.bytes[self.offset..self.offset + length];
        let text = std::str::from_utf8(bytes).map_err(|_| self.damaged())?.to_owned();
        self.offset += length;
        Ok(text)
    }

    fn sorted_texts(&mut self) -> Result<Vec<String>, FormatError> {
        let mut texts: Vec<String> = Vec::new();
        for _ in 0..self.count(usize::MAX)? {
            let shared: usize = self.small()?;
            let before = texts.last().map_or("", String::as_str);
            let shared = before.get(..shared).ok_or_else(|| self.damaged())?.to_owned();
            texts.push(shared + &self.text()?);
        }
        Ok(texts)
    }

    fn listed<'t>(&mut self, texts: &'t [String]) -> Result<&'t String, FormatError> {
        let index: usize = self.small()?;
        texts.get(index).ok_or_else(|| self.damaged())
    }

    fn optional_listed(&mut self, texts: &[String]) -> Result<Option<u32>, FormatError> {
        let index: Option<u32> = self.optional()?;
        if index.is_some_and(|index| index as usize >= texts.len()) { Err(self.damaged()) } else { Ok(index) }
    }

    fn editions(&mut self, lists: &Lists) -> Result<Vec<Edition>, FormatError> {
        let mut editions: Vec<Edition> = Vec::new();
        for _ in 0..self.count(usize::MAX)? {
            let head = self.number()?;
            let step = u16::try_from(head >> 1).map_err(|_| self.damaged())?;
            let before = editions.last();
            let year =
                before.map_or(0, |before| before.year).checked_add(step).ok_or_else(|| self.damaged())?;
            // The lookup searches by halves, so years must rise; the last but one because a range ends after it.
            if step == 0 || year == u16::MAX {
                return Err(self.damaged());
            }
            let same = match (head & 1, before) {
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
            if row.listed_as as usize >= lists.texts.len() || usize::from(row.engine) >= lists.engines.len() {
                return Err(self.damaged());
            }
            variants.push(row);
        }
        Ok(variants)
    }
}
