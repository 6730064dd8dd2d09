//! What the generator makes of any listing, in every backend.

use selvedge_core::{
    codegen::{GenerateError, Generated, Listing, Profile, escape::push_literal, generate},
    name::Language,
};

use crate::{
    generator::{BACKENDS, Dice, any_listing, check_sanity, options},
    world::fail,
};

/// The name of the server, which is hostile too.
const SERVER: &str = "notes\u{202E}\"";

pub(super) fn check(data: &[u8]) {
    let given = std::str::from_utf8(data).ok().filter(|text| text.starts_with(['[', '{']));
    let text = given.map_or_else(|| any_listing(&mut Dice::new(data)).to_string(), str::to_owned);
    let Ok(listing) = Listing::parse(&text) else {
        assert!(given.is_some(), "an array is a listing: {text}");
        return;
    };
    for (backend, language, profile) in BACKENDS {
        match generate(&listing, &options(SERVER, language, profile)) {
            Ok(generated) => {
                check_sanity(backend, &generated);
                check_calls(backend, &listing, &generated, language, profile);
            }
            Err(GenerateError::SanitizerBreach(breach)) => fail(&format!("{backend}: {breach}\n{text}")),
            Err(_) => {}
        }
    }
}

/// Every tool is called once, under the name that the server gave it.
fn check_calls(
    backend: &str,
    listing: &Listing<'_>,
    generated: &Generated,
    language: Language,
    profile: Profile,
) {
    let before = match profile {
        Profile::Loom => "internal.invoke(\n    ",
        Profile::Typed => "",
    };
    let between = if profile == Profile::Loom { ",\n    " } else { ", " };
    for tool in listing.tools() {
        let mut call = before.to_owned();
        push_literal(&mut call, language, SERVER);
        call.push_str(between);
        push_literal(&mut call, language, &tool.name);
        call.push(',');
        let count = generated.source.matches(&call).count();
        assert_eq!(count, 1, "{backend}: {call}\n{}", generated.source);
    }
}
