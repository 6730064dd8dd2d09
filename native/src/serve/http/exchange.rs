//! One request: its head and body go to the endpoint, its response comes from there.

use std::{
    borrow::Cow,
    future::{Future as _, poll_fn},
    pin::{Pin, pin},
    task::Poll,
};

use bytes::Bytes;
use hyper::{
    Request, Response, StatusCode, Version,
    body::{Body as _, Incoming},
    header::{EXPECT, HOST, HeaderName, HeaderValue},
    http::request::Parts,
};
use selvedge_core::http::{RequestHead, ResponseHead};

use super::{
    super::Service,
    connection::Connection,
    outlet::{Content, Over, Ticket},
};

/// A part of a body; `None` is its end.
type Part = Option<Result<Bytes, hyper::Error>>;

/// Serves a request.
pub(super) async fn serve<S: Service>(
    connection: &Connection<S>,
    request: Request<Incoming>,
) -> Result<Response<Content>, Over> {
    let (parts, mut body) = request.into_parts();
    let headers = headers_of(&parts);
    let target = target_of(&parts);
    let mut head = RequestHead {
        method: parts.method.as_str(),
        target: &target,
        headers: &headers,
        client: 0,
        connection: connection.place().number,
        is_established: connection.place().is_established(),
        principal: None,
    };
    if let Some(gate) = &connection.gate {
        match gate.admit(&head).await {
            Ok(principal) => head.principal = principal,
            Err(response) => return Ok(*response),
        }
    }
    head.client = connection.shared.client_of(connection.address(), head.principal.as_deref());
    let first = if body.is_end_stream() {
        Some(None)
    } else if parts.headers.contains_key(EXPECT) {
        // Whether the body is wanted at all shows by the head.
        None
    } else {
        part_at_hand(&mut body).await
    };
    take_up(connection, &head, body, first).await
}

/// Hands a request to the endpoint, and waits for its response.
async fn take_up<S: Service>(
    connection: &Connection<S>,
    head: &RequestHead<'_>,
    mut body: Incoming,
    first: Option<Part>,
) -> Result<Response<Content>, Over> {
    let shared = &connection.shared;
    let (bytes, is_complete) = match first {
        None => (None, false),
        Some(None) => (None, true),
        Some(Some(Ok(bytes))) => (Some(bytes), body.is_end_stream()),
        Some(Some(Err(_))) => return Err(Over),
    };
    let (ticket, starts) = shared.begin(connection.place(), head, bytes.as_deref(), is_complete);
    drop(bytes);
    shared.make(connection.place(), starts).await;
    if !is_complete {
        if let Some(response) = read_rest(connection, &ticket, &mut body).await? {
            return Ok(respond(response, ticket));
        }
        shared.make(connection.place(), shared.body_end(ticket.exchange)).await;
    }
    let response = poll_fn(|context| ticket.outlet.poll_head(context)).await?;
    if response.0.status < 300 {
        connection.place().establish();
    }
    Ok(respond(response, ticket))
}

/// Hands over the rest of a body; a response that does not wait for it ends that.
async fn read_rest<S: Service>(
    connection: &Connection<S>,
    ticket: &Ticket,
    body: &mut Incoming,
) -> Result<Option<(ResponseHead, Option<Bytes>)>, Over> {
    loop {
        let mut next = pin!(part(body));
        let next = poll_fn(|context| {
            if let Poll::Ready(response) = ticket.outlet.poll_head(context) {
                return Poll::Ready(Err(response));
            }
            next.as_mut().poll(context).map(Ok)
        });
        match next.await {
            Err(response) => return response.map(Some),
            Ok(None) => return Ok(None),
            Ok(Some(Ok(bytes))) => connection.shared.body(ticket.exchange, &bytes),
            Ok(Some(Err(_))) => return Err(Over),
        }
    }
}

async fn part(body: &mut Incoming) -> Part {
    let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await?;
    // Trailers say nothing here.
    Some(frame.map(|frame| frame.into_data().unwrap_or_default()))
}

/// Returns the first part of a body where it came together with the head. Then the endpoint gets both at once.
async fn part_at_hand(body: &mut Incoming) -> Option<Part> {
    let mut next = pin!(part(body));
    let mut is_asked = false;
    poll_fn(|context| {
        if let Poll::Ready(part) = next.as_mut().poll(context) {
            return Poll::Ready(Some(part));
        }
        if is_asked {
            return Poll::Ready(None);
        }
        // hyper reads a body once somebody asks for it, so it is there at the second time at the earliest.
        is_asked = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// Returns the target as it stands in the request, with its authority where that could differ from `host`.
fn target_of(parts: &Parts) -> Cow<'_, str> {
    if parts.uri.authority().is_some() && parts.headers.contains_key(HOST) {
        return Cow::Owned(parts.uri.to_string());
    }
    parts.uri.path_and_query().map_or("/", |target| target.as_str()).into()
}

fn headers_of(parts: &Parts) -> Vec<(&str, &[u8])> {
    let mut headers = Vec::with_capacity(parts.headers.len() + 1);
    headers.extend(parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())));
    // HTTP/2 names the host elsewhere; in HTTP/1.1 it must be named here as well.
    if let Some(authority) = parts.uri.authority()
        && parts.version == Version::HTTP_2
        && !parts.headers.contains_key(HOST)
    {
        headers.push(("host", authority.as_str().as_bytes()));
    }
    headers
}

fn respond((head, whole): (ResponseHead, Option<Bytes>), ticket: Ticket) -> Response<Content> {
    let mut response = Response::new(Content::of(whole, ticket));
    *response.status_mut() = StatusCode::from_u16(head.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.reserve(head.headers.len());
    for (name, value) in head.headers {
        // The endpoint writes no other characters than headers have.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.append(HeaderName::from_static(name), value);
        }
    }
    response
}
