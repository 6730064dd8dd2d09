//! Runs Git on a project in such a way that neither the project nor who asks decides what is executed: no pager, no
//! external diff, no conversion to text, no monitor, no hook, no environment of the host's.

use std::{
    env,
    ffi::OsString,
    io::{self, Read as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use cap_fs_ext::MetadataExt as _;
use cap_std::{ambient_authority, fs::Dir};

use super::{Comparison, Fault, ProjectPath};
use crate::process::searchable;

/// What Git needs of the host's environment, to find itself and its user's settings.
const PASSED: [&str; 8] =
    ["APPDATA", "HOME", "PROGRAMDATA", "SYSTEMROOT", "TEMP", "USERPROFILE", "XDG_CONFIG_HOME", "USER"];

/// The most bytes that the names of changed files have.
const MAX_NAMES_BYTES: u64 = 1 << 20;
const MAX_REVISION_BYTES: usize = 256;

/// Git in one project, with the time that is left to it.
pub(super) struct Git<'a> {
    folder: &'a Path,
    pub(super) deadline: Instant,
    patience: Duration,
}

/// The digest of what is compared with.
pub(super) struct Revision(String);

impl<'a> Git<'a> {
    /// Takes the folder by its name, provided that it still has it.
    pub(super) fn new(folder: &'a Path, opened: &Dir, patience: Duration) -> Result<Self, Fault> {
        let same = |named: &Dir| -> io::Result<bool> {
            let (named, opened) = (named.dir_metadata()?, opened.dir_metadata()?);
            Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino()))
        };
        let named = Dir::open_ambient_dir(folder, ambient_authority()).map_err(|error| Fault::of(&error))?;
        if !same(&named).map_err(|error| Fault::of(&error))? {
            return Err(Fault::Outside);
        }
        Ok(Self { folder, deadline: Instant::now() + patience, patience })
    }

    /// Finds a commit; without a name it is `HEAD`, and nothing at all before the first commit.
    pub(super) fn revision(&self, name: Option<&str>) -> Result<Revision, Fault> {
        let is_tree = self.run(&["rev-parse", "--is-inside-work-tree"], &[], 16)?;
        if is_tree.as_deref() != Some(b"true\n") {
            return Err(Fault::Git("this is no working tree of Git, or belongs to another user".to_owned()));
        }
        let wanted = name.unwrap_or("HEAD");
        if wanted.len() > MAX_REVISION_BYTES || wanted.starts_with('-') || wanted.contains(char::is_control) {
            return Err(Fault::Git("this is no name of a revision".to_owned()));
        }
        let commit = format!("{wanted}^{{commit}}");
        let words = ["rev-parse", "--verify", "--quiet", "--end-of-options"];
        let mut found = self.run(&words, &[&commit], 256)?;
        if found.is_none() && name.is_none() {
            found = self.run(&["hash-object", "-t", "tree", "--stdin"], &[], 256)?;
        }
        let digest = found.and_then(|found| String::from_utf8(found).ok()).unwrap_or_default();
        let digest = digest.trim_end();
        if digest.is_empty() || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(Fault::Git(format!("there is no revision `{wanted}`")));
        }
        Ok(Revision(digest.to_owned()))
    }

    /// Returns the names of the changed files, from the project on; `None` for one that is not UTF-8.
    pub(super) fn names(
        &self,
        revision: &Revision,
        wanted: &Comparison,
        max: usize,
    ) -> Result<Vec<Option<String>>, Fault> {
        let within = wanted.within.as_ref().map(ToString::to_string);
        let paths: Vec<_> = ["--"].into_iter().chain(within.as_deref()).collect();
        let words = diff(wanted.is_staged, &["--name-only", "-z"], revision);
        let listed = self.run(&words, &paths, MAX_NAMES_BYTES)?.ok_or_else(refused)?;
        let names = listed.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        let names: Vec<_> = names.map(|name| String::from_utf8(name.to_vec()).ok()).collect();
        if names.len() > max {
            return Err(Fault::Git(format!("more than {max} files differ: name a folder of them")));
        }
        Ok(names)
    }

    /// Returns the changes to one file, with all of its lines.
    pub(super) fn change(
        &self,
        revision: &Revision,
        is_staged: bool,
        path: &ProjectPath,
        max: u64,
    ) -> Result<Vec<u8>, Fault> {
        let words = diff(is_staged, &["--patch", "--unified=1000000000"], revision);
        self.run(&words, &["--", &path.to_string()], max)?.ok_or_else(refused)
    }

    /// Returns what Git writes, or `None` where it fails.
    fn run(&self, words: &[&str], more: &[&str], max: u64) -> Result<Option<Vec<u8>>, Fault> {
        let mut child = self.command(words, more).spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Fault::Git("Git is not installed, or not in PATH".to_owned()),
            kind => Fault::System(kind),
        })?;
        let read = self.read(&mut child, max);
        if read.is_err() {
            // What has ended meanwhile needs no signal.
            let _ = child.kill();
        }
        let status = child.wait().map_err(|error| Fault::of(&error))?;
        Ok(Some(read?).filter(|_| status.success()))
    }

    /// Reads to the end of the output, which is the end of Git, in the time that is left.
    fn read(&self, child: &mut Child, max: u64) -> Result<Vec<u8>, Fault> {
        let Some(output) = child.stdout.take() else { return Err(refused()) };
        let (tell, told) = mpsc::sync_channel(1);
        let read = move || {
            // Nobody waits any more after the deadline.
            let _ = tell.send(read_all(output, max));
        };
        let spawned = thread::Builder::new().name("selvedge-git".into()).spawn(read);
        spawned.map_err(|error| Fault::of(&error))?;
        match told.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(Ok(bytes)) if bytes.len() as u64 > max => Err(Fault::TooLarge { max }),
            Ok(read) => read.map_err(|error| Fault::of(&error)),
            Err(_) => Err(Fault::Git(format!("Git took longer than {:?}", self.patience))),
        }
    }

    fn command(&self, words: &[&str], more: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(["--no-pager", "--literal-pathspecs", "--no-optional-locks"])
            .args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
            .args(words)
            .args(more)
            .current_dir(self.folder)
            .env_clear()
            .envs(environment())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}

/// Returns the words of a comparison that runs no program and looks at no submodule.
fn diff<'a>(is_staged: bool, how: &[&'a str], revision: &'a Revision) -> Vec<&'a str> {
    let mut words =
        vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--relative"];
    words.extend(["--ignore-submodules=all", "--src-prefix=a/", "--dst-prefix=b/"]);
    words.extend(how);
    if is_staged {
        words.push("--cached");
    }
    words.push(&revision.0);
    words
}

fn environment() -> Vec<(OsString, OsString)> {
    let passed = PASSED.iter().filter_map(|name| Some((OsString::from(name), env::var_os(name)?)));
    let fixed = [("GIT_TERMINAL_PROMPT", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("LC_ALL", "C")];
    let fixed = fixed.map(|(name, value)| (OsString::from(name), OsString::from(value)));
    // An entry that depends on the current folder would find programs of the project.
    let path = env::var_os("PATH").and_then(|path| searchable(&path));
    let path = path.map(|path| (OsString::from("PATH"), path));
    passed.chain(fixed).chain(path).collect()
}

fn read_all(output: ChildStdout, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    output.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn refused() -> Fault {
    Fault::Git("Git refused the comparison".to_owned())
}
