// Every kind that a type names has its literal among the fixtures: nothing is described that never comes.

import type { Answer, AnswerFault, CallError, Effect, Event, Evidence, Hint, JsonRpcFault } from "selvedge";
import type { OpenFailure, Reason, RetirementError, Violation } from "selvedge";
import { effects, violations } from "./fixtures.gen.js";

type EffectOf = (typeof effects)[number];
type EventOf = Extract<EffectOf, { kind: "event" }>["event"];
type OutcomeOf = Extract<EventOf, { kind: "settled" }>["outcome"];
type AnswerOf = Extract<OutcomeOf, { ok: true }>["answer"];
type ErrorOf = Extract<OutcomeOf, { ok: false }>["error"];
type ReasonOf = Extract<EventOf, { kind: "closed" }>["reason"];
type RetiredOf = Extract<EventOf, { kind: "retired" }>;
type ViolationOf = (typeof violations)[number];

/** The kinds of a type that no fixture has, `other` apart, which stands for what does not exist yet. */
type Missing<Type extends { kind: string }, Seen extends { kind: string }> = Exclude<Type["kind"], Seen["kind"] | "other">;

const none: [
  Missing<Effect, EffectOf>,
  Missing<Event, EventOf>,
  Missing<Answer, AnswerOf>,
  Missing<CallError, ErrorOf>,
  Missing<AnswerFault, Extract<ErrorOf, { kind: "malformed" }>["fault"]>,
  Missing<Reason, ReasonOf>,
  Exclude<OpenFailure, Extract<ReasonOf, { kind: "openFailed" }>["failure"]>,
  Missing<Hint, NonNullable<Extract<ReasonOf, { hint: unknown }>["hint"]>>,
  Missing<Evidence, Extract<RetiredOf, { ok: true }>["evidence"]>,
  Missing<RetirementError, Extract<RetiredOf, { ok: false }>["error"]>,
  Missing<Violation, ViolationOf>,
  Exclude<JsonRpcFault, Extract<ViolationOf, { fault: unknown }>["fault"] | "other">,
] extends never[] ? true : false = true;

export default none;
