import type { Attempt } from './attempt.ts';
import type { ConversationIdentity } from './conversation/conversation.ts';
import type { NanoUsd } from './money.ts';
import type { Target } from './provider.ts';
import type { Reply } from './reply/reply.ts';

/** What a module was seen to do; modules don't report on themselves. */
export type Effect =
  | 'passed'
  | 'changed-request'
  | 'answered'
  | 'changed-reply'
  | 'changed-both'
  | 'rejected'
  | 'broken';

export type Attributes = Readonly<Record<string, string | number | true>>;

/** One module's part in a call. */
export class Step {
  readonly module: string;
  /** Whether the module is there to answer from memory. */
  readonly isCache: boolean;
  effect: Effect = 'passed';
  attributes: Attributes = {};
  /** Time in the module itself, without what it waited for further in. */
  ownMs = 0;
  fault: string | undefined;
  /** What it saved the caller, as far as the call itself shows it; less than 0 where it cost more. */
  savedNanoUsd: NanoUsd = 0;

  constructor(module: string, isCache = false) {
    this.module = module;
    this.isCache = isCache;
  }

  note(facts: Attributes): void {
    this.attributes = { ...this.attributes, ...facts };
  }

  get hasEffect(): boolean {
    return this.effect !== 'passed' || isNonEmpty(this.attributes);
  }
}

/** The record of one call: rendered as a header, as a log line and, later, as a receipt. */
export class Trace {
  readonly startedAtMs: number;
  readonly steps: Step[] = [];
  /** Every answer that a provider was asked for, in the order of asking. */
  readonly attempts: Attempt[] = [];
  readonly dropped: string[] = [];
  /** Headers that modules tell the client something in. */
  readonly moduleHeaders: string[] = [];
  /** The format in which a provider was last asked over the network. */
  providerWire: string | undefined;
  /** Time spent waiting for a provider. */
  providerMs = 0;
  /** When a provider was last asked over the network, had a connection for it, and began to answer. */
  sentAtMs: number | undefined;
  connectedAtMs: number | undefined;
  headAtMs: number | undefined;
  #origin: ConversationIdentity | undefined;
  #deliveredAttempt: Attempt | undefined;
  /** When the answer had begun, or the call had failed. */
  #replyStartedAtMs: number | undefined;
  #openAttempts = 0;
  #onIdle: (() => void) | undefined;
  #isEnded = false;
  #endListeners: (() => void)[] | undefined;
  /** The call that this one is a part of. */
  readonly #parent: Trace | undefined;

  constructor(startedAtMs: number, whole?: Trace) {
    this.startedAtMs = startedAtMs;
    this.#parent = whole;
  }

  step(module: string, isCache = false): Step {
    const step = new Step(module, isCache);
    this.steps.push(step);
    return step;
  }

  /** A provider is asked. */
  attemptStarted(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.#openAttempts++;
    this.#parent?.attemptStarted(attempt);
  }

  /** Something is under way that may come to an attempt; `attemptEnded` ends that, too. */
  expectAttempt(): void {
    this.#openAttempts++;
  }

  /** One of the attempts has ended. */
  attemptEnded(): void {
    this.#parent?.attemptEnded();
    if (--this.#openAttempts > 0) return;
    const then = this.#onIdle;
    this.#onIdle = undefined;
    then?.();
  }

  /** Runs when no attempt is under way: at once, mostly. */
  whenIdle(then: () => void): void {
    if (this.#openAttempts === 0) then();
    else this.#onIdle = then;
  }

  /** Whether the call has ended and was told of. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  end(): void {
    this.#isEnded = true;
    const all = this.#endListeners;
    this.#endListeners = undefined;
    if (all !== undefined) for (const run of all) run();
  }

  /** Runs when the call is over. */
  onEnd(run: () => void): void {
    if (this.#isEnded) run();
    else this.#endListeners = [...(this.#endListeners ?? []), run];
  }

  /** The client gets this one: of several answers that were asked for, it needn't be the last. */
  setDelivered(reply: Reply): void {
    if (this.attempts.length > 1)
      this.#deliveredAttempt = this.attempts.find((attempt) => attempt.produced(reply));
  }

  /** Where the answer came from, or the call was last sent; undefined while no provider was asked. */
  get answeredBy(): Target | undefined {
    if (this.#deliveredAttempt?.isModuleCall === false) return this.#deliveredAttempt.target;
    for (let at = this.attempts.length - 1; at >= 0; at--)
      if (this.attempts[at]?.isModuleCall === false) return this.attempts[at]?.target;
    return undefined;
  }

  /** The conversation that the call belongs to, which is the same from its first asking on, and told to the client. */
  resolveConversation(found: () => ConversationIdentity): ConversationIdentity {
    if (this.#origin === undefined) {
      this.#origin = found();
      this.setHeader('conversation', this.#origin.name);
    }
    return this.#origin;
  }

  /** Where it turns out to be another conversation that began in the same way. */
  renameConversation(name: string): string {
    if (this.#origin !== undefined && this.#origin.name !== name) {
      this.#origin = { ...this.#origin, name };
      this.setHeader('conversation', name);
    }
    return name;
  }

  /** A header of the answer; what was said before under the same name is forgotten. */
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

  /** By what caches were seen to do. */
  cacheHeader(): 'hit' | 'miss' | 'bypass' {
    let looked = false;
    for (const { isCache, effect, attributes } of this.steps) {
      if (!isCache) continue;
      if (effect === 'answered') return 'hit';
      if (effect !== 'broken' && attributes.bypass !== true) looked = true;
    }
    return looked ? 'miss' : 'bypass';
  }

  /** What all modules saved. */
  get savedNanoUsd(): NanoUsd {
    let saved = 0;
    for (const step of this.steps) saved += step.savedNanoUsd;
    return saved;
  }

  replyStarted(nowMs: number): void {
    this.#replyStartedAtMs = nowMs;
  }

  /** What the gateway itself added before the answer began. */
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

function isNonEmpty(facts: Attributes): boolean {
  for (const _ in facts) return true;
  return false;
}

/** What a header can carry. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_');
}

/** Keeps a fact inside its place in the header, whatever a module put there. */
function toToken(text: string): string {
  return nonTokenChar.test(text) ? text.replaceAll(nonTokenChars, '_') : text;
}

const nonTokenChar = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/;
const nonTokenChars = new RegExp(nonTokenChar, 'g');
