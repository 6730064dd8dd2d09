//// Written for modules that Selvedge generates, for builds without the standard library.

pub fn append(first: List(a), second: List(a)) -> List(a) {
  case first {
    [] -> second
    [item, ..rest] -> [item, ..append(rest, second)]
  }
}

pub fn map(items: List(a), with: fn(a) -> b) -> List(b) {
  case items {
    [] -> []
    [item, ..rest] -> [with(item), ..map(rest, with)]
  }
}
