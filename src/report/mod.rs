//! Tells people and machines what a run found: readers of its stream of events,
//! and pages of the handbook.

mod adequacy;
mod badge;
mod catalog;
mod compare;
mod constant;
mod coverage;
mod diff;
mod document;
pub mod escape;
mod figures;
mod findings;
mod github;
mod groups;
mod html;
mod json;
mod jsonl;
mod junit;
mod lines;
mod link;
mod markdown;
mod mutants_page;
mod outlet;
mod place;
mod prose;
mod replace;
mod reporter;
mod rules_page;
mod sarif;
mod shell;
mod sink;
mod spec;
mod statement;
mod tap;
mod terminal;
#[cfg(test)]
mod testing;
mod tools_page;

pub use adequacy::AdequacyReport;
pub use catalog::{Catalog, Measurement};
pub use compare::{
    ComparisonBasis, ComparisonKind, ComparisonOptions, ComparisonReport, ComparisonSpec,
    comparison_text,
};
pub use coverage::{CoverageBasis, CoverageReport};
pub use diff::diff;
pub use document::{Gather, Report, RuleReport, SCHEMA};
pub use figures::FiguresFormat;
pub use findings::{FindingsStyle, write_findings};
pub use html::HtmlPage;
pub use json::ReadReportError;
pub(crate) use lines::{hanging, paragraph};
pub use mutants_page::mutants_page;
pub use outlet::Outlet;
pub use prose::failure;
pub(crate) use prose::stopped;
pub use replace::replace;
pub use reporter::{Fanout, ReportFailure, Reporter};
pub use rules_page::rules_page;
pub(crate) use sink::Sink;
pub use sink::Target;
pub use spec::{ReportKind, ReportSpec, ReportSpecError};
pub use statement::statement;
pub(crate) use terminal::wrap;
pub use terminal::{Terminal, TerminalOptions, explain};
pub use tools_page::{ClassFindings, Reporting, ToolResults, WrongCase, tools_page};
