// What the harness fails with: one family, whose base the engine has too.

import { type CallError, type Reason, type RetirementError, SelvedgeError } from "selvedge";
import { shows } from "./codes.js";

/** There is no session. `code` is the kind of the reason. */
export class ConnectError extends SelvedgeError {
  constructor(
    /** Why there is none. */
    readonly reason: Reason,
    /** What the server wrote last on its diagnostic stream. */
    readonly stderrTail: string,
  ) {
    const tail = stderrTail.trimEnd().split("\n").slice(-5).join("\n");
    super(reason.kind, tail === "" ? reason.message : `${reason.message}\n${tail}`);
  }
}

/** A call has no answer. A tool that says that it failed is such a call too. `code` is the kind of the error. */
export class CallFailed extends SelvedgeError {
  constructor(
    /** Why there is none, as the engine tells it. */
    readonly error: CallError,
  ) {
    super(error.kind, error.message);
  }
}

/** Nobody knows whether the server has ended. `code` is the kind of the error. */
export class RetirementFailed extends SelvedgeError {
  constructor(
    /** Why not. */
    readonly error: RetirementError,
  ) {
    super(error.kind, error.message);
  }
}

/**
 * The application's signal gave up on a call or on connecting. `code` is `aborted`, `name` is `AbortError` as everywhere
 * under Node, and `cause` is the reason of the signal.
 */
export class AbortError extends SelvedgeError {
  constructor(signal: AbortSignal) {
    const { reason } = signal;
    const said = reason instanceof Error ? reason.message : String(reason);
    super("aborted", `given up by the application: ${said}`, { cause: reason });
  }
}

shows(ConnectError, "ConnectError");
shows(CallFailed, "CallFailed");
shows(RetirementFailed, "RetirementFailed");
shows(AbortError, "AbortError");
