import { Error as Failure, Ok } from "./gleam.mjs";
import * as report from "./cap/report.mjs";
import { toList } from "./gleam.mjs";

const kinds = new Map([
  [report.NilValue, () => null],
  [report.BoolValue, (value) => value[0]],
  [report.IntValue, (value) => value[0]],
  [report.FloatValue, (value) => value[0]],
  [report.StringValue, (value) => value[0]],
  [report.ArrayValue, (value) => value[0].toArray().map(plain)],
  [report.MapValue, (value) => Object.fromEntries(value[0].toArray().map(([name, inner]) => [name, plain(inner)]).sort())],
]);

function plain(value) {
  return kinds.get(value.constructor)(value);
}

function wrap(value) {
  if (value === null) return new report.NilValue();
  if (typeof value === "boolean") return new report.BoolValue(value);
  if (typeof value === "number") return Number.isInteger(value) ? new report.IntValue(value) : new report.FloatValue(value);
  if (typeof value === "string") return new report.StringValue(value);
  if (Array.isArray(value)) return new report.ArrayValue(toList(value.map(wrap)));
  return new report.MapValue(toList(Object.entries(value).map(([name, inner]) => [name, wrap(inner)])));
}

const answers = [
  { content: [{ type: "text", text: "done" }], structured: { id: 7, at: null } },
  { content: [], structured: { id: "x" } },
  { content: [{ type: "text", text: "broken" }], is_error: true },
];

export function call(server, tool, args) {
  console.log(`${server}\t${tool}\t${JSON.stringify(plain(args))}`);
  return wrap(answers.shift());
}

export const whole = (value) => (Number.isSafeInteger(value) ? new Ok(value) : new Failure(undefined));
export const float = (value) => value;
export const greeting = () => 'é"\n';
export function say(line) {
  console.log(line);
  return line;
}
