//! Faults that programmers make in validators and matchers, by where they make them.

mod fields;
mod habits;
mod later;
mod loader;
mod match_version;
mod matching;
mod modes;
mod output;
mod project_id;
mod publication;
mod receipts;
mod runtime;
mod spelling;
mod types;
mod values;
mod version;

use super::fault::Fault;

/// All of them.
pub(super) fn all() -> impl Iterator<Item = &'static Fault> {
    [
        modes::FAULTS,
        output::FAULTS,
        loader::FAULTS,
        types::FAULTS,
        fields::FAULTS,
        version::FAULTS,
        project_id::FAULTS,
        values::FAULTS,
        publication::FAULTS,
        later::FAULTS,
        match_version::FAULTS,
        matching::FAULTS,
        runtime::FAULTS,
        spelling::FAULTS,
        habits::FAULTS,
        receipts::FAULTS,
    ]
    .into_iter()
    .flatten()
}
