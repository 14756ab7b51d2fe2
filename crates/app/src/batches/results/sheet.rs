//! The results as a spreadsheet (XLSX), with a thumbnail in each row.
//!
//! Our own writer, because a crate for the whole format would add other compressors to the program, while we need only
//! text, numbers and pictures in one sheet.
//!
//! Source: ECMA-376, Office Open XML, parts 1 (`SpreadsheetML`, `DrawingML`) and 2 (packages).

mod package;

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use image::{ImageFormat, ImageReader};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::table::COLUMNS;
use crate::parquet_file::{Cell, ColumnKind};
use crate::{Error, Result};
use package::{CONTENT_TYPES, PARTS, RELATIONSHIP_TYPES};

/// Maximum of pictures; further rows have none. A sheet with more is slow to open, and the pictures, 15 KB each, are
/// in memory until the file is complete.
const MAX_PICTURES: usize = 5_000;
/// Width and height of the box that a picture is fitted into, in pixels; and EMU (the units of drawings) per pixel.
const PICTURE_BOX: (f64, f64) = (96.0, 72.0);
const EMU_PER_PIXEL: f64 = 9_525.0;
/// Height of a row with a picture, in points; a pixel is 0.75 points.
const ROW_HEIGHT: f64 = 56.0;
/// Widths of text, number and picture columns, in characters.
const WIDTHS: (u32, u32, u32) = (22, 11, 14);
/// Maximum of characters in a cell.
const MAX_CELL_CHARS: usize = 32_767;
/// Indices of the cell formats that `package` lists.
const HEADER: usize = 1;
const TEXT: usize = 2;
const PERCENT: usize = 3;

/// A spreadsheet being written.
pub(super) struct Sheet {
    package: ZipWriter<Cursor<Vec<u8>>>,
    /// The XML so far of the rows, the drawing, and the relationships from pictures to files.
    rows: String,
    drawing: String,
    pictures: String,
    /// Rows so far, including the header.
    n_rows: usize,
    n_pictures: usize,
}

impl Sheet {
    pub(super) fn new() -> Self {
        let mut sheet = Self {
            package: ZipWriter::new(Cursor::new(Vec::new())),
            rows: String::new(),
            drawing: String::new(),
            pictures: String::new(),
            n_rows: 0,
            n_pictures: 0,
        };
        let names = ["photo"].into_iter().chain(COLUMNS.map(|(name, _)| name));
        sheet.push_row(names.map(|name| Cell::Text(name.to_owned())), HEADER, false);
        sheet
    }

    pub(super) fn takes_pictures(&self) -> bool {
        self.n_pictures < MAX_PICTURES
    }

    /// Adds a row with its picture, a JPEG. Texts are written as strings, so that none is evaluated as a formula.
    pub(super) fn add(&mut self, cells: Vec<Cell>, picture: Option<&[u8]>) -> Result<()> {
        // A row with an unreadable picture is written without it.
        let picture = picture.and_then(|jpeg| Some((jpeg, size_of(jpeg)?)));
        if let Some((jpeg, size)) = picture {
            self.add_picture(jpeg, size)?;
        }
        self.push_row([Cell::Empty].into_iter().chain(cells), TEXT, picture.is_some());
        Ok(())
    }

    fn push_row(&mut self, cells: impl Iterator<Item = Cell>, text_format: usize, has_picture: bool) {
        self.n_rows += 1;
        let row = self.n_rows;
        let height =
            if has_picture { format!(" ht=\"{ROW_HEIGHT}\" customHeight=\"1\"") } else { String::new() };
        let _ = write!(self.rows, "<row r=\"{row}\"{height}>");
        // There are fewer than 26 columns, so one letter is enough.
        for (cell, column) in cells.zip('A'..='Z') {
            let _ = match cell {
                Cell::Empty => Ok(()),
                Cell::Text(text) => write!(
                    // Inline strings, because the usual table of shared strings would take more memory beside
                    // the rows.
                    self.rows,
                    "<c r=\"{column}{row}\" s=\"{text_format}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{}</t></is></c>",
                    escaped(&text)
                ),
                Cell::Number(number) => {
                    write!(self.rows, "<c r=\"{column}{row}\" s=\"{PERCENT}\"><v>{number}</v></c>")
                }
            };
        }
        self.rows.push_str("</row>");
    }

    /// Adds a picture of these pixels to the next row.
    fn add_picture(&mut self, jpeg: &[u8], (width, height): (f64, f64)) -> Result<()> {
        self.n_pictures += 1;
        let number = self.n_pictures;
        // JPEG is compressed already.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.package.start_file(format!("xl/media/image{number}.jpeg"), options).map_err(Error::internal)?;
        self.package.write_all(jpeg).map_err(Error::internal)?;
        // As large as fits into the box with its aspect ratio.
        let scale = (PICTURE_BOX.0 / width).min(PICTURE_BOX.1 / height) * EMU_PER_PIXEL;
        let (cx, cy) = ((width * scale) as u64, (height * scale) as u64);
        let _ = write!(
            self.pictures,
            "<Relationship Id=\"rId{number}\" Type=\"{RELATIONSHIP_TYPES}/image\" Target=\"../media/image{number}.jpeg\"/>"
        );
        let _ = write!(
            self.drawing,
            "<xdr:oneCellAnchor><xdr:from><xdr:col>0</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{row}</xdr:row>\
             <xdr:rowOff>0</xdr:rowOff></xdr:from><xdr:ext cx=\"{cx}\" cy=\"{cy}\"/><xdr:pic><xdr:nvPicPr>\
             <xdr:cNvPr id=\"{id}\" name=\"Photo {number}\"/><xdr:cNvPicPr/></xdr:nvPicPr><xdr:blipFill>\
             <a:blip r:embed=\"rId{number}\"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm>\
             <a:off x=\"0\" y=\"0\"/><a:ext cx=\"{cx}\" cy=\"{cy}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/>\
             </a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor>",
            // Drawings count rows from 0.
            row = self.n_rows,
            id = number + 1,
        );
        Ok(())
    }

    /// The whole file.
    pub(super) fn finish(mut self) -> Result<Vec<u8>> {
        let sheet = self.worksheet();
        let drawing = package::drawing(&self.drawing);
        let pictures = package::relationships(&self.pictures);
        let varying = [
            ("xl/worksheets/sheet1.xml", sheet),
            ("xl/drawings/drawing1.xml", drawing),
            ("xl/drawings/_rels/drawing1.xml.rels", pictures),
            ("[Content_Types].xml", CONTENT_TYPES.to_owned()),
        ];
        let parts = PARTS.into_iter().map(|(name, xml)| (name, xml.to_owned())).chain(varying);
        for (name, xml) in parts {
            self.package.start_file(name, SimpleFileOptions::default()).map_err(Error::internal)?;
            self.package.write_all(xml.as_bytes()).map_err(Error::internal)?;
        }
        Ok(self.package.finish().map_err(Error::internal)?.into_inner())
    }

    fn worksheet(&self) -> String {
        let (texts, numbers, pictures) = WIDTHS;
        let widths = [pictures].into_iter().chain(COLUMNS.map(|(_, kind)| match kind {
            ColumnKind::Text => texts,
            ColumnKind::Number => numbers,
        }));
        let mut columns = String::new();
        for (width, number) in widths.zip(1..) {
            let _ = write!(
                columns,
                "<col min=\"{number}\" max=\"{number}\" width=\"{width}\" customWidth=\"1\"/>"
            );
        }
        let last = ('A'..='Z').nth(COLUMNS.len()).unwrap_or('Z');
        package::worksheet(&columns, &self.rows, &format!("A1:{last}{}", self.n_rows))
    }
}

/// Width and height of a JPEG in pixels.
fn size_of(jpeg: &[u8]) -> Option<(f64, f64)> {
    let (width, height) =
        ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg).into_dimensions().ok()?;
    (width > 0 && height > 0).then(|| (f64::from(width), f64::from(height)))
}

/// Escapes a text for XML, without characters that XML does not allow, truncated to the maximum of a cell. What a reader
/// would take for the escape of another character (`ST_Xstring`) gets its underscore escaped.
fn escaped(text: &str) -> String {
    let is_allowed = |c: &char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let is_character = |c: &char| !matches!(c, '\u{fffe}' | '\u{ffff}');
    let text: String = text.chars().filter(is_allowed).filter(is_character).take(MAX_CELL_CHARS).collect();
    let mut xml = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '_' if is_escape(&text.as_bytes()[at..]) => xml.push_str("_x005F_"),
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            c => xml.push(c),
        }
    }
    xml
}

/// Whether `text` begins with the escape of a character, such as `_x0041_`.
fn is_escape(text: &[u8]) -> bool {
    let parts = text.strip_prefix(b"_x").and_then(|rest| rest.split_at_checked(4));
    parts.is_some_and(|(digits, rest)| digits.iter().all(u8::is_ascii_hexdigit) && rest.starts_with(b"_"))
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn part(file: &[u8], name: &str) -> String {
        let mut archive = zip::ZipArchive::new(Cursor::new(file)).unwrap();
        let mut xml = String::new();
        archive.by_name(name).unwrap().read_to_string(&mut xml).unwrap();
        xml
    }

    #[test]
    fn texts_stay_texts_and_pictures_stand_in_their_rows() {
        let mut jpeg = Vec::new();
        let grey = image::GrayImage::new(256, 128);
        image::DynamicImage::from(grey).write_to(&mut Cursor::new(&mut jpeg), ImageFormat::Jpeg).unwrap();
        let mut sheet = Sheet::new();
        sheet.add(vec![Cell::Text("=1+1 <&\u{1}>".to_owned()), Cell::Number(0.5)], Some(&jpeg)).unwrap();
        sheet.add(vec![Cell::Empty], Some(b"no picture")).unwrap();
        let file = sheet.finish().unwrap();
        let rows = part(&file, "xl/worksheets/sheet1.xml");
        assert!(
            rows.contains(
                "<c r=\"B2\" s=\"2\" t=\"inlineStr\"><is><t xml:space=\"preserve\">=1+1 &lt;&amp;&gt;<"
            ),
            "{rows}"
        );
        assert!(
            rows.contains("<c r=\"C2\" s=\"3\"><v>0.5</v>") && rows.contains("<row r=\"3\"></row>"),
            "{rows}"
        );
        let drawing = part(&file, "xl/drawings/drawing1.xml");
        assert_eq!(drawing.matches("<xdr:pic>").count(), 1);
        assert!(
            drawing.contains("<xdr:row>1</xdr:row>") && drawing.contains("cx=\"914400\" cy=\"457200\""),
            "{drawing}"
        );
        assert!(part(&file, "xl/drawings/_rels/drawing1.xml.rels").contains("../media/image1.jpeg"));
        for (text, written) in [
            ("img_x1080_1.jpg", "img_x005F_x1080_1.jpg"),
            ("_xAbcd_x0041_", "_x005F_xAbcd_x005F_x0041_"),
            ("_x108_", "_x108_"),
            ("_x10800_", "_x10800_"),
            ("_X1080_", "_X1080_"),
            ("_x\u{e4}bcd_", "_x\u{e4}bcd_"),
            ("_x1080", "_x1080"),
        ] {
            assert_eq!(escaped(text), written);
        }
        // Every other part is XML as well.
        for (name, _) in PARTS {
            let xml = part(&file, name);
            let mut reader = quick_xml::Reader::from_str(&xml);
            while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
        }
    }
}
