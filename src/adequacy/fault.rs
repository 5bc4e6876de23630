//! A fault that somebody makes in a validator or matcher: a mutant, as data.

use super::{Answer, Ask};
use crate::certify;
use crate::reference::Predicates;

/// A named fault of code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    /// The name, a slug.
    pub(super) name: &'static str,
    /// What the implementation does wrong.
    pub(super) wrong: &'static str,
    /// The rules that it attacks.
    pub(super) attacks: &'static [&'static str],
    /// Why no document can tell it from the reference, if none can.
    pub(super) equivalent: Option<&'static str>,
    /// How it is made.
    pub(super) how: How,
}

/// How a fault is made from the reference.
#[derive(Debug, Clone, Copy)]
pub(super) enum How {
    /// One of its tests is another one.
    Test(fn(&mut Predicates)),
    /// What is asked, or what is answered, is changed on the way.
    Program(fn(&Ask<'_>) -> Answer),
    /// One of the tests of receipts and policies is another one.
    ReceiptTest(fn(&mut certify::Predicates)),
    /// What is asked of receipts, or what is answered, is changed on the way.
    ReceiptProgram(fn(&Ask<'_>) -> Answer),
}

impl Fault {
    /// A fault in a test of a value.
    pub(super) const fn test(
        name: &'static str,
        wrong: &'static str,
        attacks: &'static [&'static str],
        change: fn(&mut Predicates),
    ) -> Self {
        Self { name, wrong, attacks, equivalent: None, how: How::Test(change) }
    }

    /// A fault anywhere else.
    pub(super) const fn program(
        name: &'static str,
        wrong: &'static str,
        attacks: &'static [&'static str],
        answer: fn(&Ask<'_>) -> Answer,
    ) -> Self {
        Self { name, wrong, attacks, equivalent: None, how: How::Program(answer) }
    }

    /// A fault in a test of what stands in a receipt or a policy.
    pub(super) const fn receipt_test(
        name: &'static str,
        wrong: &'static str,
        attacks: &'static [&'static str],
        change: fn(&mut certify::Predicates),
    ) -> Self {
        Self { name, wrong, attacks, equivalent: None, how: How::ReceiptTest(change) }
    }

    /// A fault anywhere else in a program that checks receipts.
    pub(super) const fn receipt_program(
        name: &'static str,
        wrong: &'static str,
        attacks: &'static [&'static str],
        answer: fn(&Ask<'_>) -> Answer,
    ) -> Self {
        Self { name, wrong, attacks, equivalent: None, how: How::ReceiptProgram(answer) }
    }

    /// The same fault as one that no document shows.
    pub(super) const fn equivalent(self, reason: &'static str) -> Self {
        Self { equivalent: Some(reason), ..self }
    }
}
