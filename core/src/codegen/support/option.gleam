//// Written for modules that Selvedge generates, for builds without the standard library.

pub type Option(a) {
  Some(a)
  None
}
