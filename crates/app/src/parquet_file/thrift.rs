//! Thrift's compact protocol, as far as Parquet needs it.

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure, whose fields come in ascending order.
#[derive(Debug, Default)]
pub(super) struct Struct {
    bytes: Vec<u8>,
    last: u8,
}

impl Struct {
    pub(super) fn i32(&mut self, field: u8, value: i32) -> &mut Self {
        self.field(field, I32);
        zigzag(&mut self.bytes, i64::from(value));
        self
    }

    pub(super) fn i64(&mut self, field: u8, value: i64) -> &mut Self {
        self.field(field, I64);
        zigzag(&mut self.bytes, value);
        self
    }

    pub(super) fn text(&mut self, field: u8, value: &str) -> &mut Self {
        self.field(field, BINARY);
        text(&mut self.bytes, value);
        self
    }

    /// A field that is itself a completed structure.
    pub(super) fn nested(&mut self, field: u8, value: &[u8]) -> &mut Self {
        self.field(field, STRUCT);
        self.bytes.extend(value);
        self
    }

    pub(super) fn structs(&mut self, field: u8, values: &[Vec<u8>]) -> &mut Self {
        self.list(field, STRUCT, values.len());
        self.bytes.extend(values.iter().flatten());
        self
    }

    pub(super) fn i32s(&mut self, field: u8, values: &[i32]) -> &mut Self {
        self.list(field, I32, values.len());
        for &value in values {
            zigzag(&mut self.bytes, i64::from(value));
        }
        self
    }

    pub(super) fn texts(&mut self, field: u8, values: &[&str]) -> &mut Self {
        self.list(field, BINARY, values.len());
        for value in values {
            text(&mut self.bytes, value);
        }
        self
    }

    /// The bytes of the whole structure.
    pub(super) fn end(mut self) -> Vec<u8> {
        // A zero ends the structure.
        self.bytes.push(0);
        self.bytes
    }

    /// A field header: the difference of its number from the previous one, and its type, four bits each.
    fn field(&mut self, field: u8, kind: u8) {
        // Only differences up to 15, which is enough for Parquet's fields; the protocol has another form for larger
        // ones.
        self.bytes.push(((field - self.last) << 4) | kind);
        self.last = field;
    }

    fn list(&mut self, field: u8, kind: u8, n: usize) {
        self.field(field, LIST);
        // A length up to 14 is in the same byte as the type; 15 means that it follows.
        if n < 15 {
            self.bytes.push(((n as u8) << 4) | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(&mut self.bytes, n as u64);
        }
    }
}

/// Seven bits per byte, the lowest first; all bytes except the last have their highest bit set.
pub(super) fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn zigzag(bytes: &mut Vec<u8>, value: i64) {
    // The sign is the lowest bit (zigzag encoding), so that small negative numbers are short as well.
    varint(bytes, ((value << 1) ^ (value >> 63)) as u64);
}

fn text(bytes: &mut Vec<u8>, value: &str) {
    varint(bytes, value.len() as u64);
    bytes.extend(value.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_protocol_says() {
        let mut inner = Struct::default();
        inner.text(3, "ab");
        let mut outer = Struct::default();
        outer.i32(1, -1).i64(4, 300).nested(5, &inner.end()).i32s(6, &[0, 1]).texts(7, &["x"; 15]);
        let expected = [
            &[0x15, 0x01, 0x36, 0xd8, 0x04, 0x1c, 0x38, 0x02, b'a', b'b', 0x00, 0x19, 0x25, 0x00, 0x02][..],
            &[0x19, 0xf8, 0x0f],
            &[1, b'x'].repeat(15),
            &[0],
        ];
        assert_eq!(outer.end(), expected.concat());
    }
}
