#![no_std]
//! core
