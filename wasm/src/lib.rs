//! The Selvedge engine for JavaScript: the core one to one, in camelCase.
//!
//! Nothing is decided here. Values cross as plain objects with a `kind`, described by `js/types.d.ts`; JSON
//! crosses as text, which JavaScript reads and writes (`js/glue.js`); what fails is thrown as a `SelvedgeError`
//! with a `code`. What callers pass is looked at by `js/door.js` before it comes here.

mod client;
mod error;
#[cfg(feature = "generator")]
mod generate;
#[cfg(feature = "generator")]
mod interchange;
mod js;
mod object;
mod options;
pub mod peer;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "generator")]
mod validate;

use wasm_bindgen::prelude::wasm_bindgen;

pub use client::{Client, effect};
#[cfg(feature = "generator")]
pub use generate::{detail, generate, plan, surface};
#[cfg(feature = "generator")]
pub use interchange::{to_json, to_msgpack};
#[cfg(feature = "server")]
pub use server::{Server, server_effect};
#[cfg(feature = "generator")]
pub use validate::{Validator, validate};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("../js/types.d.ts");

#[cfg(feature = "server")]
#[wasm_bindgen(typescript_custom_section)]
const SERVER_TYPES: &str = include_str!("../js/server.d.ts");

#[cfg(feature = "generator")]
#[wasm_bindgen(typescript_custom_section)]
const GENERATOR_TYPES: &str = include_str!("../js/generator.d.ts");

#[cfg(target_family = "wasm")]
#[global_allocator]
static MEMORY: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
