//! A project's resources as a part of a service.

use std::sync::Arc;

use selvedge_core::{
    json::RawJson,
    jsonrpc::{RpcError, code},
};
use serde_json::{Value, json};

use super::{Fault, Listed, Project, ProjectError, Template};
use crate::{
    serve::ResourceProvider,
    tools::{BoxFuture, Context, Resource, ToolError},
};

impl ResourceProvider for Arc<Project> {
    fn list(&self) -> Vec<RawJson> {
        let entry = |listed: &Listed| {
            raw(&json!({
                "uri": listed.uri, "name": listed.name, "description": listed.description, "mimeType": listed.mime_type,
            }))
        };
        Project::resources().iter().filter_map(entry).collect()
    }

    fn templates(&self) -> Vec<RawJson> {
        let entry = |template: &Template| {
            raw(&json!({
                "uriTemplate": template.uri_template, "name": template.name, "description": template.description,
            }))
        };
        Project::templates().iter().filter_map(entry).collect()
    }

    fn read<'a>(&'a self, uri: &'a str, _: Context) -> BoxFuture<'a, Result<Option<RawJson>, ToolError>> {
        let (project, uri) = (Self::clone(self), uri.to_owned());
        Box::pin(async move {
            // Reading blocks.
            let read = tokio::task::spawn_blocking(move || project.read_uri(&uri)).await?;
            let documents = match read {
                None => return Ok(None),
                Some(Err(error)) if matches!(error.fault, Fault::NotFound | Fault::NoFolder) => {
                    return Ok(None);
                }
                Some(Err(error)) => return Err(refusal(&error)),
                Some(Ok(documents)) => documents,
            };
            let hidden: usize = documents.iter().map(|document| document.redactions.total()).sum();
            if hidden > 0 {
                tracing::info!(hidden, "credentials were hidden");
            }
            let contents: Vec<_> =
                documents.into_iter().map(|document| Resource::from(document).to_json()).collect();
            Ok(raw(&json!({ "contents": contents })))
        })
    }
}

/// Returns the error of the protocol for a file that is not served: the URI is at fault, unless the system is.
fn refusal(error: &ProjectError) -> ToolError {
    let code = match error.fault {
        Fault::System(_) => code::INTERNAL_ERROR,
        _ => code::INVALID_PARAMS,
    };
    ToolError::protocol(RpcError::new(code, error.to_string()))
}

fn raw(value: &Value) -> Option<RawJson> {
    RawJson::new(value.to_string()).ok()
}
