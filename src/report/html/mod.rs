//! One page about one run or many: a single file that asks nothing of a network.

mod against;
mod cases;
mod column;
mod failures;
mod fixtures;
mod ledger;
mod mark;
mod matrix;
mod overview;
mod page;
mod picture;
mod result;
mod source;
#[cfg(test)]
mod tests;

pub use page::HtmlPage;
