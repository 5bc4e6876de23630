//! Runs again what fails, to tell what always does from what sometimes does.

use std::collections::{BTreeMap, BTreeSet};

use super::Job;
use crate::core::{CaseId, CaseRecord, Disposition, Unit};
use crate::driver::{Connection, DriverError};
use crate::report::failure;

impl Job<'_> {
    /// Runs and judges the cases of some fixtures, by the list of expected failures as
    /// well, and those of a fixture that fails against it again.
    pub(super) fn attempt(
        &self,
        units: &[Unit],
        connection: &mut dyn Connection,
    ) -> (Vec<CaseRecord>, Result<(), DriverError>) {
        let (mut cases, mut result) = self.ground.run(units, connection);
        self.settle(&mut cases);
        if self.retries == 0 {
            return (cases, result);
        }
        for unit in units {
            if result.is_err() {
                break;
            }
            let mut own = take_of(&mut cases, unit);
            result = self.again(unit, &mut own, connection);
            cases.append(&mut own);
        }
        (cases, result)
    }

    fn settle(&self, cases: &mut [CaseRecord]) {
        for case in cases {
            let cause = failure(case);
            self.expected.settle(case, &cause);
        }
    }

    /// Runs a fixture again while some case of it fails and has come out the same so
    /// far. All its cases run: what holds between them is judged, too.
    fn again(
        &self,
        unit: &Unit,
        cases: &mut Vec<CaseRecord>,
        connection: &mut dyn Connection,
    ) -> Result<(), DriverError> {
        let mut attempts: BTreeMap<CaseId, Vec<CaseRecord>> = BTreeMap::new();
        let mut result = Ok(());
        for _ in 0..self.retries {
            if result.is_err() || !cases.iter().any(|case| self.is_in_doubt(case, &attempts)) {
                break;
            }
            let (again, ended) = self.ground.run(std::slice::from_ref(unit), connection);
            result = ended;
            for case in again {
                attempts.entry(case.id.clone()).or_default().push(case);
            }
        }
        let first = std::mem::take(cases);
        cases.extend(first.into_iter().map(|case| {
            let again = attempts.remove(&case.id).unwrap_or_default();
            case.tried_again(again)
        }));
        result
    }

    /// Whether a case fails, and nothing shows yet that it does not always.
    fn is_in_doubt(&self, case: &CaseRecord, attempts: &BTreeMap<CaseId, Vec<CaseRecord>>) -> bool {
        let again = attempts.get(&case.id).map(Vec::as_slice).unwrap_or_default();
        case.disposition == Disposition::Judged
            && case.fails(self.header.enforce)
            && !matches!(
                case.clone().tried_again(again.to_vec()).disposition,
                Disposition::Flaky { .. }
            )
    }
}

/// Takes the cases of a fixture out of those of several.
fn take_of(cases: &mut Vec<CaseRecord>, unit: &Unit) -> Vec<CaseRecord> {
    let own: BTreeSet<CaseId> = unit.cases().collect();
    cases.extract_if(.., |case| own.contains(&case.id)).collect()
}
