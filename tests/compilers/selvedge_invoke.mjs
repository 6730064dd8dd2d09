// The host's side of a Gleam program: it prints what is called and answers with what was recorded.
import { Error as Failure, Ok } from "./gleam.mjs";
import * as report from "./cap/report.mjs";
import { toList } from "./gleam.mjs";
import { answers, heading } from "./recorded.mjs";

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

/** Returns the place of the first number that no JSON can hold. */
function unsendable(value, path) {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : path;
  if (value === null || typeof value !== "object") return undefined;
  return Object.entries(value).map(([key, inner]) => unsendable(inner, `${path}/${key}`)).find((found) => found !== undefined);
}

export function call(server, tool, args) {
  const sent = plain(args);
  const path = unsendable(sent, "");
  if (path !== undefined) return wrap({ code: "invalid_argument", message: `${path} is no JSON value` });
  console.log(heading(server, tool) + JSON.stringify(sent));
  return wrap(answers.shift());
}

export const whole = (value) => (Number.isSafeInteger(value) ? new Ok(value) : new Failure(undefined));
export const float = (value) => value;
