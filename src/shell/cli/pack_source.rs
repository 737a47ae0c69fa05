//! Where a pack that is not built in comes from: a folder, an archive, or a path in a commit of a git repository on this machine.
//!
//! A source can end with the hash of what the pack says: [`hash`] of the files that [`PackContent::knowledge`] lists. The same pack
//! has the same hash wherever it is.
//!
//! Invariant: nothing is fetched, and a pack with another hash than the one that is written is refused.

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use sha2::{Digest, Sha256};

use crate::authoring::pack_folder::{PackContent, is_fixture, is_hidden, is_knowledge};
use crate::knowledge::pack::Pack;
use crate::knowledge::pack::folder::{HEAD, MAX_PACK};
use crate::shell::disk::{self, ArchivedFiles, CommittedPath};

/// The most bytes that an archive has, compressed and unpacked.
const MAX_ARCHIVE: u64 = MAX_PACK as u64;

/// What is between a source and its hash.
const HASH: &str = "#sha256=";

/// How the names of archives end.
const ARCHIVES: [&str; 2] = [".tar.gz", ".tgz"];

/// Where a pack is, and which hash it must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PackSource {
    place: Place,
    sha256: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A folder, or an archive.
    Path(PathBuf),
    /// `REPOSITORY//PATH@REVISION`.
    Commit { repository: PathBuf, path: String, revision: String },
}

impl PackSource {
    /// Reads `PATH` or `REPOSITORY//PATH@REVISION`, which `#sha256=HASH` can follow.
    ///
    /// # Errors
    /// What to write instead.
    pub(super) fn parse(text: OsString) -> Result<Self> {
        let Some(written) = text.to_str() else { return Ok(Self { place: Place::Path(text.into()), sha256: None }) };
        let (written, sha256) = match written.rsplit_once(HASH) {
            Some((place, hash)) => {
                let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
                ensure!(
                    is_hash,
                    "`{HASH}` is followed by the hash of the pack, 64 hexadecimal digits: `reversion releases PACK --pack SOURCE` prints it"
                );
                (place, Some(hash.to_ascii_lowercase()))
            }
            None => (written, None),
        };
        if let Some((_, other)) = written.rsplit_once('#').filter(|(_, other)| other.contains('=')) {
            bail!("`#{other}` is no hash that is known: only `{HASH}HASH` can follow a pack");
        }
        ensure!(!written.is_empty(), "there is no path: write the folder of a pack, or an archive");
        ensure!(!is_address(written), "`{written}` is an address: nothing is fetched; {}", instead_of(written));
        Ok(Self { place: commit(written)?.unwrap_or_else(|| Place::Path(written.into())), sha256 })
    }

    /// Returns the path that this counts from: that of the pack, or of the repository that it is in.
    pub(super) fn path(&self) -> &Path {
        match &self.place {
            Place::Path(path) => path,
            Place::Commit { repository, .. } => repository,
        }
    }

    /// Returns the same source with another path.
    #[must_use]
    pub(super) fn at(mut self, moved: PathBuf) -> Self {
        match &mut self.place {
            Place::Path(path) => *path = moved,
            Place::Commit { repository, .. } => *repository = moved,
        }
        self
    }

    /// Returns whether it is an archive by its name alone.
    pub(super) fn is_named_as_archive(&self) -> bool {
        self.sha256.is_none() && matches!(&self.place, Place::Path(path) if ends_like_archive(path))
    }

    /// Reads the pack.
    ///
    /// # Errors
    /// A failure that names what cannot be read, is not what it should be, or makes no sense.
    pub(super) fn read(&self) -> Result<Pack> {
        self.content(is_knowledge)?.pack(&self.to_string())
    }

    /// Reads the pack even if it makes no sense, with its fixtures; `None` where the text can be nothing but the name of a pack.
    ///
    /// # Errors
    /// A failure that names what cannot be read or is not what it should be.
    pub(super) fn content_if_pack(&self) -> Result<Option<PackContent>> {
        let is_pack = match &self.place {
            Place::Path(path) => ends_like_archive(path) || disk::is_file(&path.join(HEAD)),
            Place::Commit { .. } => true,
        };
        is_pack.then(|| self.content(|path| is_knowledge(path) || is_fixture(path) && !is_hidden(path))).transpose()
    }

    /// Reads the files that `is_wanted`, those among them that the hash is about.
    ///
    /// # Errors
    /// A failure that names what cannot be read; another hash than the one that is written.
    pub(super) fn content(&self, is_wanted: impl Fn(&str) -> bool) -> Result<PackContent> {
        let content = match &self.place {
            Place::Path(path) if is_archive(path) => archived(path, is_wanted)?,
            Place::Path(path) if disk::is_file(path) => {
                bail!("{} is neither the folder of a pack nor its archive (.tar.gz or .tgz)", path.display())
            }
            Place::Path(path) => PackContent::of_folder(path, is_wanted)?,
            Place::Commit { repository, path, revision } => committed(repository, path, revision, is_wanted)?,
        };
        let Some(expected) = &self.sha256 else { return Ok(content) };
        let actual = hash(&content);
        ensure!(
            actual == *expected,
            "the pack {} is not the one that was meant: its sha256 is {actual}, not {expected}",
            self.unpinned()
        );
        Ok(content)
    }

    /// Returns this source with the hash of what it has now.
    ///
    /// # Errors
    /// As [`PackSource::content`].
    pub(super) fn pinned(&self) -> Result<String> {
        Ok(format!("{}{HASH}{}", self.unpinned(), hash(&self.content(is_knowledge)?)))
    }

    /// Returns the source without a hash.
    fn unpinned(&self) -> String {
        match &self.place {
            Place::Path(path) => path.display().to_string(),
            Place::Commit { repository, path, revision } => format!("{}//{path}@{revision}", repository.display()),
        }
    }
}

impl fmt::Display for PackSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.unpinned())?;
        self.sha256.iter().try_for_each(|hash| write!(f, "{HASH}{hash}"))
    }
}

/// Reads `REPOSITORY//PATH@REVISION`; `None` where the text is a path.
fn commit(text: &str) -> Result<Option<Place>> {
    let Some((repository, rest)) = text.split_once("//") else { return Ok(None) };
    // `HEAD@{1}` is a revision.
    let at = rest.rmatch_indices('@').map(|(at, _)| at).find(|at| !rest[at + 1..].starts_with('{'));
    let (Some(at), false) = (at, repository.is_empty()) else { return Ok(None) };
    let (path, revision) = (&rest[..at], &rest[at + 1..]);
    ensure!(
        !revision.is_empty(),
        "`{text}` names no revision: write REPOSITORY//PATH@REVISION, such as .//packs/shops@v1.0.0"
    );
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    ensure!(!parts.contains(&".."), "`{text}` leads out of the repository: write a path in it behind `//`");
    let (repository, path) = (PathBuf::from(repository), parts.join("/"));
    Ok(Some(Place::Commit { repository, path, revision: revision.to_owned() }))
}

/// Returns whether a text is an address: `https://example.com/a`, `git::https://example.com/a`, `git@example.com:a`.
fn is_address(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte))
    };
    let has_scheme =
        ["://", "::"].iter().any(|mark| text.split_once(mark).is_some_and(|(scheme, _)| is_scheme(scheme)));
    let host = text.split_once(':').map(|(host, _)| host).filter(|host| !host.contains('/'));
    has_scheme || host.is_some_and(|host| host.contains('@'))
}

/// Says what to write instead of an address.
fn instead_of(address: &str) -> String {
    let all = "a pack is a folder, an archive (.tar.gz or .tgz) or REPOSITORY//PATH@REVISION on this machine";
    if ARCHIVES.iter().any(|ending| address.ends_with(ending)) {
        return format!("download the archive, and write its path ({all})");
    }
    format!("clone the repository, and write FOLDER//PATH@REVISION ({all})")
}

fn is_archive(path: &Path) -> bool {
    ends_like_archive(path) && !disk::is_file(&path.join(HEAD))
}

fn ends_like_archive(path: &Path) -> bool {
    path.to_str().is_some_and(|path| ARCHIVES.iter().any(|ending| path.ends_with(ending)))
}

/// Reads an archive that has a pack at its top, or in the only folder there.
fn archived(archive: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<PackContent> {
    let shown = archive.display();
    let bytes = disk::read_up_to(archive, MAX_ARCHIVE).map_err(|failure| anyhow!("the pack {shown}: {failure}"))?;
    let mut files = disk::unpacked(&bytes, MAX_ARCHIVE).with_context(|| format!("the pack {shown}"))?;
    files.retain(|path, _| !is_hidden(path));
    let mut name = "pack".to_owned();
    if !files.contains_key(HEAD) {
        let top = files.keys().next().and_then(|path| path.split_once('/')).map(|(top, _)| format!("{top}/"));
        let top = top.filter(|top| files.contains_key(&format!("{top}{HEAD}")));
        let top =
            top.with_context(|| format!("the pack {shown} has no {HEAD}, at its top or in the only folder there"))?;
        let below = |(path, bytes): (String, Vec<u8>)| Some((path.strip_prefix(&top)?.to_owned(), bytes));
        let all = files.len();
        files = files.into_iter().filter_map(below).collect();
        ensure!(files.len() == all, "the archive {shown} has files beside the folder {top}: there must be one pack");
        name = top.trim_end_matches('/').to_owned();
    }
    files.retain(|path, _| is_wanted(path));
    Ok(PackContent { name, files })
}

/// Reads the files of a commit below a path.
fn committed(repository: &Path, path: &str, revision: &str, is_wanted: impl Fn(&str) -> bool) -> Result<PackContent> {
    let below = |file: &str| match path {
        "" => Some(file.to_owned()),
        path => file.strip_prefix(path)?.strip_prefix('/').map(str::to_owned),
    };
    let from = CommittedPath { repository, reference: revision, path: Path::new(path), limit: MAX_ARCHIVE };
    let files = disk::committed(from, |file| below(file).is_some_and(|file| is_wanted(&file)))
        .with_context(|| format!("the pack {}//{path}@{revision}", repository.display()))?;
    let files = files.with_context(|| {
        let repository = repository.display();
        format!("there is no commit, branch or tag {revision} in {repository}, or it is no git repository")
    })?;
    let files: ArchivedFiles = files.into_iter().filter_map(|file| Some((below(&file.path)?, file.bytes))).collect();
    ensure!(files.contains_key(HEAD), "{revision} has no {HEAD} in {}//{path}", repository.display());
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("pack");
    Ok(PackContent { name: name.to_owned(), files })
}

/// Returns the SHA-256 of the list that `sha256sum` prints of the files that count, sorted by path.
pub(super) fn hash(content: &PackContent) -> String {
    let lines = content.knowledge().map(|(path, bytes)| format!("{}  {path}\n", sha256(bytes)));
    sha256(lines.collect::<String>().as_bytes())
}

/// Returns the SHA-256 of `bytes` as hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

/// Makes the archive of a pack: its files in a folder of its name.
///
/// # Errors
/// A path that no archive can have, or more than is read again.
pub(super) fn archive(pack: &Pack, content: &PackContent) -> Result<Vec<u8>> {
    let placed = |(path, bytes): (&String, &Vec<u8>)| (format!("{}/{path}", pack.name()), bytes.clone());
    let files: ArchivedFiles = content.files.iter().map(placed).collect();
    let bytes = disk::archive(&files).context("cannot make the archive")?;
    let read = disk::unpacked(&bytes, MAX_ARCHIVE).context("the archive would not be read again")?;
    ensure!(read == files, "the archive would be read as other files");
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> PackSource {
        PackSource::parse(text.into()).unwrap()
    }

    #[track_caller]
    fn is_commit(text: &str, repository: &str, path: &str, revision: &str) {
        let expected =
            Place::Commit { repository: repository.into(), path: path.to_owned(), revision: revision.to_owned() };
        assert_eq!(parsed(text).place, expected);
    }

    #[test]
    fn a_source_is_a_path_or_a_path_in_a_commit() {
        for path in ["packs/shops", "packs//shops", "shops@v1", "//packs/shops@v1", "shops.tar.gz", "a//b@{1}"] {
            assert_eq!(parsed(path).place, Place::Path(path.into()), "{path}");
        }
        is_commit(".//packs/shops@v1.0.0", ".", "packs/shops", "v1.0.0");
        is_commit("../apis//@main", "../apis", "", "main");
        is_commit("/srv/apis//./packs//shops/@HEAD@{1}", "/srv/apis", "packs/shops", "HEAD@{1}");
        is_commit("apis//@scope/shops@v1", "apis", "@scope/shops", "v1");
    }

    #[test]
    fn a_source_that_cannot_be_is_refused_with_what_to_write() {
        let refused = |text: &str| PackSource::parse(text.into()).unwrap_err().to_string();
        for address in
            ["https://example.com/apis@v1", "git@example.com:apis//shops@v1", "git::https://example.com/apis"]
        {
            assert!(refused(address).contains("nothing is fetched; clone the repository"), "{address}");
        }
        assert!(refused("https://example.com/shops.tar.gz").contains("nothing is fetched; download the archive"));
        assert!(refused(".//packs/shops@").contains("such as .//packs/shops@v1.0.0"));
        assert!(refused(".//../shops@v1").contains("leads out of the repository"));
        assert!(refused("packs/shops#sha256=12ab").contains("64 hexadecimal digits"));
        assert!(refused(".//shops@v1#md5=12ab").contains("`#md5=12ab` is no hash that is known"));
        assert!(refused("#sha256=12ab").contains("64 hexadecimal digits"));
        assert!(refused("").contains("there is no path"));
    }

    #[test]
    fn a_hash_is_part_of_a_source() {
        let hash = "0123456789abcdef".repeat(4);
        let source = parsed(&format!(".//shops@v1#sha256={}", hash.to_uppercase()));
        assert_eq!(source.sha256.as_deref(), Some(&*hash));
        assert_eq!(source.to_string(), format!(".//shops@v1#sha256={hash}"));
        assert_eq!(parsed(&source.to_string()), source);
        assert_eq!(source.at("../apis".into()).to_string(), format!("../apis//shops@v1#sha256={hash}"));
    }

    /// What `printf 'a\n' | sha256sum` and so on print, by hand.
    #[test]
    fn a_hash_is_that_of_the_list_of_files_that_count() {
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let files = [
            file("pack.yaml", "a\n"),
            file("catalog/Shop.x.tsv", "b\n"),
            file("fixtures/v1/rule/case/before.yaml", "c\n"),
            file(".github/ci.yaml", "d\n"),
            file("README.md", "e\n"),
        ];
        let content = PackContent { name: "shops".to_owned(), files: files.into() };
        let list = "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f  catalog/Shop.x.tsv\n\
                    87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  pack.yaml\n";
        assert_eq!(hash(&content), sha256(list.as_bytes()));
    }
}
