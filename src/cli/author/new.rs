//! `new`: a fixture with a golden that the reference gives.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::bless::write;
use super::checkout::CheckoutArgs;
use crate::cli::exit::written;
use crate::cli::{Exit, Fatal};
use crate::core::{Category, RuleId, Suite};
use crate::data::{FILE_LIMIT, Tree};
use crate::fixture::{Draft, DraftFile, Drafted, draft, load_all, render_golden};
use crate::releases::load_releases;
use crate::report::escape;
use crate::suites::{self, Suites};

/// The options of `new`.
#[derive(Debug, Clone, Args)]
pub struct NewArgs {
    /// The suite and the path in it, such as manifest/project_id/too-long
    #[arg(value_name = "SUITE/PATH")]
    pub path: String,

    /// A rule that it is to decide; may be given again
    #[arg(long, value_name = "RULE", required = true, value_delimiter = ',')]
    pub decides: Vec<RuleId>,

    /// A document: FILE, NAME=FILE, or a directory with all of them; - for standard
    /// input [default: those of a sound fixture, to be changed]
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub from: Vec<String>,

    /// Why the fixture is there, in one line [default: the name, in words]
    #[arg(long, value_name = "TEXT")]
    pub about: Option<String>,

    /// What kind of test it is
    #[arg(long, value_enum, default_value_t, value_name = "CATEGORY")]
    pub category: NewCategory,

    /// Where suites and fixtures are.
    #[command(flatten)]
    pub checkout: CheckoutArgs,
}

/// What kind of test a fixture is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum NewCategory {
    /// As it occurs in practice
    #[default]
    Example,
    /// One side of a limit
    Boundary,
    /// Holds whatever else does
    Invariant,
}

/// Makes the directory of a fixture and tells what it decides.
///
/// # Errors
/// When there is no checkout, the name is taken, or the documents cannot be used.
pub(super) fn new_command(
    args: &NewArgs,
    standard_input: &mut dyn Read,
    out: &mut dyn Write,
) -> Result<Exit, Fatal> {
    let checkout = args.checkout.open()?;
    let suites = suites::load(&checkout.suites)?;
    // What does not load elsewhere is no reason not to write a new one.
    let loaded = load_all(&checkout.fixtures, &suites);
    let suite = suites.suite(args.path.split('/').next().unwrap_or_default());
    not_released(&checkout.suites, suite, &args.path)?;
    if let Some(about) = args.about.as_deref().filter(|about| !is_line(about)) {
        let text = format!("failed to describe the fixture by {about:?}: a line of text is due");
        return Err(Fatal::error(crate::data::printable(&text))
            .with_remedy("write --about with one line, or leave it out"));
    }
    let wanted = Draft {
        path: args.path.clone(),
        decides: args.decides.clone(),
        about: args.about.clone(),
        category: match args.category {
            NewCategory::Example => Category::Example,
            NewCategory::Boundary => Category::Boundary,
            NewCategory::Invariant => Category::Invariant,
        },
        documents: documents(&args.from, suite, standard_input)?,
    };
    let drafted = draft(&wanted, &suites, &loaded.fixtures)
        .map_err(|error| Fatal::error(format!("failed to {error}")).with_remedy(error.remedy()))?;
    let directory = checkout.fixtures_dir.join(drafted.id.as_str());
    // A link that leads nowhere is there as well.
    if fs::symlink_metadata(&directory).is_ok() {
        return Err(Fatal::error(format!("failed to make {}: it exists", shown(&directory)))
            .with_remedy("choose another name, or remove it"));
    }
    let text = render_golden(&drafted.golden);
    if let Err(error) = write_all(&drafted, &directory, &text) {
        // Half a fixture would keep the name, and nothing else.
        let _ = fs::remove_dir_all(&directory);
        return Err(error);
    }
    written("what is new", tell(&drafted, &directory, &text, &suites, out))?;
    Ok(Exit::Success)
}

/// Whether a golden may have it for a description.
fn is_line(about: &str) -> bool {
    !about.trim().is_empty() && !about.trim_end().contains(['\n', '\r'])
}

fn write_all(drafted: &Drafted, directory: &Path, golden: &str) -> Result<(), Fatal> {
    for document in &drafted.documents {
        let path = directory.join(&document.path);
        make_parent(&path)?;
        fs::write(&path, &document.bytes).map_err(|error| cannot_write(&path, &error))?;
    }
    write(&directory.join("expected.yaml"), golden)
}

/// Refuses a name that a release has: it means another fixture to whoever is held to it.
fn not_released(tree: &Tree, suite: Option<&Suite>, path: &str) -> Result<(), Fatal> {
    let Some((suite, (_, path))) = suite.zip(path.split_once('/')) else { return Ok(()) };
    // What is wrong with the files of releases is for lint to say.
    let releases = load_releases(tree, &suite.suite, &|_, _| true).unwrap_or_default();
    match releases.read.iter().find(|release| release.fixtures.contains_key(path)) {
        None => Ok(()),
        Some(release) => Err(Fatal::error(format!(
            "failed to use the name {}/{path} for a new fixture: {} {} has it",
            suite.suite, suite.suite, release.version
        ))
        .with_remedy("choose another name: names are never used again")),
    }
}

/// Reads what `--from` names.
fn documents(
    from: &[String],
    suite: Option<&Suite>,
    standard_input: &mut dyn Read,
) -> Result<Vec<DraftFile>, Fatal> {
    let mut documents = Vec::new();
    for argument in from {
        let named = argument
            .split_once('=')
            .filter(|(name, _)| suite.is_some_and(|suite| suite.documents.contains_key(*name)));
        let (name, file) = match named {
            Some((name, file)) => (Some(name.to_owned()), file),
            None => (None, argument.as_str()),
        };
        let path = Path::new(file);
        if file == "-" {
            let bytes = bounded(standard_input).map_err(|error| cannot_read(path, &error))?;
            let file = "standard input".to_owned();
            documents.push(DraftFile { document: name, file, bytes });
        } else if path.is_dir() {
            let kinds = suite.into_iter().flat_map(|suite| &suite.documents);
            let present = kinds.filter_map(|(name, kind)| {
                let place = kind.files.iter().find(|place| path.join(place).is_file())?;
                Some((name, place))
            });
            for (name, place) in present {
                let path = path.join(place);
                let bytes = read_file(&path)?;
                let (document, file) = (Some(name.clone()), place.clone());
                documents.push(DraftFile { document, file, bytes });
            }
        } else {
            let bytes = read_file(path)?;
            documents.push(DraftFile { document: name, file: file.to_owned(), bytes });
        }
    }
    Ok(documents)
}

fn read_file(path: &Path) -> Result<Vec<u8>, Fatal> {
    let bytes = fs::File::open(path).and_then(|mut file| bounded(&mut file));
    bytes.map_err(|error| cannot_read(path, &error))
}

/// Reads what need not have an end; a larger document would not be loaded.
fn bounded(input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_LIMIT {
        let text = format!("it is larger than {} MiB", FILE_LIMIT >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}

fn make_parent(path: &Path) -> Result<(), Fatal> {
    let parent = path.parent().map_or_else(PathBuf::new, Path::to_owned);
    fs::create_dir_all(&parent).map_err(|error| cannot_write(&parent, &error))
}

fn cannot_read(path: &Path, error: &io::Error) -> Fatal {
    Fatal::error(format!("failed to read {}: {error}", shown(path)))
        .with_remedy("give a file, or a directory with the documents of a fixture")
}

fn cannot_write(path: &Path, error: &io::Error) -> Fatal {
    Fatal::error(format!("failed to write {}: {error}", shown(path)))
        .with_remedy("see that the checkout can be written")
}

fn shown(path: &Path) -> String {
    escape::line(&path.to_string_lossy()).into_owned()
}

fn tell(
    drafted: &Drafted,
    directory: &Path,
    golden: &str,
    suites: &Suites,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", shown(directory))?;
    for document in &drafted.documents {
        writeln!(out, "  {}", document.path)?;
    }
    writeln!(out, "  expected.yaml")?;
    for line in golden.lines() {
        writeln!(out, "    {}", escape::line(line))?;
    }
    if let Some(template) = &drafted.template {
        writeln!(out, "documents that were not given are those of {template}: change them, then")?;
        writeln!(out, "run `living-conformance bless {}`", drafted.id)?;
    }
    for rule in &drafted.undecided {
        writeln!(out, "these documents are rejected, and {rule} is not the reason")?;
    }
    for rule in &drafted.golden.decides {
        let level = suites.rules.rule(rule).map(|rule| rule.level);
        let found = drafted
            .golden
            .cases
            .iter()
            .filter(|(_, case)| case.findings.iter().any(|finding| finding.rule == *rule))
            .map(|(operation, _)| operation.as_str())
            .collect::<Vec<_>>();
        let level = level.map_or("", |level| level.as_str());
        match found[..] {
            [] => writeln!(out, "{rule} ({level}): no finding of it is expected")?,
            _ => writeln!(out, "{rule} ({level}): found by {}", found.join(" and "))?,
        }
    }
    out.flush()
}
