//! The compact encoding of the patterns.
//!
//! Texts, patterns of characters, values and statements are stored once and referred to by index. The groups of a
//! schema are in descending order of their minutes, which are stored as differences. Schemas with the same contents
//! are stored once.

use super::{Element, Group, Manufacturer, Value, VinPatterns};
use crate::FormatError;
use crate::codec::{self, Reader, Writer};

const MAGIC: [u8; 4] = *b"PSVP";
const VERSION: u8 = 1;

pub(super) fn encode(patterns: &VinPatterns) -> Vec<u8> {
    let mut out = Writer::default();
    out.text(&patterns.source);
    for texts in [&patterns.texts, &patterns.keys] {
        out.sorted_texts(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    }
    out.number(patterns.values.len() as u64);
    for value in &patterns.values {
        out.number(value.element as u64);
        out.number(u64::from(value.text));
        out.optional(value.make.map(u64::from));
    }
    out.number(patterns.statements.len() as u64);
    for statement in &patterns.statements {
        out.number(statement.len() as u64);
        for value in statement {
            out.number(u64::from(*value));
        }
    }
    out.number(patterns.schemas.len() as u64);
    for groups in &patterns.schemas {
        out.number(groups.len() as u64);
        let mut later = None;
        for group in groups {
            // The first difference is from the largest number, so that it needs no special case.
            out.number(u64::from(later.unwrap_or(u32::MAX) - group.minute));
            out.number(u64::from(group.key));
            out.number(u64::from(group.statement));
            later = Some(group.minute);
        }
    }
    out.number(patterns.manufacturers.len() as u64);
    for manufacturer in &patterns.manufacturers {
        out.text(&manufacturer.code);
        out.optional(manufacturer.name.map(u64::from));
        out.optional(manufacturer.make.map(u64::from));
        out.number(u64::from(manufacturer.is_light));
        out.number(manufacturer.schemas.len() as u64);
        for (schema, first, last) in &manufacturer.schemas {
            out.number(u64::from(*schema));
            out.number(u64::from(*first));
            out.number(u64::from(*last));
        }
    }
    out.number(patterns.engines.len() as u64);
    for (code, statement) in &patterns.engines {
        out.text(code);
        out.number(u64::from(*statement));
    }
    codec::seal(MAGIC, VERSION, &out.bytes)
}

pub(super) fn decode(bytes: &[u8]) -> Result<VinPatterns, FormatError> {
    let mut reader = codec::open(MAGIC, VERSION, bytes)?;
    let source = reader.text()?;
    let texts = reader.sorted_texts()?;
    let keys = reader.sorted_texts()?;
    let mut values = Vec::new();
    for _ in 0..reader.count(usize::MAX)? {
        let element: usize = reader.small()?;
        let element = *Element::ALL.get(element).ok_or_else(|| reader.damaged())?;
        values.push(Value {
            element,
            text: reader.index(texts.len())?,
            make: reader.optional_listed(&texts)?,
        });
    }
    let mut statements = Vec::new();
    for _ in 0..reader.count(usize::MAX)? {
        let mut statement = Vec::new();
        for _ in 0..reader.count(usize::MAX)? {
            statement.push(reader.index(values.len())?);
        }
        statements.push(statement);
    }
    let mut schemas = Vec::new();
    for _ in 0..reader.count(usize::MAX)? {
        let mut groups = Vec::new();
        let mut later = u32::MAX;
        for _ in 0..reader.count(usize::MAX)? {
            let step: u32 = reader.small()?;
            // A difference below 0 means damage, and would wrap around.
            let minute = later.checked_sub(step).ok_or_else(|| reader.damaged())?;
            groups.push(Group {
                minute,
                key: reader.index(keys.len())?,
                statement: reader.index(statements.len())?,
            });
            later = minute;
        }
        schemas.push(groups);
    }
    let mut manufacturers: Vec<Manufacturer> = Vec::new();
    for _ in 0..reader.count(usize::MAX)? {
        let code = reader.text()?;
        // Lookups use binary search.
        if manufacturers.last().is_some_and(|before| before.code >= code) {
            return Err(reader.damaged());
        }
        let (name, make) = (reader.optional_listed(&texts)?, reader.optional_listed(&texts)?);
        let is_light = reader.number()? == 1;
        let mut of_manufacturer = Vec::new();
        for _ in 0..reader.count(usize::MAX)? {
            of_manufacturer.push((reader.index(schemas.len())?, reader.small()?, reader.small()?));
        }
        manufacturers.push(Manufacturer { code, name, make, is_light, schemas: of_manufacturer });
    }
    let mut engines = std::collections::BTreeMap::new();
    for _ in 0..reader.count(usize::MAX)? {
        let code = reader.text()?;
        engines.insert(code, reader.index(statements.len())?);
    }
    reader.end()?;
    Ok(VinPatterns { source, texts, keys, values, statements, schemas, manufacturers, engines })
}

impl Reader<'_> {
    /// A valid index into a list of `length`.
    fn index(&mut self, length: usize) -> Result<u32, FormatError> {
        let index: u32 = self.small()?;
        if (index as usize) < length { Ok(index) } else { Err(self.damaged()) }
    }
}
