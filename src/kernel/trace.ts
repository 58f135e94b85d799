import { type Attempt, billOf, type Spent, usageOf } from './attempt.ts';
import type { CallRecorder } from './call-recorder.ts';
import type { ConversationIdentity } from './conversation/conversation.ts';
import type { BreakReason } from './conversation/prefix.ts';
import { type AirgapLevel, EgressRecord } from './egress-record.ts';
import { limits } from './limits.ts';
import type { NanoUsd } from './money.ts';
import type { Target } from './provider.ts';
import type { Ending } from './reply/ending.ts';
import type { Reply } from './reply/reply.ts';
import { createSpanId, type SpanReference, type TraceParent } from './trace-parent.ts';

/** The observed effect of a module; modules don't report it themselves. */
export const effects = [
  'passed',
  'changed-request',
  'answered',
  'changed-reply',
  'changed-both',
  'rejected',
  'broken',
] as const;
export type Effect = (typeof effects)[number];

/** The effects that a filter by one matches: a module that changed both matches either. */
export function matchingEffects(effect: Effect): readonly Effect[] {
  return effect === 'changed-request' || effect === 'changed-reply' ? [effect, 'changed-both'] : [effect];
}

export type Attributes = Readonly<Record<string, string | number | true>>;

/** One module's part in a call. */
export class Step {
  readonly module: string;
  /** Whether the module is a cache. */
  readonly isCache: boolean;
  /** The step of the module around it. */
  readonly outer: Step | undefined;
  /** When the module was called, on the performance clock. */
  readonly startedAtMs = performance.now();
  /** When its reply ended; undefined while it runs. */
  endedAtMs: number | undefined;
  effect: Effect = 'passed';
  attributes: Attributes = {};
  /** The module's own time, without waiting for inner modules. */
  ownMs = 0;
  fault: string | undefined;
  /** What it saved the caller, as far as the call shows; negative if it cost more. */
  savedNanoUsd: NanoUsd = 0;
  /** What it counted, by name. */
  counts: Map<string, number> | undefined;
  #spanId: string | undefined;

  constructor(module: string, isCache = false, outer?: Step) {
    this.module = module;
    this.isCache = isCache;
    this.outer = outer;
  }

  /** Its span in a distributed trace; created on first use. */
  get spanId(): string {
    this.#spanId ??= createSpanId();
    return this.#spanId;
  }

  note(facts: Attributes): void {
    this.attributes = { ...this.attributes, ...facts };
  }

  /** Adds to a count. */
  tally(name: string, by: number): void {
    this.counts ??= new Map();
    this.counts.set(name, (this.counts.get(name) ?? 0) + by);
  }

  /** Adds numbers to those noted before, and appends texts that are not noted yet. */
  add(facts: Attributes): void {
    const sums = Object.entries(facts).map(([name, value]) => [name, sumOf(this.attributes[name], value)]);
    this.note(Object.fromEntries(sums));
  }

  get hasEffect(): boolean {
    return this.effect !== 'passed' || isNonEmpty(this.attributes);
  }
}

/** A call of a tool of an MCP server that has ended. */
export interface ToolCallOutcome {
  /** Its name at the gateway. */
  readonly tool: string;
  /** Undefined if the caller has no such tool. */
  readonly server: ToolServer | undefined;
  /** The module that made the call; undefined for a call of a client. */
  readonly askedBy: string | undefined;
  /** On the performance clock. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly spanId: string;
  readonly how: Ending['how'];
  /** The error code of the server or of the gateway; `tool_error` for a result in which the tool says that it failed. */
  readonly error: string | undefined;
}

/** With what its receipt says of its content. */
export interface ToolCallRecord extends ToolCallOutcome {
  readonly argumentsSha256: string;
  /** Null without a result. */
  readonly resultSha256: string | null;
}

/** Where a tool is. */
export interface ToolServer {
  readonly name: string;
  /** The name of the tool there. */
  readonly tool: string;
  /** Undefined for a program. */
  readonly url: string | undefined;
}

/** Out of the gateway, or to the tool that the arguments name. */
export type GatewayToolReach = 'outside' | 'other-tool';

const noGatewayTools: ReadonlyMap<string, GatewayToolReach> = new Map();

/** The span of a call. */
export interface CallSpan extends SpanReference {
  /** The client's place in the trace; undefined if the trace starts here. */
  readonly parent: TraceParent | undefined;
}

/** The record of one call: rendered as a header, as a log line and, later, as a receipt. */
export class Trace {
  /** On the performance clock. */
  startedAtMs: number;
  readonly steps: Step[] = [];
  /** All attempts, in order. */
  readonly attempts: Attempt[] = [];
  readonly dropped: string[] = [];
  /** Response headers set by modules. */
  readonly moduleHeaders: string[] = [];
  /** The format of the last network attempt. */
  providerWire: string | undefined;
  /** The target of the cached answer that the client gets. */
  replayedFrom: Target | undefined;
  /** The span of the call that the cached answer is from. */
  replayedSpan: SpanReference | undefined;
  /** Set if the spans of the call are exported. */
  span: CallSpan | undefined;
  /** Why the provider's cache of the conversation is of no use to this call; undefined if it is, or nobody checked. */
  breakReason: BreakReason | undefined;
  /** Time spent waiting for a provider. */
  providerMs = 0;
  /** What the provider's batches cost whose results the call reads, if they were billed with it. */
  batches: Spent | undefined;
  /** Set if the call is recorded. */
  recorder: CallRecorder | undefined;
  #toolCalls: ToolCallRecord[] | undefined;
  #gatewayTools: Map<string, GatewayToolReach> | undefined;
  #isCacheable = true;
  #origin: ConversationIdentity | undefined;
  #egress: EgressRecord | undefined;
  #deliveredAttempt: Attempt | undefined;
  /** When the reply started, or the call failed. */
  #replyStartedAtMs: number | undefined;
  #openAttempts = 0;
  #onIdle: (() => void) | undefined;
  #isEnded = false;
  #endListeners: (() => void)[] | undefined;
  /** The trace of the call that this one is part of. */
  readonly #parent: Trace | undefined;

  constructor(startedAtMs: number, whole?: Trace) {
    this.startedAtMs = startedAtMs;
    this.#parent = whole;
  }

  /** Keeps the call inside an airgap from now on; nothing takes it out again. */
  keepInside(airgap: AirgapLevel): void {
    if (this.#egress === undefined || (airgap === 'call' && !this.isAirgapped))
      this.#egress = new EgressRecord(airgap);
  }

  /** Where the gateway connected to for a call in an airgap; undefined for others. */
  get egress(): EgressRecord | undefined {
    return this.#egress ?? this.#parent?.egress;
  }

  /** Whether the pipeline of the call has an airgap. */
  get isAirgapped(): boolean {
    return this.egress?.airgap === 'call';
  }

  /** The calls of tools outside of the gateway that modules made for this call. */
  get toolCalls(): readonly ToolCallRecord[] {
    return this.#toolCalls ?? [];
  }

  addToolCall(toolCall: ToolCallRecord): void {
    this.#toolCalls = [...(this.#toolCalls ?? []), toolCall];
    this.#parent?.addToolCall(toolCall);
  }

  /** Where the arguments of tools go that the gateway answers, by the names of the tools; without those that stay inside. */
  get gatewayTools(): ReadonlyMap<string, GatewayToolReach> {
    return this.#gatewayTools ?? noGatewayTools;
  }

  addGatewayTools(
    tools: Iterable<readonly [string, { readonly isOutside?: boolean; readonly callsOthers?: boolean }]>,
  ): void {
    for (const [name, { isOutside, callsOthers }] of tools)
      if (isOutside === true || callsOthers === true) {
        this.#gatewayTools ??= new Map();
        this.#gatewayTools.set(name, isOutside === true ? 'outside' : 'other-tool');
      }
  }

  /** Whether the answer depends on nothing but the request, so that caches may store it. */
  get isCacheable(): boolean {
    return this.#isCacheable;
  }

  keepUncached(): void {
    this.#isCacheable = false;
    this.#parent?.keepUncached();
  }

  addBatch(batch: Spent): void {
    const all = this.batches === undefined ? [batch] : [this.batches, batch];
    this.batches = { usage: usageOf(all), bill: billOf(all) };
  }

  step(module: string, isCache = false, outer?: Step): Step {
    const step = new Step(module, isCache, outer);
    this.steps.push(step);
    return step;
  }

  attemptStarted(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.#openAttempts++;
    this.#parent?.attemptStarted(attempt);
  }

  /** Announces work that may lead to an attempt; `attemptEnded` ends it, too. */
  expectAttempt(): void {
    this.#openAttempts++;
  }

  attemptEnded(): void {
    this.#parent?.attemptEnded();
    if (--this.#openAttempts > 0) return;
    const then = this.#onIdle;
    this.#onIdle = undefined;
    then?.();
  }

  /** Runs when no attempt is in flight, usually at once. */
  whenIdle(then: () => void): void {
    if (this.#openAttempts === 0) then();
    else this.#onIdle = then;
  }

  /** Whether the call has ended and was reported. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  end(): void {
    this.#isEnded = true;
    const all = this.#endListeners;
    this.#endListeners = undefined;
    if (all !== undefined) for (const run of all) run();
  }

  /** Runs when the call has ended. */
  onEnd(run: () => void): void {
    if (this.#isEnded) run();
    else this.#endListeners = [...(this.#endListeners ?? []), run];
  }

  /** Records which reply the client gets; with several attempts, it need not be the last. */
  setDelivered(reply: Reply): void {
    if (this.attempts.length > 1)
      this.#deliveredAttempt = this.attempts.find((attempt) => attempt.produced(reply));
  }

  /** The attempt that answered, or the last one for the client's own request; undefined if there is none. */
  get answeringAttempt(): Attempt | undefined {
    if (this.#deliveredAttempt?.isModuleCall === false) return this.#deliveredAttempt;
    for (let at = this.attempts.length - 1; at >= 0; at--)
      if (this.attempts[at]?.isModuleCall === false) return this.attempts[at];
    return undefined;
  }

  /** The target of the attempt that answered, or of the cached answer. */
  get answeredBy(): Target | undefined {
    return this.answeringAttempt?.target ?? this.replayedFrom;
  }

  /** The conversation of the call, fixed on first use and sent to the client. */
  resolveConversation(found: () => ConversationIdentity): ConversationIdentity {
    if (this.#origin === undefined) {
      this.#origin = found();
      this.setHeader('conversation', this.#origin.name);
    }
    return this.#origin;
  }

  /** The name of the conversation; undefined if nothing has used it. */
  get conversationName(): string | undefined {
    return this.#origin?.name;
  }

  /** For a branch that started like another conversation. */
  renameConversation(name: string): string {
    if (this.#origin !== undefined && this.#origin.name !== name) {
      this.#origin = { ...this.#origin, name };
      this.setHeader('conversation', name);
    }
    return name;
  }

  /** Sets a response header; replaces an earlier value. */
  setHeader(name: string, value: string): void {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`"${name}" can't be used in a header name`);
    const header = `x-weir-${name}`;
    const before = this.moduleHeaders.indexOf(header);
    if (before >= 0) this.moduleHeaders.splice(before, 2);
    this.moduleHeaders.push(header, printable(value));
  }

  /** `exact-cache;hit;0.2ms, cost-guard;usd=0.0031;0.1ms` */
  modulesHeader(): string {
    let header = '';
    for (const step of this.steps)
      if (step.hasEffect) header += header === '' ? renderStep(step) : `, ${renderStep(step)}`;
    return header;
  }

  /** Derived from the effects of caches. */
  cacheHeader(): 'hit' | 'miss' | 'bypass' {
    let looked = false;
    for (const { isCache, effect, attributes } of this.steps) {
      if (!isCache) continue;
      if (effect === 'answered') return 'hit';
      if (effect !== 'broken' && attributes.bypass !== true) looked = true;
    }
    return looked ? 'miss' : 'bypass';
  }

  /** The savings of all modules. */
  get savedNanoUsd(): NanoUsd {
    let saved = 0;
    for (const step of this.steps) saved += step.savedNanoUsd;
    return saved;
  }

  replyStarted(nowMs: number): void {
    this.#replyStartedAtMs = nowMs;
  }

  /** The time that the gateway itself added before the reply started. */
  get overheadMs(): number {
    return this.#replyStartedAtMs === undefined
      ? 0
      : Math.max(0, this.#replyStartedAtMs - this.startedAtMs - this.providerMs);
  }
}

function renderStep({ module, effect, attributes, ownMs }: Step): string {
  let text = module;
  if (effect === 'broken' || !isNonEmpty(attributes)) text += `;${effect}`;
  for (const name in attributes) {
    const value = attributes[name];
    text += value === true ? `;${toToken(name)}` : `;${toToken(name)}=${toToken(String(value))}`;
  }
  const tenths = Math.round(ownMs * 10);
  return `${text};${Math.floor(tenths / 10)}.${tenths % 10}ms`;
}

type AttributeValue = Attributes[string];

function sumOf(before: AttributeValue | undefined, value: AttributeValue): AttributeValue {
  if (before === undefined || value === true) return value;
  if (typeof before === 'number' && typeof value === 'number') return before + value;
  const values = String(before).split(valueSeparator);
  if (values.includes(String(value)) || values.length >= limits.noteValuesMax) return before;
  return [...values, value].join(valueSeparator);
}

const valueSeparator = '+';

function isNonEmpty(facts: Attributes): boolean {
  for (const _ in facts) return true;
  return false;
}

/** Replaces characters that a header can't contain. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_');
}

/** Escapes separators, so that an attribute can't break the header format. */
function toToken(text: string): string {
  return nonTokenChar.test(text) ? text.replaceAll(nonTokenChars, '_') : text;
}

const nonTokenChar = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/;
const nonTokenChars = new RegExp(nonTokenChar, 'g');
