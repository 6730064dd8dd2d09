//! The resources of a project: its files, their structure, its configuration, and every file by its path.

use std::fmt::Write as _;

use selvedge_core::policy::Counts;

use super::{
    Body, Document, Entry, EntryKind, Fault, Listing, Project, ProjectError, ProjectPath, config, path::FILE,
};

const FILES: &str = "selvedge://project/files";
const STRUCTURE: &str = "selvedge://project/structure";
const CONFIG: &str = "selvedge://project/config";

/// A resource as a list shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What it is read by.
    pub uri: &'static str,
    /// What programs call it.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
    /// What its contents are.
    pub mime_type: &'static str,
}

/// A template of resources: any path, percent-encoded, in the place of its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// The template (RFC 6570); `+` lets the slashes of a path stand.
    pub uri_template: &'static str,
    /// What programs call it.
    pub name: &'static str,
    /// What it is.
    pub description: &'static str,
}

impl Project {
    /// Returns the resources that have a URI of their own.
    #[must_use]
    pub const fn resources() -> [Listed; 3] {
        [
            Listed {
                uri: FILES,
                name: "files",
                description: "The paths of the project's files, one a line",
                mime_type: "text/plain",
            },
            Listed {
                uri: STRUCTURE,
                name: "structure",
                description: "The project's folders and files as a tree",
                mime_type: "text/plain",
            },
            Listed {
                uri: CONFIG,
                name: "config",
                description: "The project's configuration files, without credentials",
                mime_type: "text/plain",
            },
        ]
    }

    /// Returns the templates of the resources that are too many to list.
    #[must_use]
    pub const fn templates() -> [Template; 1] {
        [Template {
            uri_template: "selvedge://project/file/{+path}",
            name: "file",
            description: "A file of the project; text is without credentials",
        }]
    }

    /// Reads a resource; `None` where a URI is none of the project's.
    ///
    /// # Errors
    ///
    /// The file cannot be served.
    #[must_use]
    pub fn read_uri(&self, uri: &str) -> Option<Result<Vec<Document>, ProjectError>> {
        match uri {
            FILES => Some(self.list().map(|listing| vec![plain(uri, files(&listing))])),
            STRUCTURE => Some(self.list().map(|listing| vec![plain(uri, self.structure(&listing))])),
            CONFIG => Some(Ok(self.config())),
            _ => {
                let path = ProjectPath::from_encoded(uri.strip_prefix(FILE)?);
                Some(path.and_then(|path| self.read(&path)).map(|document| vec![document]))
            }
        }
    }

    /// Returns the configuration files that the project serves, after a document that lists them.
    fn config(&self) -> Vec<Document> {
        let mut documents = Vec::new();
        let mut index = String::new();
        for path in config::FILES.iter().filter_map(|path| ProjectPath::new(path).ok()) {
            let line = match self.config_file(&path) {
                Ok(document) => {
                    let hidden = document.redactions.total();
                    documents.push(document);
                    if hidden == 0 { path.to_string() } else { format!("{path} ({hidden} hidden)") }
                }
                Err(Fault::NotFound | Fault::NoFolder | Fault::Hidden) => continue,
                Err(fault) => format!("{path} (not served: {fault})"),
            };
            index.push_str(&line);
            index.push('\n');
        }
        if index.is_empty() {
            index.push_str("no configuration file\n");
        }
        documents.insert(0, plain(CONFIG, index));
        documents
    }

    /// Reads a configuration file, which is itself no link.
    fn config_file(&self, path: &ProjectPath) -> Result<Document, Fault> {
        super::document(path, self.bytes_at(path)?)
    }

    fn structure(&self, listing: &Listing) -> String {
        let mut tree = format!("{}/\n", self.name);
        for Entry { path, kind } in &listing.entries {
            for _ in path.names() {
                tree.push_str("  ");
            }
            push_name(&mut tree, path.name());
            tree.push_str(match kind {
                EntryKind::File => "\n",
                EntryKind::Folder => "/\n",
                EntryKind::Link => " (link)\n",
                EntryKind::Other => " (no file)\n",
            });
        }
        push_notes(&mut tree, listing);
        tree
    }
}

fn files(listing: &Listing) -> String {
    let mut text = String::new();
    for entry in listing.entries.iter().filter(|entry| entry.kind == EntryKind::File) {
        push_name(&mut text, &entry.path.to_string());
        text.push('\n');
    }
    push_notes(&mut text, listing);
    text
}

/// Appends a name; one with a line end in it stays on its line.
fn push_name(text: &mut String, name: &str) {
    for code in name.chars() {
        if code.is_control() {
            text.extend(code.escape_default());
        } else {
            text.push(code);
        }
    }
}

/// Says what a listing leaves out, so that nobody takes a part for the whole.
fn push_notes(text: &mut String, listing: &Listing) {
    for reason in &listing.cut {
        // Writing to a `String` never fails.
        let _ = writeln!(text, "(left out: {reason})");
    }
    for (count, what) in
        [(listing.unnamed, "names that are not UTF-8"), (listing.unreadable, "folders that cannot be read")]
    {
        if count > 0 {
            let _ = writeln!(text, "(left out: {count} {what})");
        }
    }
}

fn plain(uri: &str, text: String) -> Document {
    Document {
        uri: uri.to_owned(),
        mime_type: "text/plain",
        body: Body::Text(text),
        redactions: Counts::default(),
    }
}
