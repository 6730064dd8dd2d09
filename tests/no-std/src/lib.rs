//! Proof that `selvedge-core` needs no std.
//!
//! A static library has to bring everything that std otherwise brings, among it the panic handler. As soon as the
//! core or one of its dependencies links std, there are two of them, and this crate does not compile.
#![no_std]

use core::{
    alloc::{GlobalAlloc, Layout},
    panic::PanicInfo,
    ptr,
};

extern crate selvedge_core as _;

struct NoMemory;

// SAFETY: no block is ever handed out, so nothing can be said wrongly about one.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {}
}
