//! Which payloads pass a filter, and which fields it asks for.

use std::collections::HashMap;

use ::qdrant_client::qdrant::condition::ConditionOneOf;
use ::qdrant_client::qdrant::r#match::MatchValue;
use ::qdrant_client::qdrant::value::Kind;
use ::qdrant_client::qdrant::{Condition, FieldCondition, Filter, Value};

pub(super) fn fields(filter: &Filter) -> Vec<String> {
    let conditions = filter.must.iter().chain(&filter.should).chain(&filter.must_not);
    conditions
        .flat_map(|condition| match &condition.condition_one_of {
            Some(ConditionOneOf::Field(field)) => vec![field.key.clone()],
            Some(ConditionOneOf::Filter(filter)) => fields(filter),
            Some(ConditionOneOf::Nested(nested)) => {
                let inner = nested.filter.iter().flat_map(fields);
                inner.map(|field| format!("{}[].{field}", nested.key)).collect()
            }
            _ => Vec::new(),
        })
        .collect()
}

pub(super) fn passes(filter: &Filter, payload: &HashMap<String, Value>) -> bool {
    let holds = |condition: &Condition| match &condition.condition_one_of {
        Some(ConditionOneOf::Field(field)) => matches(field, payload),
        Some(ConditionOneOf::Filter(filter)) => passes(filter, payload),
        Some(ConditionOneOf::Nested(nested)) => {
            let filter = nested.filter.as_ref().unwrap();
            objects(payload.get(&nested.key)).any(|object| passes(filter, object))
        }
        other => unimplemented!("the condition {other:?}"),
    };
    filter.must.iter().all(holds)
        && (filter.should.is_empty() || filter.should.iter().any(holds))
        && !filter.must_not.iter().any(holds)
}

/// The objects of a list.
fn objects(value: Option<&Value>) -> impl Iterator<Item = &HashMap<String, Value>> {
    let list = match value.and_then(|value| value.kind.as_ref()) {
        Some(Kind::ListValue(list)) => list.values.as_slice(),
        _ => &[],
    };
    list.iter().filter_map(|value| match &value.kind {
        Some(Kind::StructValue(object)) => Some(&object.fields),
        _ => None,
    })
}

fn matches(field: &FieldCondition, payload: &HashMap<String, Value>) -> bool {
    let kind = payload.get(&field.key).and_then(|value| value.kind.as_ref());
    let fits_match = field.r#match.as_ref().is_none_or(|wanted| match (&wanted.match_value, kind) {
        (Some(MatchValue::Keyword(wanted)), Some(Kind::StringValue(found))) => wanted == found,
        (Some(MatchValue::Keywords(wanted)), Some(Kind::StringValue(found))) => {
            wanted.strings.contains(found)
        }
        // A list matches if one of its values does.
        (Some(MatchValue::Keyword(wanted)), Some(Kind::ListValue(found))) => {
            found.values.iter().any(|value| value.as_str() == Some(wanted))
        }
        (Some(MatchValue::Integer(wanted)), Some(Kind::IntegerValue(found))) => wanted == found,
        (Some(MatchValue::Boolean(wanted)), Some(Kind::BoolValue(found))) => wanted == found,
        _ => false,
    });
    let fits_range = field.range.as_ref().is_none_or(|range| match kind {
        Some(&Kind::IntegerValue(found)) => {
            // The protocol's ranges are of floating-point numbers.
            let found = found as f64;
            range.lt.is_none_or(|limit| found < limit)
                && range.lte.is_none_or(|limit| found <= limit)
                && range.gt.is_none_or(|limit| found > limit)
                && range.gte.is_none_or(|limit| found >= limit)
        }
        _ => false,
    });
    fits_match && fits_range
}
