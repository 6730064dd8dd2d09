//! Stub.
use super::{
    GenerateError, Options,
    module::Module,
    typed::{Shown, Work},
};
use alloc::vec::Vec;
pub(super) fn emit(work: &mut Work<'_>, options: &Options) -> Result<(Module, Vec<Shown>), GenerateError> {
    super::typescript::emit(work, options)
}
