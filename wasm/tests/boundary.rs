//! What crosses between JavaScript and the engine, under Node and in a browser.

#![cfg(target_family = "wasm")]

use js_sys::{JSON, JsString, Reflect, Uint8Array};
use selvedge_wasm::{Client, Server, generate, to_json, to_msgpack, validate};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn object(text: &str) -> JsValue {
    JSON::parse(text).unwrap()
}

fn text(value: &JsValue) -> String {
    String::from(JSON::stringify(value).unwrap())
}

fn member(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &JsValue::from_str(name)).unwrap()
}

fn code(error: &JsValue) -> String {
    assert!(error.is_instance_of::<js_sys::Error>());
    String::from(member(error, "code").unchecked_into::<JsString>())
}

fn bytes(effect: &JsValue) -> Vec<u8> {
    member(effect, "bytes").unchecked_into::<Uint8Array>().to_vec()
}

#[wasm_bindgen_test]
fn a_client_and_a_server_shake_hands() {
    let mut client = Client::new(&object(r#"{"patience":{"idle":5},"limits":{"maxPages":2}}"#)).unwrap();
    let mut server = Server::new(&JsValue::UNDEFINED).unwrap();
    client.connect(0.0).unwrap();
    assert_eq!(text(&client.poll_effect().unwrap()), r#"{"kind":"open"}"#);
    client.handle_opened(0.0);
    server.handle_bytes(0.0, &bytes(&client.poll_effect().unwrap()));
    client.handle_bytes(1.0, &bytes(&server.poll_effect().unwrap()));
    assert_eq!(client.state(), "ready");
    assert_eq!(text(&member(&client.handshake().unwrap(), "revision")), "\"2025-11-25\"");
    assert!(
        bytes(&client.poll_effect().unwrap())
            .starts_with(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"")
    );
    let ready = member(&client.poll_effect().unwrap(), "event");
    assert_eq!(text(&member(&ready, "kind")), "\"ready\"");
    assert!(client.poll_effect().unwrap().is_undefined());
}

#[wasm_bindgen_test]
fn mistakes_are_errors_with_a_code() {
    assert_eq!(code(&Client::new(&object(r#"{"patients":1}"#)).unwrap_err()), "badOption");
    let mut client = Client::new(&JsValue::NULL).unwrap();
    assert_eq!(code(&client.ping(0.0, &JsValue::UNDEFINED).unwrap_err()), "notReady");
    let error = generate("[\n1,]", &JsValue::UNDEFINED).unwrap_err();
    assert_eq!((code(&error).as_str(), member(&error, "line").as_f64()), ("notJson", Some(2.0)));
}

#[wasm_bindgen_test]
fn values_are_checked_and_carried() {
    let verdict = validate(r#"{"type":"integer"}"#, "\"x\"").unwrap();
    assert_eq!(text(&member(&verdict, "kind")), "\"invalid\"");
    let packed = Uint8Array::new(&to_msgpack("[1,0.1,18446744073709551615]").unwrap()).to_vec();
    let exact = to_json(&packed, &object(r#"{"raw":true}"#)).unwrap();
    assert_eq!(exact.as_string().unwrap(), "[1,0.1,18446744073709551615]");
    assert_eq!(text(&to_json(&packed, &JsValue::UNDEFINED).unwrap()), "[1,0.1,18446744073709552000]");
}
