//! Who is let in.

use selvedge::{Access, HttpOptions, ProtectedResource, StaticTokens};
use serde_json::json;

use crate::{Response, Served, Wire, legacy, modern, server_with, wire::is_served};

const ADA: &str = "0123456789abcdef-ada";
const BOB: &str = "0123456789abcdef-bob";

fn protected() -> Served {
    server_with(|options: &mut HttpOptions| {
        let tokens = StaticTokens::parse(&format!("{ADA} ada\n{BOB} bob\n")).unwrap();
        let mut resource = ProtectedResource::default();
        resource.authorization_servers = vec!["https://login.example".to_owned()];
        resource.scopes = vec!["tools".to_owned()];
        options.access = Some(Access::new(tokens).with_resource(resource));
    })
}

fn with_token(request: &str, token: &str) -> String {
    request.replacen("host: localhost\r\n", &format!("host: localhost\r\nauthorization: {token}\r\n"), 1)
}

fn ask(served: &Served, request: &str) -> Response {
    Wire::new(served).ask(request)
}

#[test]
fn who_shows_no_token_is_told_where_to_get_one() {
    let served = protected();
    let list = modern(1, "tools/list", json!({}));
    let refused = ask(&served, &list);
    assert_eq!(refused.status, 401);
    let metadata = format!("http://{}/.well-known/oauth-protected-resource/mcp", served.server.local_addr());
    let challenge = refused.header("www-authenticate").unwrap();
    assert_eq!(challenge, format!("Bearer resource_metadata=\"{metadata}\", scope=\"tools\""));
    for place in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"] {
        let document = ask(&served, &format!("GET {place} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        let expected = json!({
            "resource": served.server.url(),
            "authorization_servers": ["https://login.example"],
            "scopes_supported": ["tools"],
            "bearer_methods_supported": ["header"],
        });
        assert_eq!((document.status, document.json()), (200, expected));
    }
    is_served(&served);
}

#[test]
fn only_whole_tokens_of_the_file_are_let_in() {
    let served = protected();
    let list = modern(1, "tools/list", json!({}));
    for token in [format!("Bearer {ADA}"), format!("bearer  {ADA}")] {
        assert_eq!(ask(&served, &with_token(&list, &token)).status, 200, "{token}");
    }
    for token in ["Bearer 0123456789abcdef", "Bearer ", "Basic YWRhOmFkYQ==", ADA] {
        let refused = ask(&served, &with_token(&list, token));
        assert_eq!(refused.status, 401, "{token}");
    }
    let wrong = ask(&served, &with_token(&list, "Bearer 0123456789abcdef"));
    assert!(wrong.header("www-authenticate").unwrap().contains("error=\"invalid_token\""));
    let twice = with_token(&with_token(&list, &format!("Bearer {ADA}")), &format!("Bearer {BOB}"));
    assert_eq!(ask(&served, &twice).status, 400);
}

#[test]
fn a_session_belongs_to_whoever_opened_it() {
    let served = protected();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {} });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let ada = format!("Bearer {ADA}");
    let opened = ask(&served, &with_token(&legacy(None, &hello), &ada));
    let session = opened.header("mcp-session-id").unwrap();
    let list = legacy(Some(session), &json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
    assert_eq!(ask(&served, &with_token(&list, &ada)).status, 200);
    assert_eq!(ask(&served, &with_token(&list, &format!("Bearer {BOB}"))).status, 404);
    assert_eq!(ask(&served, &list).status, 401);
}
