import type { ApiKeyAuthenticator, KeyIdentity } from '../accounts/api-key-authenticator.ts';
import type { Quota, QuotaDecision } from '../billing/quota.ts';
import type { QuotaSlot } from '../billing/quota-slot.ts';
import type { Caller } from '../kernel/caller.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { HeaderList } from '../lib/headers.ts';
import type { PendingCall, PreparedCall } from './admission.ts';
import type { CallerAuthenticator, CallerIdentity } from './caller-authenticator.ts';

/** A call that was counted before it is made. */
export interface CountedCall {
  /** The caller at the time of counting. */
  readonly identity: CallerIdentity;
  /** The start of the period that the call counts in; undefined if it is not counted. */
  readonly periodStartMs: number | undefined;
  /** Calls beyond this number in the period are paid for with credits. */
  readonly paidPast?: number | undefined;
  /** Why the call is rejected; reported only if nothing else is wrong with the call. */
  readonly rejection: GatewayError | undefined;
  /** The call was answered and stays counted. */
  commit(): void;
  /** The call was not answered and is no longer counted; does nothing after `commit`. */
  release(): void;
}

/** Counts and prepares the calls of one kind of caller. */
export interface CallerAdmission {
  /** Synchronous where no store has to be queried. */
  count(callerIdentity: CallerIdentity, headers: HeaderList): CountedCall | Promise<CountedCall>;
  /** Replaces the default preparation of a call. */
  prepare?(pendingCall: PendingCall, callerIdentity: CallerIdentity): PreparedCall;
}

export type CallerAdmissions = Partial<Readonly<Record<Caller['kind'], CallerAdmission>>>;

export function countCall(
  admissions: CallerAdmissions,
  callerIdentity: CallerIdentity,
  headers: HeaderList,
): CountedCall | Promise<CountedCall> {
  const callerAdmission = admissions[callerIdentity.caller.kind];
  if (callerAdmission === undefined)
    throw new Error(`no admission is configured for "${callerIdentity.caller.kind}" callers`);
  return callerAdmission.count(callerIdentity, headers);
}

/** Local calls are not counted. */
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

/** Counts a call against its account and checks in the same step that the caller's identity is still current. */
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

  /** Undefined if the account has changed since it was looked up; then its slot is given back. */
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
