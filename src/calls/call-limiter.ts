import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { usageOf } from '../kernel/attempt.ts';
import { operatorPays, scopeOf } from '../kernel/caller.ts';
import { type ClientRequest, rawHeadersOf } from '../kernel/client-request.ts';
import type { LimitStatus, MinuteStatus } from '../kernel/limit-status.ts';
import type { Usage } from '../kernel/message.ts';
import type { CallLimits, CallRates, MinuteCount, RateDecision } from '../kernel/ports/call-rates.ts';
import type { CounterName } from '../kernel/ports/counters.ts';
import type { Trace } from '../kernel/trace.ts';
import type { HeaderList } from '../lib/headers.ts';
import { ignoreErrors } from '../lib/ignore-errors.ts';
import type { CallerAuthenticator, CallerIdentity } from './caller-authenticator.ts';
import { TokenExpectations } from './expected-tokens.ts';
import type { InstanceLimits } from './instance-limits.ts';
import { limits as callsLimits } from './limits.ts';
import { type LimitName, type RateRefusal, rateLimitedError } from './rate-limited-error.ts';

export interface CallLimiterParts {
  readonly rates: CallRates;
  readonly instanceLimits: Pick<InstanceLimits, 'of'>;
  readonly callers: Pick<CallerAuthenticator, 'identifyCurrent'>;
  onRefused(limit: LimitName): void;
}

/** A call that may be limited: to a model, or one that uses no tokens. */
export type LimitableCall = LimitedCall &
  (
    | { readonly clientRequest: ClientRequest }
    | { readonly clientRequest: undefined; readonly headers: HeaderList }
  );

interface LimitedCall {
  /** Its end settles the call. */
  readonly trace: Pick<Trace, 'onEnd' | 'attempts'>;
  /** Called with what is left of the caller's limits, also if the call is refused. */
  onLimited?(limitStatus: LimitStatus): void;
}

/** Holds calls to the rate limits of their key and of the instance. */
export class CallLimiter {
  readonly #parts: CallLimiterParts;
  readonly #expectations = new TokenExpectations();

  constructor(parts: CallLimiterParts) {
    this.#parts = parts;
  }

  isLimited(identity: CallerIdentity): boolean {
    return this.#limitsOf(identity) !== undefined;
  }

  haveSameLimits(one: CallerIdentity, other: CallerIdentity): boolean {
    return isDeepStrictEqual(this.#limitsOf(one), this.#limitsOf(other));
  }

  /**
   * Counts a call until its trace ends, or rejects it if it would exceed a limit of its caller. Returns the identity whose
   * limits were applied, which is newer than the given one if the limits have changed.
   */
  async count(call: LimitableCall, identity: CallerIdentity): Promise<CallerIdentity> {
    const all = this.#limitsOf(identity);
    const { clientRequest } = call;
    const limits = clientRequest === undefined ? withoutTokens(all) : all;
    if (limits === undefined) return identity;
    const caller = callerName(identity);
    const { tokensPerMinute } = limits;
    const expected =
      tokensPerMinute === undefined || clientRequest === undefined
        ? undefined
        : this.#expectations.of(caller, clientRequest, tokensPerMinute);
    const request = {
      id: randomBytes(9).toString('base64url'),
      lifeMs: callsLimits.callSlotLifeMs,
      limits,
      tokens: expected?.tokens ?? 0,
    };
    const decision = await this.#parts.rates.take(caller, request);
    if (!decision.isAllowed) return this.#countAgainOrReject(call, identity, { limits, decision, expected });
    call.onLimited?.(statusOf(decision, limits));
    if (limits.concurrent !== undefined || expected !== undefined)
      this.#settleAtEnd(call, caller, { ...request, second: decision.second });
    return identity;
  }

  /** The limits may have changed since the caller was identified. */
  async #countAgainOrReject(
    call: LimitableCall,
    identity: CallerIdentity,
    refusal: RateRefusal,
  ): Promise<CallerIdentity> {
    const { callers, onRefused } = this.#parts;
    const headers = call.clientRequest === undefined ? call.headers : rawHeadersOf(call.clientRequest);
    const current = await callers.identifyCurrent(headers, identity.address);
    if (!this.haveSameLimits(current, identity)) return this.count(call, current);
    call.onLimited?.(statusOf(refusal.decision, refusal.limits));
    const { limit, error } = rateLimitedError(refusal);
    onRefused(limit);
    throw error;
  }

  /** Where key and instance have a limit, the lower holds. Guests and payers are limited in other ways. */
  #limitsOf({ caller, key }: CallerIdentity): CallLimits | undefined {
    return operatorPays(caller) ? undefined : this.#parts.instanceLimits.of(key);
  }

  /** Slots and tokens of a call that can't be settled are free when their lease and their minute end. */
  #settleAtEnd(
    { trace, clientRequest }: LimitableCall,
    caller: CounterName,
    { id, lifeMs, limits, tokens, second }: CountedRequest,
  ): void {
    const { rates } = this.#parts;
    const renewal =
      limits.concurrent === undefined
        ? undefined
        : setInterval(
            () => void ignoreErrors(rates.renew(caller, { id, lifeMs })),
            callsLimits.callSlotRenewalMs,
          ).unref();
    trace.onEnd(() => {
      clearInterval(renewal);
      const usage = usageOf(trace.attempts);
      if (clientRequest !== undefined) this.#expectations.add(caller, clientRequest, usage);
      const change = limits.tokensPerMinute === undefined ? 0 : tokensOf(usage) - tokens;
      void ignoreErrors(rates.settle(caller, { id, second, change }));
    });
  }
}

interface CountedRequest {
  readonly id: string;
  readonly lifeMs: number;
  readonly limits: CallLimits;
  readonly tokens: number;
  readonly second: number;
}

function withoutTokens(all: CallLimits | undefined): CallLimits | undefined {
  const { requestsPerMinute, concurrent } = all ?? {};
  return requestsPerMinute === undefined && concurrent === undefined
    ? undefined
    : { requestsPerMinute, concurrent };
}

/** Callers without a key are one caller. */
function callerName({ caller, key }: CallerIdentity): CounterName {
  return { scope: scopeOf(caller), name: key?.keyId ?? '' };
}

function statusOf({ requests, tokens }: RateDecision, limits: CallLimits): LimitStatus {
  return {
    requests: minuteStatus(requests, limits.requestsPerMinute),
    tokens: minuteStatus(tokens, limits.tokensPerMinute),
  };
}

function minuteStatus(minute: MinuteCount | undefined, limit: number | undefined): MinuteStatus | undefined {
  if (minute === undefined || limit === undefined) return undefined;
  const { count, resetMs } = minute;
  return { limit, remaining: Math.max(0, limit - count), resetSeconds: Math.ceil(resetMs / 1000) };
}

/** All tokens count, whatever they cost. */
function tokensOf({
  input_tokens = 0,
  output_tokens = 0,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
}: Usage): number {
  return Math.round((input_tokens ?? 0) + (output_tokens ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0));
}
