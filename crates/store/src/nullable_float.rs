use sqlx::any::AnyTypeInfo;
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Any, Database, Encode, Type};

/// Binds a number that may be missing; a bare `Option<f64>` must not be bound.
///
/// The `Any` driver of sqlx 0.9.0 declares a missing `f64` to PostgreSQL as a 32-bit float, and a missing `f32` as a
/// 64-bit one. A connection caches the statement with the types of its first call, so the next number that is not
/// missing is refused. Here both are declared with 64 bits. Once the driver declares them correctly, the tests in
/// `tests/it/nullable.rs` fail, and this type can be removed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NullableFloat(pub(crate) Option<f64>);

impl Type<Any> for NullableFloat {
    fn type_info() -> AnyTypeInfo {
        <f64 as Type<Any>>::type_info()
    }
}

impl Encode<'_, Any> for NullableFloat {
    fn encode_by_ref(&self, buffer: &mut <Any as Database>::ArgumentBuffer) -> Result<IsNull, BoxDynError> {
        match self.0 {
            Some(number) => <f64 as Encode<'_, Any>>::encode(number, buffer),
            // The driver declares a missing f32 with 64 bits.
            None => <Option<f32> as Encode<'_, Any>>::encode(None, buffer),
        }
    }
}
