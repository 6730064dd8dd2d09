//! Our server over real sockets, as clients see it that mean well and clients that do not.

#![cfg(test)]

mod attacks;
mod ends;
mod served;
mod streams;
mod tokens;
mod wire;

use served::{Served, Sign, server, server_with};
use wire::{Response, Wire, legacy, modern};
