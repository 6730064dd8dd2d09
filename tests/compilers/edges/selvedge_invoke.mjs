// The host's side of the program in Gleam: it prints what is called and answers with texts.
import { Error as Failure, Ok, toList } from "./gleam.mjs";
import * as report from "./cap/report.mjs";

const object = (members) => new report.MapValue(toList(Object.entries(members)));
const string = (text) => new report.StringValue(text);
const text = (content) => object({ type: string("text"), text: string(content) });

export function call(_server, tool, args) {
  const members = args[0].toArray().map(([name, value]) => [name, value[0]]);
  console.log(`${tool} ${JSON.stringify(Object.fromEntries(members))}`);
  const parts = [text(""), text("a"), object({ type: string("image") }), text(""), text("b"), text("")];
  return object({ content: new report.ArrayValue(toList(parts)) });
}

export const whole = (value) => (Number.isSafeInteger(value) ? new Ok(value) : new Failure(undefined));
export const float = (value) => value;
export const large = () => 1e300;
export function show(text) {
  console.log(`text ${JSON.stringify(text.replaceAll("\n", "|"))}`);
  return text;
}
