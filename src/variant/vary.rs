//! Makes a variant of a fixture.

use std::collections::BTreeSet;

use super::proof::{is_json, prove};
use super::{Loss, Unmade, emit, splice};
use crate::core::{Document, Fixture, Suite, Variant};
use crate::yaml::{self, NoteKind};

/// A fixture whose documents all parse.
#[derive(Debug)]
pub struct Original<'a> {
    fixture: &'a Fixture,
    suite: &'a Suite,
    parsed: Vec<yaml::Document>,
}

impl<'a> Original<'a> {
    /// Reads the documents; `None` when one does not parse. What is to be JSON has to
    /// be JSON.
    #[must_use]
    pub fn read(fixture: &'a Fixture, suite: &'a Suite) -> Option<Self> {
        let parsed = fixture.documents.iter().map(|document| {
            let readable = !is_json_file(document) || is_json(&document.bytes);
            yaml::Document::parse(&document.bytes).ok().filter(|_| readable)
        });
        Some(Self { fixture, suite, parsed: parsed.collect::<Option<_>>()? })
    }

    /// The documents of a variant. Those that it writes otherwise are proved to mean
    /// the same.
    ///
    /// # Errors
    /// When there is no such variant of the fixture.
    pub fn vary(&self, variant: Variant) -> Result<Vec<Document>, Unmade> {
        self.write(variant, &|original, document, written| {
            if is_json_file(document) && !is_json(written.as_bytes()) {
                return Err(Loss::NotJson);
            }
            prove(original, written)
        })
    }

    /// The names of the documents that differ from the fixture's own.
    #[must_use]
    pub fn changed(&self, documents: &[Document]) -> BTreeSet<String> {
        let pairs = self.fixture.documents.iter().zip(documents);
        let changed = pairs.filter(|(own, other)| own.bytes != other.bytes);
        changed.map(|(own, _)| own.name.clone()).collect()
    }

    fn write(
        &self,
        variant: Variant,
        check: &dyn Fn(&yaml::Document, &Document, &str) -> Result<(), Loss>,
    ) -> Result<Vec<Document>, Unmade> {
        let kind = |document: &Document| self.suite.documents.get(&document.name);
        let varies = |document: &Document| {
            kind(document).is_some_and(|kind| kind.varies(variant, &document.path))
        };
        if self.fixture.except_variants.contains_key(variant.as_str())
            || !self.fixture.documents.iter().any(varies)
        {
            return Err(Unmade::Excepted);
        }
        let mut changed = false;
        let mut documents = Vec::with_capacity(self.parsed.len());
        for (document, parsed) in self.fixture.documents.iter().zip(&self.parsed) {
            let mut document = document.clone();
            if varies(&document)
                && let Some(text) = written(parsed, variant).map_err(Unmade::Lost)?
            {
                check(parsed, &document, &text).map_err(Unmade::Lost)?;
                document.bytes = text.into_bytes().into();
                changed = true;
            }
            documents.push(document);
        }
        if changed { Ok(documents) } else { Err(Unmade::Same) }
    }
}

/// The fixture with the documents of a variant that is known to exist; the proof is not
/// made again.
///
/// # Errors
/// When there is no such variant of the fixture.
pub fn vary(fixture: &Fixture, suite: &Suite, variant: Variant) -> Result<Fixture, Unmade> {
    let original = Original::read(fixture, suite).ok_or(Unmade::Unparsed)?;
    let documents = original.write(variant, &|_, _, _| Ok(()))?;
    Ok(Fixture { documents, ..fixture.clone() })
}

fn is_json_file(document: &Document) -> bool {
    document.path.ends_with(".json")
}

/// A document as a variant has it; `None` when that is how it stands.
fn written(document: &yaml::Document, variant: Variant) -> Result<Option<String>, Loss> {
    if document.notes().iter().any(|note| note.kind == NoteKind::Utf16) {
        return Err(Loss::Utf16);
    }
    let text = document.text();
    Ok(match variant {
        Variant::Reversed => emit::reversed(document)?,
        Variant::Json => emit::json(document)?,
        Variant::Crlf => splice::crlf(text),
        Variant::Commented => Some(splice::commented(document)),
        Variant::Quoted => splice::quoted(document),
        Variant::Bom => splice::bom(text),
        Variant::Marker => splice::marker(text),
    })
}
