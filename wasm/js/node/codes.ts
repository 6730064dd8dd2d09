// Gives classes of errors the names and codes that they keep where a bundler shortens names.

import { SelvedgeError } from "selvedge";

type ErrorClass = abstract new (...args: never[]) => Error;

const codes = new Map<unknown, string>();

/** Sets the name that an error shows, and the code where its class has a fixed one. */
export function shows(of: ErrorClass, name: string, code?: string): void {
  Object.defineProperty(of.prototype, "name", { value: name, writable: true, configurable: true });
  if (code !== undefined) codes.set(of, code);
}

/** An error whose class says its code. */
export class CodedError extends SelvedgeError {
  constructor(message: string) {
    super(codes.get(new.target) ?? "failed", message);
  }
}
