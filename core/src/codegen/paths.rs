//! Where a module belongs, and by which name a program imports it.

use alloc::{format, string::String};

use super::Options;
use crate::name::{Language, module};

/// A module's file.
pub(super) struct Place {
    /// The name by which a program imports it.
    pub(super) module_name: String,
    /// Where it belongs, relative to the folder of the support files.
    pub(super) path: String,
}

/// Returns the place of a server's module in profile `typed`.
pub(super) fn place(options: &Options) -> Place {
    let segment = module(&options.server, options.language, options.digest);
    let (module_name, path) = match options.language {
        Language::Gleam => (format!("cap/mcp/{segment}"), format!("cap/mcp/{segment}.gleam")),
        Language::TypeScript => (format!("./{segment}.js"), format!("{segment}.ts")),
        Language::Python => {
            let path = format!("{segment}.py");
            (segment, path)
        }
        Language::Rust => {
            let path = format!("{segment}.rs");
            (segment, path)
        }
    };
    Place { module_name, path }
}
