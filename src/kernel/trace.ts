import type { Attempt } from './attempt.ts';
import type { Origin } from './conversation/conversation.ts';
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

export type Facts = Readonly<Record<string, string | number | true>>;

/** One module's part in a call. */
export class Step {
  readonly module: string;
  /** Whether the module is there to answer from memory. */
  readonly isCache: boolean;
  effect: Effect = 'passed';
  facts: Facts = {};
  /** Time in the module itself, without what it waited for further in. */
  ownMs = 0;
  fault: string | undefined;
  /** What it saved the caller, as far as the call itself shows it; less than 0 where it cost more. */
  savedNanoUsd: NanoUsd = 0;

  constructor(module: string, isCache = false) {
    this.module = module;
    this.isCache = isCache;
  }

  note(facts: Facts): void {
    this.facts = { ...this.facts, ...facts };
  }

  get acted(): boolean {
    return this.effect !== 'passed' || hasAny(this.facts);
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
  readonly told: string[] = [];
  /** The format in which a provider was last asked over the network. */
  askedIn: string | undefined;
  /** Time spent waiting for a provider. */
  awayMs = 0;
  /** When a provider was last asked over the network, had a connection for it, and began to answer. */
  leftAtMs: number | undefined;
  connectedAtMs: number | undefined;
  headAtMs: number | undefined;
  #origin: Origin | undefined;
  #delivered: Attempt | undefined;
  /** When the answer had begun, or the call had failed. */
  #begunAtMs: number | undefined;
  #openAttempts = 0;
  #whenQuiet: (() => void) | undefined;
  #isOver = false;
  #afterwards: (() => void)[] | undefined;
  /** The call that this one is a part of. */
  readonly #whole: Trace | undefined;

  constructor(startedAtMs: number, whole?: Trace) {
    this.startedAtMs = startedAtMs;
    this.#whole = whole;
  }

  step(module: string, isCache = false): Step {
    const step = new Step(module, isCache);
    this.steps.push(step);
    return step;
  }

  /** A provider is asked. */
  asks(attempt: Attempt): void {
    this.attempts.push(attempt);
    this.#openAttempts++;
    this.#whole?.asks(attempt);
  }

  /** Something is under way that may come to an attempt; `attemptEnded` ends that, too. */
  begins(): void {
    this.#openAttempts++;
  }

  /** One of the attempts has ended. */
  attemptEnded(): void {
    this.#whole?.attemptEnded();
    if (--this.#openAttempts > 0) return;
    const then = this.#whenQuiet;
    this.#whenQuiet = undefined;
    then?.();
  }

  /** Runs when no attempt is under way: at once, mostly. */
  whenQuiet(then: () => void): void {
    if (this.#openAttempts === 0) then();
    else this.#whenQuiet = then;
  }

  /** Whether the call has ended and was told of. */
  get isOver(): boolean {
    return this.#isOver;
  }

  over(): void {
    this.#isOver = true;
    const all = this.#afterwards;
    this.#afterwards = undefined;
    if (all !== undefined) for (const run of all) run();
  }

  /** Runs when the call is over. */
  afterwards(run: () => void): void {
    if (this.#isOver) run();
    else this.#afterwards = [...(this.#afterwards ?? []), run];
  }

  /** The client gets this one: of several answers that were asked for, it needn't be the last. */
  delivers(reply: Reply): void {
    if (this.attempts.length > 1) this.#delivered = this.attempts.find((attempt) => attempt.gave(reply));
  }

  /** Where the answer came from, or the call was last sent; undefined while no provider was asked. */
  get answeredBy(): Target | undefined {
    if (this.#delivered?.isAside === false) return this.#delivered.target;
    for (let at = this.attempts.length - 1; at >= 0; at--)
      if (this.attempts[at]?.isAside === false) return this.attempts[at]?.target;
    return undefined;
  }

  /** The conversation that the call belongs to, which is the same from its first asking on, and told to the client. */
  inConversation(found: () => Origin): Origin {
    if (this.#origin === undefined) {
      this.#origin = found();
      this.tell('conversation', this.#origin.name);
    }
    return this.#origin;
  }

  /** Where it turns out to be another conversation that began in the same way. */
  isNamed(name: string): string {
    if (this.#origin !== undefined && this.#origin.name !== name) {
      this.#origin = { ...this.#origin, name };
      this.tell('conversation', name);
    }
    return name;
  }

  /** A header of the answer; what was said before under the same name is forgotten. */
  tell(name: string, value: string): void {
    if (!/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`"${name}" can't be part of a header's name`);
    const header = `x-weir-${name}`;
    const before = this.told.indexOf(header);
    if (before >= 0) this.told.splice(before, 2);
    this.told.push(header, printable(value));
  }

  /** `exact-cache;hit;0.2ms, cost-guard;usd=0.0031;0.1ms` */
  modulesHeader(): string {
    let header = '';
    for (const step of this.steps)
      if (step.acted) header += header === '' ? renderStep(step) : `, ${renderStep(step)}`;
    return header;
  }

  /** By what caches were seen to do. */
  cacheHeader(): 'hit' | 'miss' | 'bypass' {
    let looked = false;
    for (const { isCache, effect, facts } of this.steps) {
      if (!isCache) continue;
      if (effect === 'answered') return 'hit';
      if (effect !== 'broken' && facts.bypass !== true) looked = true;
    }
    return looked ? 'miss' : 'bypass';
  }

  /** What all modules saved. */
  get savedNanoUsd(): NanoUsd {
    let saved = 0;
    for (const step of this.steps) saved += step.savedNanoUsd;
    return saved;
  }

  begun(nowMs: number): void {
    this.#begunAtMs = nowMs;
  }

  /** What the gateway itself added before the answer began. */
  get overheadMs(): number {
    return this.#begunAtMs === undefined ? 0 : Math.max(0, this.#begunAtMs - this.startedAtMs - this.awayMs);
  }
}

function renderStep({ module, effect, facts, ownMs }: Step): string {
  let text = module;
  if (effect === 'broken' || !hasAny(facts)) text += `;${effect}`;
  for (const name in facts) {
    const value = facts[name];
    text += value === true ? `;${token(name)}` : `;${token(name)}=${token(String(value))}`;
  }
  const tenths = Math.round(ownMs * 10);
  return `${text};${Math.floor(tenths / 10)}.${tenths % 10}ms`;
}

function hasAny(facts: Facts): boolean {
  for (const _ in facts) return true;
  return false;
}

/** What a header can carry. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_');
}

/** Keeps a fact inside its place in the header, whatever a module put there. */
function token(text: string): string {
  return outside.test(text) ? text.replaceAll(outsides, '_') : text;
}

const outside = /[^\x21-\x2b\x2d-\x3a\x3c-\x7e]/;
const outsides = new RegExp(outside, 'g');
