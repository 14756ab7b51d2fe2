//! Parses records from an uploaded XML file, within limits.

use partsight_domain::InvalidInput;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::Result;

/// Most levels of nested elements.
const MAX_DEPTH: usize = 32;
/// Most elements of one record.
const MAX_ELEMENTS: usize = 2_000;
/// Most bytes of the text of one element, and of one attribute: the longest notes, in any script.
const MAX_TEXT: usize = 8_000;
/// Most attributes of one element: each is compared with those before it, to find duplicates.
const MAX_ATTRIBUTES: usize = 50;

/// An element with its children.
#[derive(Debug, Default)]
pub(super) struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    text: String,
    children: Vec<Element>,
}

impl Element {
    /// The first child with this name.
    pub(super) fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Its name, without a namespace.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// All elements in it.
    pub(super) fn all_children(&self) -> &[Self] {
        &self.children
    }

    /// The children with this name.
    pub(super) fn children<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Self> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// An attribute, trimmed; `None` if it is blank or missing.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let value = self.attributes.iter().find(|(key, _)| key == name)?.1.trim();
        (!value.is_empty()).then_some(value)
    }

    /// Its own text, trimmed; `None` if blank.
    pub(super) fn text(&self) -> Option<&str> {
        let text = self.text.trim();
        (!text.is_empty()).then_some(text)
    }

    /// The text of the first child with this name.
    pub(super) fn child_text(&self, name: &str) -> Option<&str> {
        self.child(name)?.text()
    }
}

/// Parses the elements named `App` or `Item`, at most `max_records`, and `Header`, with their children; namespaces are
/// ignored. `each` is called with the name of the root and one of them after the other, so that only one is in memory. A
/// file with a document type is refused, so that it cannot define entities. Returns the name of the root.
///
/// # Errors
/// [`Error::Invalid`](crate::Error::Invalid) with the problem, under the field `body`; and those of `each`.
pub(super) fn read_records(
    bytes: &[u8],
    max_records: usize,
    mut each: impl FnMut(&str, &Element) -> Result<()>,
) -> Result<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|_| invalid("The file is not UTF-8 text. Please save it as UTF-8 and try again."))?;
    let mut reader = Reader::from_str(text);
    let (mut root, mut n_records) = (None::<String>, 0_usize);
    // Open elements: outside of a record only their number counts, inside they are kept.
    let mut depth = 0_usize;
    let mut open: Vec<Element> = Vec::new();
    let mut n_elements = 0_usize;
    loop {
        // Computed only for an error, instead of at each line.
        let line = |position: u64| {
            let end = usize::try_from(position).unwrap_or(text.len()).min(text.len());
            text.get(..end).map_or(1, |before| 1 + before.matches('\n').count())
        };
        let event = reader.read_event().map_err(|error| {
            invalid(format!("The XML is broken in line {}: {error}.", line(reader.error_position())))
        })?;
        let refuse =
            |what: &str| Err(invalid(format!("{what} (line {}).", line(reader.buffer_position()))).into());
        let mut finished = None;
        match event {
            Event::Start(start) => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return refuse("The XML has more than 32 elements in one another");
                }
                let element = element(&start)?;
                root.get_or_insert_with(|| element.name.clone());
                if !open.is_empty() || is_record(&element) || is_header(&element) {
                    n_elements += 1;
                    open.push(element);
                }
            }
            Event::Empty(start) => {
                let element = element(&start)?;
                root.get_or_insert_with(|| element.name.clone());
                if let Some(parent) = open.last_mut() {
                    n_elements += 1;
                    parent.children.push(element);
                } else if is_record(&element) {
                    finished = Some(element);
                }
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                if let Some(element) = open.pop() {
                    if let Some(parent) = open.last_mut() {
                        parent.children.push(element);
                    } else {
                        finished = Some(element);
                        n_elements = 0;
                    }
                }
            }
            Event::Text(piece) => push_text(&mut open, &piece.xml10_content()),
            Event::CData(piece) => push_text(&mut open, &piece.xml10_content()),
            Event::GeneralRef(reference) => {
                // Character references and the five predefined entities need no definition, and the file cannot
                // define others.
                let character = match reference.resolve_char_ref() {
                    Ok(Some(character)) => Some(character),
                    Ok(None) => predefined(&reference),
                    Err(_) => None,
                };
                let Some(character) = character else {
                    return refuse("The XML refers to an entity that it may not define");
                };
                push_text(&mut open, character.encode_utf8(&mut [0; 4]));
            }
            // A document type can define entities that expand without limit or name files. See
            // docs/decisions/0043-no-doctype.md.
            Event::DocType(_) => {
                return refuse("The XML has a document type, which is not read. Please remove the line");
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof => break,
        }
        if n_elements > MAX_ELEMENTS {
            return refuse("A record of the XML has more than 2,000 elements");
        }
        // After every event, because the parser returns text in pieces: their sum counts.
        if open.last().is_some_and(|element| element.text.len() > MAX_TEXT) {
            return refuse("An element of the XML has more than 8,000 bytes of text");
        }
        if let (Some(record), Some(root)) = (finished, &root) {
            n_records += usize::from(is_record(&record));
            if n_records > max_records {
                return Err(invalid(format!(
                    "The file has more than {max_records} records; please import it in pieces."
                ))
                .into());
            }
            each(root, &record)?;
        }
    }
    if depth > 0 {
        return Err(invalid("The XML ends in the middle of an element.").into());
    }
    Ok(root.ok_or_else(|| match text.trim() {
        "" => invalid("The file is empty."),
        _ => invalid("The file is not XML: it has no element."),
    })?)
}

fn is_record(element: &Element) -> bool {
    matches!(element.name.as_str(), "App" | "Item")
}

fn is_header(element: &Element) -> bool {
    element.name == "Header"
}

fn element(start: &BytesStart<'_>) -> Result<Element, InvalidInput> {
    let broken = |error: &dyn std::fmt::Display| invalid(format!("The XML has a broken attribute: {error}."));
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        if attributes.len() == MAX_ATTRIBUTES {
            return Err(invalid("An element of the XML has more than 50 attributes."));
        }
        let attribute = attribute.map_err(|error| broken(&error))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| broken(&error))?;
        if value.len() > MAX_TEXT {
            return Err(invalid("An attribute of the XML has more than 8,000 bytes."));
        }
        attributes.push((attribute.key.local_name().into_inner().to_owned(), value.into_owned()));
    }
    let name = start.local_name().into_inner().to_owned();
    Ok(Element { name, attributes, ..Element::default() })
}

fn push_text(open: &mut [Element], piece: &str) {
    if let Some(element) = open.last_mut() {
        element.text.push_str(piece);
    }
}

/// The predefined entities (XML 1.0, section 4.6).
fn predefined(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => return None,
    })
}

fn invalid(message: impl Into<String>) -> InvalidInput {
    InvalidInput::new("body", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn refused(bytes: &[u8]) -> String {
        match read_records(bytes, 3, |_, _| Ok(())) {
            Err(Error::Invalid(error)) => error.message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn records_are_read_with_attributes_and_texts() {
        let text = "\u{feff}<?xml version=\"1.0\"?><!-- x --><p:PIES xmlns:p=\"x\"><Items>\n\
             <Item a=' 1 &amp; 2 '><Name>A &lt;b&gt; &#xe9;<![CDATA[ & c]]></Name><Empty/></Item></Items></p:PIES>";
        let mut n_records = 0;
        let root = read_records(text.as_bytes(), 3, |_, item| {
            n_records += 1;
            assert_eq!((item.attribute("a"), item.child_text("Name")), (Some("1 & 2"), Some("A <b> é & c")));
            assert!(item.child("Empty").is_some() && item.child_text("Empty").is_none());
            Ok(())
        });
        assert_eq!((root.unwrap().as_str(), n_records), ("PIES", 1));
    }

    #[test]
    fn hostile_and_broken_files_are_refused() {
        let deep = format!("<ACES>{}", "<a>".repeat(40));
        let many = (0..51).map(|n| format!("a{n}=''")).collect::<Vec<_>>().join(" ");
        let many = format!("<ACES><App {many}/></ACES>");
        let wide = format!("<ACES><App>{}</App></ACES>", "<a/>".repeat(2001));
        let long = format!("<ACES><App><a>{}</a></App></ACES>", "x".repeat(8001));
        let bomb = "<!DOCTYPE a [<!ENTITY b \"bb\"><!ENTITY c \"&b;&b;\">]><ACES><App>&c;</App></ACES>";
        for (text, sentence) in [
            ("", "empty"),
            (" \n", "empty"),
            ("part,number", "not XML"),
            ("<ACES><App></ACES>", "broken in line 1"),
            ("<ACES>\n<App>", "middle of an element"),
            (bomb, "document type"),
            ("<ACES><App>&c;</App></ACES>", "entity"),
            ("<ACES><App a='&c;'/></ACES>", "attribute"),
            (deep.as_str(), "32 elements"),
            (many.as_str(), "50 attributes"),
            (wide.as_str(), "2,000 elements"),
            (long.as_str(), "8,000 bytes"),
            ("<ACES><App/><App/><App/><App/></ACES>", "more than 3 records"),
        ] {
            let refusal = refused(text.as_bytes());
            assert!(refusal.contains(sentence), "{text:.60}: {refusal}");
        }
        assert!(refused(b"<a>\xff</a>").contains("UTF-8"));
    }
}
