//! Variants that a command line names.

use std::borrow::Cow;

use super::exit::{Exit, Fatal};
use crate::core::{Fixture, Suite, Variant};
use crate::fixture::fill_places;
use crate::variant::{Original, Unmade, vary};

/// A fixture with the documents of the variant that a case names, or as it is.
///
/// # Errors
/// When there is no such variant of it.
pub(super) fn as_named<'f>(
    fixture: &'f Fixture,
    suite: &Suite,
    variant: Option<&str>,
) -> Result<Cow<'f, Fixture>, Fatal> {
    let Some(name) = variant else { return Ok(Cow::Borrowed(fixture)) };
    let nothing = |message: String| Fatal { exit: Exit::Nothing, message, remedy: None };
    let variant: Variant = name.parse().map_err(|_| {
        let all = Variant::ALL.map(Variant::as_str).join(", ");
        nothing(format!("failed to find the variant {name:?}"))
            .with_remedy(format!("the variants are {all}"))
    })?;
    match (why_not(fixture, suite, variant), vary(fixture, suite, variant)) {
        (None, Ok(mut varied)) => {
            fill_places(&mut varied, suite);
            Ok(Cow::Owned(varied))
        }
        (why, _) => Err(nothing(why.unwrap_or_default())),
    }
}

/// Why a fixture has no such variant; `None` when it has it.
pub(super) fn why_not(fixture: &Fixture, suite: &Suite, variant: Variant) -> Option<String> {
    let made = Original::read(fixture, suite).ok_or(Unmade::Unparsed);
    let why = match made.and_then(|original| original.vary(variant)) {
        Ok(_) => return None,
        Err(Unmade::Excepted) => match fixture.except_variants.get(variant.as_str()) {
            Some(reason) => format!("its golden excepts it: {reason}"),
            None => "its suite excepts it".to_owned(),
        },
        Err(Unmade::Same) => "it would be no different".to_owned(),
        Err(Unmade::Lost(loss)) => loss.to_string(),
        Err(Unmade::Unparsed) => "a document does not parse".to_owned(),
    };
    Some(format!("{} has no variant {variant}: {why}", fixture.id))
}
