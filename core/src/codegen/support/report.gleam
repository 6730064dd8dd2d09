//// Written for modules that Selvedge generates; the same for every server.
//// Plain values as they cross the capability wire.

/// Any value.
pub type Value {
  NilValue
  BoolValue(Bool)
  IntValue(Int)
  FloatValue(Float)
  StringValue(String)
  ArrayValue(List(Value))
  MapValue(List(#(String, Value)))
}

pub fn null() -> Value {
  NilValue
}

pub fn bool(value: Bool) -> Value {
  BoolValue(value)
}

pub fn int(value: Int) -> Value {
  IntValue(value)
}

pub fn float(value: Float) -> Value {
  FloatValue(value)
}

pub fn string(value: String) -> Value {
  StringValue(value)
}

pub fn list(items: List(Value)) -> Value {
  ArrayValue(items)
}

pub fn object(members: List(#(String, Value))) -> Value {
  MapValue(members)
}

/// Returns the first member with this name.
pub fn field(value: Value, name: String) -> Result(Value, Nil) {
  case value {
    MapValue(members) -> find(members, name)
    _ -> Error(Nil)
  }
}

fn find(members: List(#(String, Value)), name: String) -> Result(Value, Nil) {
  case members {
    [] -> Error(Nil)
    [#(own, value), ..] if own == name -> Ok(value)
    [_, ..rest] -> find(rest, name)
  }
}

pub fn as_bool(value: Value) -> Result(Bool, Nil) {
  case value {
    BoolValue(value) -> Ok(value)
    _ -> Error(Nil)
  }
}

pub fn as_int(value: Value) -> Result(Int, Nil) {
  case value {
    IntValue(value) -> Ok(value)
    _ -> Error(Nil)
  }
}

pub fn as_float(value: Value) -> Result(Float, Nil) {
  case value {
    FloatValue(value) -> Ok(value)
    _ -> Error(Nil)
  }
}

pub fn as_string(value: Value) -> Result(String, Nil) {
  case value {
    StringValue(value) -> Ok(value)
    _ -> Error(Nil)
  }
}

pub fn as_list(value: Value) -> Result(List(Value), Nil) {
  case value {
    ArrayValue(items) -> Ok(items)
    _ -> Error(Nil)
  }
}
