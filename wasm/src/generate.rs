//! Modules, surfaces and plans from a listing.

use selvedge_core::{
    codegen::{self, GenerateError, Generated, Level, Listing, ListingError, Options, Profile, Surface},
    json::{Tape, View},
    name::Language,
    schema::{
        Loss, Reason,
        plan::{self, ParamType, Plan, Scalar},
    },
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    error::{error, not_json, place},
    object::Object,
    options::{Fault, read, size, text, unknown, word},
};

/// Generates a module and its surface from a listing: a `tools/list` result, a response around one, or an array
/// of tools.
///
/// # Errors
///
/// What is passed is no listing, or there is no module, for the reason that `code` names.
#[wasm_bindgen(unchecked_return_type = "Generated")]
pub fn generate(
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] listing: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "GenerateOptions")] options: &JsValue,
) -> Result<JsValue, JsValue> {
    let made = make(listing, options)?;
    let support = made
        .support
        .iter()
        .map(|file| Object::plain().text("path", file.path).text("text", file.text).done());
    let functions = made.functions.iter().map(|function| {
        Object::plain()
            .text("tool", &function.tool)
            .text("name", &function.name)
            .flag("hasResult", function.has_result)
            .done()
    });
    Ok(Object::plain()
        .text("moduleName", &made.module_name)
        .text("path", &made.path)
        .text("source", &made.source)
        .list("functions", functions)
        .list("support", support)
        .value("surface", &shown(&made.surface))
        .list("losses", made.losses.iter().map(loss))
        .done())
}

/// Renders what a model is shown of a listing.
///
/// # Errors
///
/// As for `generate`.
#[wasm_bindgen(unchecked_return_type = "Surface")]
pub fn surface(
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] listing: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "GenerateOptions")] options: &JsValue,
) -> Result<JsValue, JsValue> {
    Ok(shown(&make(listing, options)?.surface))
}

/// Renders everything that is known about one tool; `undefined` if no tool has that name.
///
/// # Errors
///
/// As for `generate`.
#[wasm_bindgen]
pub fn detail(
    #[wasm_bindgen(unchecked_param_type = "JsonInput")] listing: &str,
    tool: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "GenerateOptions")] options: &JsValue,
) -> Result<Option<String>, JsValue> {
    let options = read_options(options)?;
    let parsed = Listing::parse(listing).map_err(|fault| no_listing(listing, fault))?;
    codegen::detail(&parsed, &options, tool).map_err(|fault| not_generated(&fault))
}

/// Reads an input schema as profile `loom` does.
///
/// # Errors
///
/// The schema is not JSON, or nests too deep.
#[wasm_bindgen(unchecked_return_type = "Plan")]
pub fn plan(#[wasm_bindgen(unchecked_param_type = "JsonInput")] schema: &str) -> Result<JsValue, JsValue> {
    let tape = Tape::parse(schema).map_err(|fault| not_json(schema, fault))?;
    Ok(match plan::plan(tape.root()) {
        Plan::Typed { required, optional } => {
            Object::kind("typed").list("required", required.iter().map(param)).list(
                "optional",
                optional.iter().map(|param| {
                    Object::plain().text("name", &param.name).maybe_text("note", param.note.as_deref()).done()
                }),
            )
        }
        Plan::WholeValue(reason) => Object::kind("wholeValue").text("reason", &reason.to_string()),
    }
    .done())
}

fn make(listing: &str, options: &JsValue) -> Result<Generated, JsValue> {
    let options = read_options(options)?;
    let parsed = Listing::parse(listing).map_err(|fault| no_listing(listing, fault))?;
    codegen::generate(&parsed, &options).map_err(|fault| not_generated(&fault))
}

fn read_options(options: &JsValue) -> Result<Options, JsValue> {
    read(options, "options", option)
}

fn option(options: &mut Options, name: &str, value: View<'_>) -> Result<(), Fault> {
    match name {
        "server" => options.server = text(value)?,
        "language" => options.language = word(value, &Language::ALL.map(|known| (known.name(), known)))?,
        "profile" => options.profile = word(value, &[("typed", Profile::Typed), ("loom", Profile::Loom)])?,
        "level" => options.level = Some(word(value, &Level::ALL.map(|known| (known.name(), known)))?),
        "maxSurfaceBytes" => options.max_surface_bytes = size(value)?,
        "maxTools" => options.max_tools = Some(size(value)?),
        "maxSourceBytes" => options.max_source_bytes = Some(size(value)?),
        _ => return Err(unknown()),
    }
    Ok(())
}

fn shown(surface: &Surface) -> JsValue {
    Object::plain().word("level", surface.level.name()).text("text", &surface.text).done()
}

fn loss(loss: &Loss) -> JsValue {
    Object::plain()
        .text("tool", &loss.tool)
        .text("path", &loss.path)
        .word("reason", reason_name(&loss.reason))
        .text("message", &loss.reason.to_string())
        .done()
}

fn param(param: &plan::Param<'_>) -> JsValue {
    let object = Object::plain().text("name", &param.name).maybe_text("note", param.note.as_deref());
    let object = match &param.kind {
        ParamType::Simple(scalar) => object.word("kind", "simple").word("type", scalar_name(*scalar)),
        ParamType::ListOf(scalar) => object.word("kind", "listOf").word("type", scalar_name(*scalar)),
        ParamType::Structured(reason) => {
            object.word("kind", "structured").text("reason", &reason.to_string())
        }
    };
    object.list("choices", param.choices.iter().map(|choice| JsValue::from_str(choice))).done()
}

const fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::String => "string",
        Scalar::Integer => "integer",
        Scalar::Number => "number",
        Scalar::Boolean => "boolean",
    }
}

fn no_listing(listing: &str, fault: ListingError) -> JsValue {
    match fault {
        ListingError::Syntax(syntax) => place(error("notJson", &fault), listing, syntax),
        ListingError::ErrorResponse => error("errorResponse", &fault),
        ListingError::NoTools => error("noTools", &fault),
        _ => error("noListing", &fault),
    }
    .done()
}

fn not_generated(fault: &GenerateError) -> JsValue {
    let code = match fault {
        GenerateError::MalformedTool(_) => "malformedTool",
        GenerateError::TooManyTools { .. } => "tooManyTools",
        GenerateError::ToolNameCollision { .. } => "toolNameCollision",
        GenerateError::SurfaceTooLarge { .. } => "surfaceTooLarge",
        GenerateError::SourceTooLarge { .. } => "sourceTooLarge",
        GenerateError::SanitizerBreach(_) => "sanitizerBreach",
        _ => "notGenerated",
    };
    error(code, fault).done()
}

/// Names a reason for programs; the sentence says it in full.
const fn reason_name(reason: &Reason) -> &'static str {
    match reason {
        Reason::NotAnObject => "notAnObject",
        Reason::TopLevelType(_) => "topLevelType",
        Reason::NoType => "noType",
        Reason::BadProperties => "badProperties",
        Reason::BadRequired => "badRequired",
        Reason::BadRequiredName => "badRequiredName",
        Reason::Undeclared => "undeclared",
        Reason::AnyValue => "anyValue",
        Reason::NoValue => "noValue",
        Reason::BadSchema => "badSchema",
        Reason::BeyondSubset(_) => "beyondSubset",
        Reason::TypeList => "typeList",
        Reason::Combinator(_) => "combinator",
        Reason::NestedList => "nestedList",
        Reason::LabelCollision(_) => "labelCollision",
        Reason::DanglingReference => "danglingReference",
        Reason::ForeignReference => "foreignReference",
        Reason::ReferenceLoop => "referenceLoop",
        Reason::TooLarge => "tooLarge",
        Reason::Conflict => "conflict",
        Reason::Overlap => "overlap",
        Reason::EmptyEnum => "emptyEnum",
        Reason::OddConstant => "oddConstant",
        Reason::BadAlternatives => "badAlternatives",
        Reason::Unchecked(_) => "unchecked",
        Reason::Malformed(_) => "malformed",
        Reason::WideTuple => "wideTuple",
        Reason::FieldCollision => "fieldCollision",
        Reason::Dropped(_) => "dropped",
        Reason::UntypedTuple => "untypedTuple",
        Reason::OtherMembers => "otherMembers",
        Reason::UntypedOptional => "untypedOptional",
        Reason::UntypedResult => "untypedResult",
        Reason::HiddenText(_) => "hiddenText",
        Reason::LongText(_) => "longText",
        Reason::More(_) => "more",
        _ => "other",
    }
}
