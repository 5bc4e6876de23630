//! Variants: a fixture's documents written otherwise, so that they mean the same.
//!
//! Each is made from the text or the tree of a document, and then read again: one whose
//! tree is not that of the original is not made, see [`Unmade`]. A plan knows which ones
//! there are, from [`survey`]; who runs or shows one makes it then, with [`vary`].

mod emit;
mod proof;
mod splice;
mod survey;
mod unmade;
mod vary;

pub use survey::survey;
pub use unmade::{Loss, Unmade};
pub use vary::{Original, vary};
