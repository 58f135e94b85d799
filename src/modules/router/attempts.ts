import { setTimeout as sleep } from 'node:timers/promises';
import { type Candidate, type Exchange, GatewayError, type Handler, type Reply } from '../../module-api.ts';
import { failureKindOf, isTransient } from './failure-kind.ts';
import { limits } from './limits.ts';
import type { FailureKind, RouterOptions } from './options.ts';
import type { RouteStop } from './route.ts';

export interface AttemptParts {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly options: RouterOptions;
  /** Takes an additional call from the budget of the account. */
  spendRetry(): boolean;
  now(): number;
}

export interface FailedAttempt {
  readonly name: string;
  readonly kind: FailureKind;
}

export interface RoutedReply {
  readonly reply: Reply;
  readonly stop: RouteStop;
  readonly isRefused: boolean;
  /** Whether a second target answered before the first. */
  readonly isHedge?: boolean;
}

/** Calls the targets of a route one after the other, until one answers. */
export class Attempts {
  readonly failed: FailedAttempt[] = [];
  /** With hedges. */
  count = 0;
  readonly #parts: AttemptParts;
  readonly #contentMs: number;
  /** Only a larger context window helps after an input that was too long. */
  #windowMin = 0;
  #lastFailure: GatewayError | undefined;
  /** The latest refusal, which is the answer if no other target has one. */
  #refused: RoutedReply | undefined;
  /** The health of targets with the last key of several. */
  readonly #healths = new Map<RouteStop, Candidate['health']>();

  constructor(parts: AttemptParts) {
    const { exchange, options } = parts;
    this.#parts = parts;
    const isStreamed = exchange.request.stream === true;
    this.#contentMs = options.timeout ?? (isStreamed ? limits.timeoutMs : limits.documentTimeoutMs);
  }

  async run(stops: readonly RouteStop[]): Promise<RoutedReply> {
    for (const [at, stop] of stops.entries()) {
      if (stop.contextTokens <= this.#windowMin || !(await stop.candidate.health.mayTry())) continue;
      const routed = await this.#callWithRetries(stop, stops.slice(at + 1));
      if (routed === undefined) continue;
      if (!routed.isRefused) {
        void this.#refused?.reply.discard();
        return routed;
      }
      this.failed.push({ name: routed.stop.candidate.name, kind: 'refusal' });
      void this.#refused?.reply.discard();
      this.#refused = routed;
    }
    if (this.#refused !== undefined) return this.#refused;
    throw this.#finalError(stops);
  }

  /** Undefined if the next target should be called. */
  async #callWithRetries(stop: RouteStop, others: readonly RouteStop[]): Promise<RoutedReply | undefined> {
    const { options, spendRetry } = this.#parts;
    for (let retries = 0; ; retries++) {
      const kind = await this.#call(stop, others);
      if (typeof kind === 'object') return kind;
      if (await this.#hasNextKey(stop)) continue;
      if (retries >= options.retries || !isTransient(kind) || !spendRetry()) return undefined;
      await this.#pause(Math.random() * limits.backoffMs * 2 ** retries);
      if (!(await this.#healthOf(stop).mayTry())) return undefined;
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#parts.exchange.signal }).catch((cause: unknown) => {
      throw new GatewayError('client_gone', 'the client closed the connection', { cause });
    });
  }

  /** Whether the same target can be called with another key. */
  async #hasNextKey(stop: RouteStop): Promise<boolean> {
    const health = await stop.candidate.nextKeyHealth();
    if (health === undefined) return false;
    this.#healths.set(stop, health);
    return (await health.mayTry()) && this.#parts.spendRetry();
  }

  #healthOf(stop: RouteStop): Candidate['health'] {
    return this.#healths.get(stop) ?? stop.candidate.health;
  }

  /** The reply, or why the target failed. Throws errors that no other target would avoid. */
  async #call(stop: RouteStop, others: readonly RouteStop[]): Promise<RoutedReply | FailureKind> {
    try {
      return this.#parts.options.hedge === 'off'
        ? await this.#attempt(stop)
        : await this.#hedge(stop, others);
    } catch (failure) {
      const kind = this.#movesOn(failure);
      if (kind === undefined) throw failure;
      this.#note(stop, kind, failure);
      return kind;
    }
  }

  #movesOn(failure: unknown): FailureKind | undefined {
    const kind = failureKindOf(failure);
    return kind !== undefined && this.#parts.options.on.has(kind) ? kind : undefined;
  }

  #note({ candidate: { name }, contextTokens }: RouteStop, kind: FailureKind, failure: unknown): void {
    this.failed.push({ name, kind });
    if (GatewayError.is(failure)) this.#lastFailure = failure;
    if (kind === 'context_length' && Number.isFinite(contextTokens))
      this.#windowMin = Math.max(this.#windowMin, contextTokens);
  }

  async #attempt(stop: RouteStop, limited = this.#limit(stop)): Promise<RoutedReply> {
    this.count++;
    try {
      const reply = await this.#parts.next(limited);
      const { isRefused = false, noticesRefusals = false } = limited.attemptLimit ?? {};
      return { reply, stop, isRefused: isRefused && noticesRefusals };
    } finally {
      limited.attemptLimit?.end();
    }
  }

  #limit({ candidate: { target } }: RouteStop): Exchange {
    return this.#parts.exchange.with({ target }).withAttemptLimit({
      contentMs: this.#contentMs,
      noticesRefusals: this.#parts.options.on.has('refusal'),
    });
  }

  /** Calls a second target if the first takes longer than usual. The first content wins, and the other call is aborted. */
  async #hedge(stop: RouteStop, others: readonly RouteStop[]): Promise<RoutedReply> {
    const { slowContentMs } = stop.candidate.health;
    const first = this.#limit(stop);
    const reply = this.#attempt(stop, first);
    if (slowContentMs === undefined) return reply;
    const timer = new AbortController();
    const isSlow = sleep(slowContentMs, true, { signal: timer.signal }).catch(() => false);
    const early = await Promise.race([reply, isSlow]).finally(() => timer.abort());
    if (typeof early === 'object') return early;
    const second = early ? await this.#hedgeStop(others) : undefined;
    if (second === undefined) return reply;
    const hedged = this.#limit(second);
    const hedgedReply = this.#attempt(second, hedged);
    const won = await Promise.any([reply, hedgedReply]).catch(() => reply);
    const [lost, loser] = won.stop === stop ? [hedged, hedgedReply] : [first, reply];
    lost.attemptLimit?.abort();
    loser.then(({ reply: unread }) => unread.discard()).catch(() => undefined);
    return won.stop === stop ? won : { ...won, isHedge: true };
  }

  async #hedgeStop(others: readonly RouteStop[]): Promise<RouteStop | undefined> {
    for (const stop of others)
      if (stop.candidate.health.breaker === 'closed' && (await stop.candidate.health.mayTry()))
        return this.#parts.spendRetry() ? stop : undefined;
    return undefined;
  }

  /** The last error, with the soonest time at which a target may be called again. */
  #finalError(stops: readonly RouteStop[]): GatewayError {
    const nowMs = this.#parts.now();
    const soonestMs = Math.min(...stops.map((stop) => this.#healthOf(stop).availableAtMs()));
    const seconds = (soonestMs - nowMs) / 1000;
    const error =
      this.#lastFailure ??
      new GatewayError(
        'targets_unavailable',
        'router: all models that could take the call rest after failures',
      );
    return seconds > 0 && Number.isFinite(seconds) ? error.withRetryAfter(seconds) : error;
  }
}
