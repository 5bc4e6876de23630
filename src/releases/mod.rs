//! Releases of suites: which cases there were, and whether they still are what they
//! were. An implementation is held to a release; what came later is advisory.

mod basis;
mod cut;
mod digest;
mod fault;
mod file;
mod history;
mod load;
mod made_of;
mod write;

pub use basis::{Asked, Basis, BasisError, DRAFT, basis};
pub use cut::{Cut, CutError, cut};
pub use digest::{Digest, Frozen};
pub use fault::ReleaseFault;
pub use file::{DraftNotes, Notes, SuiteRelease};
pub use history::{Change, Changed, Current, changes, told};
pub use load::{DRAFT_FILE, FOLDER, Releases, load_releases};
pub use made_of::Data;
pub use write::render_release;
