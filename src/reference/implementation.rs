//! The reference as an implementation that can be tested.

use super::{Finding, Reference};
use crate::core::ReportedFinding;
use crate::driver::{Implementation, Reply, Request};

impl Implementation for Reference {
    fn decide(&self, request: &Request<'_>) -> Reply {
        let Some(ruling) = Reference::decide(self, request.operation, &request.fixture.documents)
        else {
            return Reply::Unsupported {
                reason: format!("the reference has no operation {:?}", request.operation),
            };
        };
        let findings = ruling.reported().map(Finding::reported).collect();
        if ruling.accepted { Reply::Accept(findings) } else { Reply::Reject(findings) }
    }
}

impl Finding {
    /// The finding as an implementation reports it.
    #[must_use]
    pub fn reported(&self) -> ReportedFinding {
        ReportedFinding {
            rule: self.rule.as_str().to_owned(),
            at: Some(self.at.clone()),
            severity: Some(self.severity),
            message: Some(self.message.clone()),
        }
    }
}
