import type { ApiKeyAuthenticator, KeyIdentity } from '../accounts/api-key-authenticator.ts';
import type { Quota, QuotaDecision } from '../billing/quota.ts';
import type { QuotaSlot } from '../billing/quota-slot.ts';
import type { Caller } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { HeaderList } from '../kernel/headers.ts';
import type { PendingCall, PreparedCall } from './admission.ts';
import type { CallerAuthenticator, CallerIdentity } from './caller-authenticator.ts';

/** A call that was counted before it is made. */
export interface CountedCall {
  /** The caller as of this moment. */
  readonly identity: CallerIdentity;
  /** The period that the call counts in; undefined where it counts in none. */
  readonly periodStartMs: number | undefined;
  /** Calls past so many in the period are paid for with credits. */
  readonly paidPast?: number | undefined;
  /** Why the call may not be made; told only if nothing else is wrong with it. */
  readonly rejection: GatewayError | undefined;
  /** It was answered, and stays counted. */
  commit(): void;
  /** It was not, and counts no longer; nothing happens to a call that was used. */
  release(): void;
}

/** Where every call of one kind of caller passes before it is made. */
export interface CallerAdmission {
  /** At once where nobody has to be asked. */
  count(callerIdentity: CallerIdentity, headers: HeaderList): CountedCall | Promise<CountedCall>;
  /** What is made of a call, where that isn't what it asks for. */
  prepare?(pendingCall: PendingCall, callerIdentity: CallerIdentity): PreparedCall;
}

/** One for each kind of caller that this gateway serves. */
export type CallerAdmissions = Partial<Readonly<Record<Caller['kind'], CallerAdmission>>>;

export function countCall(
  turnstiles: CallerAdmissions,
  callerIdentity: CallerIdentity,
  headers: HeaderList,
): CountedCall | Promise<CountedCall> {
  const callerAdmission = turnstiles[callerIdentity.caller.kind];
  if (callerAdmission === undefined)
    throw new Error(`no admission is configured for "${callerIdentity.caller.kind}" callers`);
  return callerAdmission.count(callerIdentity, headers);
}

/** A local gateway's calls are its user's own. */
export const uncountedAdmission: CallerAdmission = { count: leaveUncounted };

function leaveUncounted(identity: CallerIdentity): CountedCall {
  return { identity, periodStartMs: undefined, rejection: undefined, commit() {}, release() {} };
}

export interface AccountAdmissionParts {
  readonly quota: Quota;
  readonly callers: CallerAuthenticator;
  readonly keys: ApiKeyAuthenticator;
}

/** How often a caller's account may change while one call waits to be counted. */
const changesMax = 5;

/** Counts a call against its account, and in the same step learns whether what is known of the caller still holds. */
export class AccountAdmission implements CallerAdmission {
  readonly #parts: AccountAdmissionParts;

  constructor(parts: AccountAdmissionParts) {
    this.#parts = parts;
  }

  count(identity: CallerIdentity, headers: HeaderList): CountedCall | Promise<CountedCall> {
    const decision = this.#parts.quota.takeSlot(requireKey(identity).account);
    const countedCall = decision instanceof Promise ? undefined : this.#toCountedCall(identity, decision);
    return countedCall ?? this.#countAgain({ identity, decision }, headers);
  }

  async #countAgain(first: PendingDecision, headers: HeaderList): Promise<CountedCall> {
    const { quota, callers: callerAuthenticator } = this.#parts;
    let { identity } = first;
    let decision = await first.decision;
    let countedCall = first.decision instanceof Promise ? this.#toCountedCall(identity, decision) : undefined;
    for (let changes = 1; countedCall === undefined; changes++) {
      if (changes === changesMax) throw accountChangingError();
      identity = await callerAuthenticator.reidentify(headers);
      decision = await quota.takeSlot(requireKey(identity).account);
      countedCall = this.#toCountedCall(identity, decision);
    }
    return countedCall;
  }

  /** Undefined where the account was another when it was looked up; what was taken of its calls is given back then. */
  #toCountedCall(callerIdentity: CallerIdentity, decision: QuotaDecision): CountedCall | undefined {
    const { keyId, version } = requireKey(callerIdentity);
    if (decision.version !== version) {
      if (decision.outcome === 'granted') void decision.slot.undo();
      return undefined;
    }
    this.#parts.keys.noteUse(keyId);
    return decision.outcome === 'granted'
      ? new SlotCountedCall(callerIdentity, decision.slot)
      : { ...leaveUncounted(callerIdentity), rejection: decision.error() };
  }
}

interface PendingDecision {
  readonly identity: CallerIdentity;
  readonly decision: QuotaDecision | Promise<QuotaDecision>;
}

function accountChangingError(): GatewayError {
  return new GatewayError('busy', 'this account is being changed; try again in a moment', {
    retryAfterSeconds: 1,
  });
}

function requireKey({ key }: CallerIdentity): KeyIdentity {
  if (key === undefined) throw new Error('the caller has no API key');
  return key;
}

class SlotCountedCall implements CountedCall {
  readonly identity: CallerIdentity;
  readonly rejection = undefined;
  readonly #slot: QuotaSlot;

  constructor(callerIdentity: CallerIdentity, quotaSlot: QuotaSlot) {
    this.identity = callerIdentity;
    this.#slot = quotaSlot;
  }

  get periodStartMs(): number {
    return this.#slot.periodStartMs;
  }

  get paidPast(): number | undefined {
    return this.#slot.paidPast;
  }

  commit(): void {
    this.#slot.commit();
  }

  release(): void {
    void this.#slot.release();
  }
}
