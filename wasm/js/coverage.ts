// Every kind that a type names has its literal among the fixtures: nothing is described that never comes.

import type { Answer, AnswerFault, CallError, Effect, Event, Evidence, Hint, JsonRpcFault } from "selvedge";
import type { Framing, Language, Level, LogLevel, Offered, OpenFailure, Plan, PlannedParam, Reason } from "selvedge";
import type { RetirementError, Revision, ServerEffect, ServerEvent, ServerRequest, State, Verdict, Violation } from "selvedge";
import { effects, framings, languages, levels, logLevels, offered, plans, revisions } from "./fixtures.gen.js";
import { serverEffects, states, verdicts, violations } from "./fixtures.gen.js";

type EffectOf = (typeof effects)[number];
type EventOf = Extract<EffectOf, { kind: "event" }>["event"];
type OutcomeOf = Extract<EventOf, { kind: "settled" }>["outcome"];
type AnswerOf = Extract<OutcomeOf, { ok: true }>["answer"];
type ErrorOf = Extract<OutcomeOf, { ok: false }>["error"];
type ReasonOf = Extract<EventOf, { kind: "closed" }>["reason"];
type RetiredOf = Extract<EventOf, { kind: "retired" }>;
type ViolationOf = (typeof violations)[number];
type ServerEffectOf = (typeof serverEffects)[number];
type ServerEventOf = Extract<ServerEffectOf, { kind: "event" }>["event"];
type PlanOf = (typeof plans)[number];

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
  Missing<ServerEffect, ServerEffectOf>,
  Missing<ServerEvent, ServerEventOf>,
  Missing<ServerRequest, Extract<ServerEventOf, { kind: "requested" }>["request"]>,
  Missing<Plan, PlanOf>,
  Missing<PlannedParam, Extract<PlanOf, { kind: "typed" }>["required"][number]>,
  Missing<Verdict, (typeof verdicts)[number]>,
  Exclude<State, (typeof states)[number]>,
  Exclude<Revision, (typeof revisions)[number]>,
  Exclude<Offered, (typeof offered)[number]>,
  Exclude<LogLevel, (typeof logLevels)[number]>,
  Exclude<Framing, (typeof framings)[number]>,
  Exclude<Language, (typeof languages)[number]>,
  Exclude<Level, (typeof levels)[number]>,
] extends never[] ? true : false = true;

export default none;
