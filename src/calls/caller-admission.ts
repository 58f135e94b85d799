import type { ApiKeyAuthenticator, KeyIdentity } from '../accounts/api-key-authenticator.ts';
import type { Quota } from '../billing/quota.ts';
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
  /** The call was only reserved and is never made, which is no failure. Without it, it is released. */
  withdraw?(): void;
}

/** Counts and prepares the calls of one kind of caller. */
export interface CallerAdmission {
  count(callerIdentity: CallerIdentity, headers: HeaderList): Promise<CountedCall>;
  /** Replaces the default preparation of a call. */
  prepare?(pendingCall: PendingCall, callerIdentity: CallerIdentity): PreparedCall;
}

export type CallerAdmissions = Partial<Readonly<Record<Caller['kind'], CallerAdmission>>>;

/** Local calls are not counted. */
export const uncountedAdmission: CallerAdmission = {
  count: async (identity) => uncountedCall(identity, undefined),
};

export function uncountedCall(identity: CallerIdentity, rejection: GatewayError | undefined): CountedCall {
  return { identity, periodStartMs: undefined, rejection, commit() {}, release() {} };
}

export interface AccountAdmissionParts {
  readonly quota: Quota;
  readonly callers: CallerAuthenticator;
  readonly keys: ApiKeyAuthenticator;
}

/** How often a call is counted if its account changes each time meanwhile. */
const countsMax = 5;

/** Counts a call against its account and checks in the same step that the caller's identity is still current. */
export class AccountAdmission implements CallerAdmission {
  readonly #parts: AccountAdmissionParts;

  constructor(parts: AccountAdmissionParts) {
    this.#parts = parts;
  }

  async count(identified: CallerIdentity, headers: HeaderList): Promise<CountedCall> {
    const { quota, callers, keys } = this.#parts;
    for (let counts = 0; counts < countsMax; counts++) {
      const identity = counts === 0 ? identified : await callers.reidentify(headers, identified.address);
      const { account, keyId, version } = requireKey(identity);
      const decision = await quota.takeSlot(account);
      if (decision.version === version) {
        keys.noteUse(keyId);
        return decision.outcome === 'granted'
          ? new SlotCountedCall(identity, decision.slot)
          : uncountedCall(identity, decision.error());
      }
      // The account has changed since the caller was identified.
      if (decision.outcome === 'granted') void decision.slot.undo();
    }
    throw new GatewayError('busy', 'this account is being changed; try again in a moment', {
      retryAfterSeconds: 1,
    });
  }
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

  withdraw(): void {
    void this.#slot.undo();
  }
}
