//! Finds keys that their issuers made recognizable, JSON Web Tokens, and bearer tokens.

use super::{
    Found, Kind, Text, base64, runs,
    text::{is_base64_url, is_blank},
    value::{self, Place},
};

/// The most of a run that is looked at before it is known to be a key.
const MAX_LOOK: usize = 128;

/// The characters that follow a prefix.
#[derive(Clone, Copy)]
enum Alphabet {
    Upper,
    Hex,
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Url,
    /// The same and `.`.
    Dotted,
    /// The same and `/`.
    Path,
}

impl Alphabet {
    const fn contains(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Url => is_base64_url(byte),
            Self::Dotted => is_base64_url(byte) || byte == b'.',
            Self::Path => is_base64_url(byte) || byte == b'/',
        }
    }
}

/// How many characters follow a prefix.
#[derive(Clone, Copy)]
enum Length {
    /// That many, and no letter or digit after them.
    Exactly(usize),
    /// That many or more, with a letter and a digit among them, so that `sk-some-words` is none.
    AtLeast(usize),
}

use Alphabet::{Alphanumeric, Dotted, Hex, Path, Upper, Url};
use Length::{AtLeast, Exactly};

/// The shapes, by what they start with. A prefix stands before every shorter one that it starts with.
const SHAPES: &[(&str, Alphabet, Length)] = &[
    // Amazon Web Services
    ("ABSK", Path, AtLeast(100)),
    ("AKIA", Upper, Exactly(16)),
    ("ASIA", Upper, Exactly(16)),
    ("ABIA", Upper, Exactly(16)),
    ("ACCA", Upper, Exactly(16)),
    // GitHub and GitLab
    ("ghp_", Alphanumeric, AtLeast(36)),
    ("gho_", Alphanumeric, AtLeast(36)),
    ("ghu_", Alphanumeric, AtLeast(36)),
    ("ghs_", Dotted, AtLeast(36)),
    ("ghr_", Alphanumeric, AtLeast(36)),
    ("github_pat_", Url, AtLeast(22)),
    ("glpat-", Dotted, AtLeast(20)),
    ("gldt-", Dotted, AtLeast(20)),
    ("glrt-", Dotted, AtLeast(20)),
    ("glptt-", Url, AtLeast(20)),
    ("glft-", Url, AtLeast(20)),
    ("glimt-", Url, AtLeast(20)),
    ("glagent-", Url, AtLeast(20)),
    ("gloas-", Url, AtLeast(20)),
    ("glsoat-", Url, AtLeast(20)),
    ("GR1348941", Url, AtLeast(20)),
    ("glcbt-", Url, AtLeast(20)),
    // OpenAI, Anthropic, OpenRouter and who else starts with `sk-`
    ("sk-", Url, AtLeast(20)),
    ("gsk_", Alphanumeric, AtLeast(40)),
    ("xai-", Alphanumeric, AtLeast(40)),
    ("pplx-", Alphanumeric, AtLeast(40)),
    ("hf_", Alphanumeric, AtLeast(30)),
    ("api_org_", Alphanumeric, AtLeast(30)),
    ("r8_", Alphanumeric, AtLeast(36)),
    // Slack and Discord
    ("xoxb-", Url, AtLeast(10)),
    ("xoxp-", Url, AtLeast(10)),
    ("xoxa-", Url, AtLeast(10)),
    ("xoxr-", Url, AtLeast(10)),
    ("xoxs-", Url, AtLeast(10)),
    ("xoxo-", Url, AtLeast(10)),
    ("xoxc-", Url, AtLeast(10)),
    ("xoxd-", Url, AtLeast(10)),
    ("xoxe-", Url, AtLeast(10)),
    ("xoxe.xox", Dotted, AtLeast(10)),
    ("xapp-", Url, AtLeast(10)),
    ("hooks.slack.com/services/", Path, AtLeast(20)),
    ("hooks.slack.com/workflows/", Path, AtLeast(20)),
    ("hooks.slack.com/triggers/", Path, AtLeast(20)),
    ("webhook.office.com/webhookb2/", Path, AtLeast(40)),
    ("discord.com/api/webhooks/", Path, AtLeast(40)),
    // Google
    ("AIza", Url, AtLeast(35)),
    ("GOCSPX-", Url, AtLeast(28)),
    ("ya29.", Dotted, AtLeast(20)),
    // Stripe, Square, Shopify; a publishable key is no secret
    ("sk_live_", Alphanumeric, AtLeast(16)),
    ("sk_test_", Alphanumeric, AtLeast(16)),
    ("rk_live_", Alphanumeric, AtLeast(16)),
    ("rk_test_", Alphanumeric, AtLeast(16)),
    ("whsec_", Alphanumeric, AtLeast(20)),
    ("sq0atp-", Url, AtLeast(22)),
    ("sq0csp-", Url, AtLeast(40)),
    ("shpat_", Hex, Exactly(32)),
    ("shpca_", Hex, Exactly(32)),
    ("shppa_", Hex, Exactly(32)),
    ("shpss_", Hex, Exactly(32)),
    // Package registries
    ("npm_", Alphanumeric, AtLeast(36)),
    ("pypi-", Url, AtLeast(50)),
    ("cio", Alphanumeric, Exactly(32)),
    ("dckr_pat_", Url, AtLeast(20)),
    // Mail, messages, telephony
    ("SG.", Dotted, AtLeast(50)),
    ("xkeysib-", Url, AtLeast(60)),
    ("SK", Hex, Exactly(32)),
    ("key-", Hex, Exactly(32)),
    // Clouds, vaults, services
    ("dop_v1_", Hex, Exactly(64)),
    ("doo_v1_", Hex, Exactly(64)),
    ("dor_v1_", Hex, Exactly(64)),
    ("dapi", Hex, Exactly(32)),
    ("hvs.", Url, AtLeast(24)),
    ("hvb.", Url, AtLeast(24)),
    ("AGE-SECRET-KEY-1", Upper, AtLeast(50)),
    ("lin_api_", Alphanumeric, AtLeast(32)),
    ("ntn_", Alphanumeric, AtLeast(40)),
    ("figd_", Url, AtLeast(36)),
    ("PMAK-", Url, AtLeast(50)),
    ("tskey-", Url, AtLeast(20)),
    ("NRAK-", Alphanumeric, AtLeast(27)),
    ("glsa_", Url, AtLeast(32)),
    ("sntrys_", Dotted, AtLeast(32)),
    ("sbp_", Hex, Exactly(40)),
    ("sb_secret_", Url, AtLeast(20)),
    ("sntryu_", Hex, AtLeast(40)),
    ("glc_", Path, AtLeast(32)),
    ("dp.pt.", Alphanumeric, AtLeast(40)),
    ("dp.st.", Dotted, AtLeast(40)),
    ("dt0c01.", Dotted, AtLeast(60)),
    ("hvr.", Url, AtLeast(24)),
    ("pul-", Hex, Exactly(40)),
    ("pscale_pw_", Dotted, AtLeast(32)),
    ("pscale_tkn_", Dotted, AtLeast(32)),
    ("pscale_oauth_", Dotted, AtLeast(32)),
    ("rubygems_", Hex, Exactly(48)),
    ("rdme_", Alphanumeric, Exactly(70)),
    ("pnu_", Alphanumeric, Exactly(36)),
    ("sgp_", Url, AtLeast(40)),
    ("squ_", Alphanumeric, Exactly(40)),
    ("sqp_", Alphanumeric, Exactly(40)),
    ("sqa_", Alphanumeric, Exactly(40)),
    ("tfp_", Dotted, AtLeast(40)),
    ("ico-", Alphanumeric, Exactly(32)),
    ("EZAK", Alphanumeric, Exactly(54)),
    ("EZTK", Alphanumeric, Exactly(54)),
    ("FLWSECK_TEST-", Alphanumeric, AtLeast(12)),
    ("FLWSECK-", Alphanumeric, AtLeast(12)),
    ("duffel_live_", Url, AtLeast(40)),
    ("duffel_test_", Url, AtLeast(40)),
    ("shippo_live_", Hex, Exactly(40)),
    ("shippo_test_", Hex, Exactly(40)),
    ("fo1_", Url, AtLeast(40)),
    ("LTAI", Alphanumeric, AtLeast(20)),
    ("p8e-", Alphanumeric, Exactly(32)),
    ("CLOJARS_", Alphanumeric, AtLeast(58)),
    ("ATATT3", Url, AtLeast(60)),
    ("ATBB", Url, AtLeast(28)),
    ("AKCp", Alphanumeric, AtLeast(60)),
    ("HRKU-", Url, AtLeast(36)),
    ("ops_eyJ", Url, AtLeast(60)),
    ("eyJhdXRocyI6", Path, AtLeast(20)),
    ("EAACEdEose0cBA", Alphanumeric, AtLeast(20)),
    ("EAAA", Url, AtLeast(55)),
    ("sha256~", Url, AtLeast(43)),
];

/// Finds a key that starts at a place, which is the start of a word.
pub(super) fn find(text: Text<'_>, at: usize) -> Option<Found> {
    match text.byte(at) {
        b'e' => web_token(text, at),
        b'B' | b'b' => bearer(text, at).or_else(|| basic(text, at)),
        _ => None,
    }
    .or_else(|| shape(text, at))
    .or_else(|| runs::find(text, at))
}

fn shape(text: Text<'_>, at: usize) -> Option<Found> {
    let first = text.byte(at);
    let of_same_start = SHAPES.iter().filter(|(prefix, ..)| prefix.as_bytes().first() == Some(&first));
    for (prefix, alphabet, length) in of_same_start {
        if !text.starts_with(at, prefix) {
            continue;
        }
        let from = at + prefix.len();
        if let Some(to) = end(text, from, *alphabet, *length) {
            return Some((Kind::Key, at..to));
        }
    }
    None
}

fn end(text: Text<'_>, from: usize, alphabet: Alphabet, length: Length) -> Option<usize> {
    let look = text.run(from, MAX_LOOK, |byte| alphabet.contains(byte));
    match length {
        Exactly(count) => {
            let is_whole = look == from + count && !text.byte(look).is_ascii_alphanumeric();
            is_whole.then_some(look)
        }
        AtLeast(count) => {
            let is_key = look - from >= count && value::is_mixed(text.slice(from, look));
            is_key.then(|| text.run(look, usize::MAX, |byte| alphabet.contains(byte)))
        }
    }
}

/// Finds a token of RFC 7519: two objects in base64, which start alike, and a signature that may be empty.
fn web_token(text: Text<'_>, at: usize) -> Option<Found> {
    const MIN_PART: usize = 10;
    // A start within a part would look at the rest of that part again.
    if !text.starts_with(at, "eyJ") || is_base64_url(text.before(at)) {
        return None;
    }
    let header = text.run(at, usize::MAX, is_base64_url);
    if header - at < MIN_PART || !text.starts_with(header, ".eyJ") {
        return None;
    }
    let claims = text.run(header + 1, usize::MAX, is_base64_url);
    if claims - header <= MIN_PART || text.byte(claims) != b'.' {
        return None;
    }
    // An encrypted token (RFC 7516) has five parts.
    let to = text.run(claims, usize::MAX, |byte| is_base64_url(byte) || byte == b'.');
    Some((Kind::WebToken, at..to))
}

/// Finds the token of RFC 6750 §2.1 after its scheme.
fn bearer(text: Text<'_>, at: usize) -> Option<Found> {
    const MIN_TOKEN: usize = 16;
    let scheme = at + "bearer".len();
    if !text.bytes(at, scheme).eq_ignore_ascii_case(b"bearer") {
        return None;
    }
    let from = text.run(scheme, 8, is_blank);
    let is_token = |byte: u8| is_base64_url(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=');
    let look = text.run(from, MAX_LOOK, is_token);
    let held = text.slice(from, look);
    let is_secret = from > scheme
        && held.len() >= MIN_TOKEN
        && value::is_mixed(held)
        && !value::is_harmless(held, Place::Quoted);
    is_secret.then(|| (Kind::Header, from..text.run(look, usize::MAX, is_token)))
}

/// Finds a user and a password in base64 after the scheme of RFC 7617.
fn basic(text: Text<'_>, at: usize) -> Option<Found> {
    let scheme = at + "basic".len();
    if !text.is_word(at, scheme, "basic") {
        return None;
    }
    let from = text.run(scheme, 8, is_blank);
    let to =
        text.run(from, MAX_LOOK, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let decoded = base64::decode(text.bytes(from, to));
    let is_pair =
        to - from >= 8 && decoded.contains(&b':') && decoded.iter().all(|byte| (b' '..0x7F).contains(byte));
    (from > scheme && is_pair).then_some((Kind::Header, from..to))
}
