// What the harness fails with. Every error has a `code` for programs and a message for people.

import type { CallError, Reason, RetirementError } from "selvedge";

/** Anything that the harness fails with. */
export class HarnessError extends Error {
  constructor(
    /** What kind of failure it is. */
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** There is no session. */
export class ConnectError extends HarnessError {
  constructor(
    readonly reason: Reason,
    /** What the server wrote last on its diagnostic stream. */
    readonly stderrTail: string,
  ) {
    const tail = stderrTail.trimEnd().split("\n").slice(-5).join("\n");
    super(reason.kind, tail === "" ? reason.message : `${reason.message}\n${tail}`);
  }
}

/** A call has no answer. A tool that says that it failed is such a call too. */
export class CallFailed extends HarnessError {
  constructor(readonly error: CallError) {
    super(error.kind, error.message);
  }
}

/** Nobody knows whether the server has ended. */
export class RetirementFailed extends HarnessError {
  constructor(readonly error: RetirementError) {
    super(error.kind, error.message);
  }
}
