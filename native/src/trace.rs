//! Records every frame with its tick, one JSON object a line, so that a session can be read and replayed.

use std::{
    fmt,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use selvedge_core::{Tick, client::ExitStatus, json};

/// The longest part of one line that stands in one record.
const MAX_RECORD_BYTES: usize = 1 << 20;

/// A record of a session.
///
/// Each line is an object with `tick` (milliseconds) and `what`: `sent`, `received` or `stderr` with the
/// `text` of one line, `closed`, or `exited` with `code` or `signal`. A part of a line has `"partial":true`;
/// bytes that are not UTF-8 are shown as U+FFFD and marked `"lossy":true`.
pub struct Trace {
    out: Box<dyn Write + Send>,
    /// The beginnings of lines whose ends have not come yet.
    pending: [(&'static str, Vec<u8>); 3],
    has_failed: bool,
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").finish_non_exhaustive()
    }
}

impl Trace {
    /// Records into a file that only its owner may read, because messages hold secrets. A file that exists is
    /// emptied; on Unix it must be a regular file of this user with no other name.
    ///
    /// # Errors
    ///
    /// The file cannot be made, is a link, or is another's.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::new(BufWriter::new(create_private(path)?)))
    }

    /// Records into any writer, which must not block.
    #[must_use]
    pub fn new(out: impl Write + Send + 'static) -> Self {
        let pending = [("sent", Vec::new()), ("received", Vec::new()), ("stderr", Vec::new())];
        Self { out: Box::new(out), pending, has_failed: false }
    }

    pub(crate) fn bytes(&mut self, now: Tick, what: &'static str, bytes: &[u8]) {
        if what == "closed" {
            self.record(now, what, "");
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let Some((_, pending)) = self.pending.iter_mut().find(|(own, _)| *own == what) else { return };
            pending.extend_from_slice(part);
            if part.ends_with(b"\n") || pending.len() >= MAX_RECORD_BYTES {
                let line = std::mem::take(pending);
                self.line(now, what, &line);
            }
        }
        self.flush();
    }

    pub(crate) fn exited(&mut self, now: Tick, status: Option<ExitStatus>) {
        let mut more = String::new();
        if let Some(status) = status {
            for (name, value) in [("code", status.code), ("signal", status.signal)] {
                if let Some(value) = value {
                    // Writing to a `String` never fails.
                    let _ = fmt::Write::write_fmt(&mut more, format_args!(",\"{name}\":{value}"));
                }
            }
        }
        self.record(now, "exited", &more);
        self.flush();
    }

    fn line(&mut self, now: Tick, what: &str, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let mut more = String::from(",\"text\":");
        json::push_string(&mut more, text.strip_suffix('\n').unwrap_or(&text));
        if !line.ends_with(b"\n") {
            more.push_str(",\"partial\":true");
        }
        if let std::borrow::Cow::Owned(_) = text {
            more.push_str(",\"lossy\":true");
        }
        self.record(now, what, &more);
    }

    fn record(&mut self, now: Tick, what: &str, more: &str) {
        let written = writeln!(self.out, "{{\"tick\":{},\"what\":\"{what}\"{more}}}", now.as_millis());
        self.note(written);
    }

    fn flush(&mut self) {
        let flushed = self.out.flush();
        self.note(flushed);
    }

    /// A trace that cannot be written must not end the session; it is told of once.
    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result
            && !std::mem::replace(&mut self.has_failed, true)
        {
            tracing::error!(%error, "the trace cannot be written");
        }
    }
}

/// Opens a file that nobody else can have prepared.
#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};

    use rustix::{fs::OFlags, io::Errno, process::geteuid};

    const OWNER_ONLY: u32 = 0o600;
    let refuse = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why);
    // A pipe without a reader is not to be waited for.
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut options = File::options();
    options.write(true).create(true).mode(OWNER_ONLY).custom_flags(flags.bits().cast_signed());
    let file = options.open(path).map_err(|error| {
        if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) {
            return refuse("it is a link, and links are not followed");
        }
        error
    })?;
    let metadata = file.metadata()?;
    if metadata.file_type().is_char_device() {
        return Ok(file);
    }
    if !metadata.is_file() {
        return Err(refuse("it is no regular file"));
    }
    if metadata.uid() != geteuid().as_raw() {
        return Err(refuse("it belongs to another user"));
    }
    if metadata.nlink() > 1 {
        return Err(refuse("it has a second name (a hard link)"));
    }
    file.set_permissions(std::fs::Permissions::from_mode(OWNER_ONLY))?;
    file.set_len(0)?;
    Ok(file)
}

/// Elsewhere the rights of a file follow from its folder.
#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    if path.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a link, and links are not followed"));
    }
    File::create(path)
}

impl Drop for Trace {
    fn drop(&mut self) {
        for (what, pending) in std::mem::take(&mut self.pending) {
            if !pending.is_empty() {
                self.line(Tick::ZERO, what, &pending);
            }
        }
        self.flush();
    }
}
