import type { KeyIdentity, KeyRing } from '../accounts/key-ring.ts';
import type { Quota, QuotaDecision, Slot } from '../billing/quota.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { HeaderList } from '../kernel/headers.ts';
import type { Callers, Known } from './callers.ts';

/** A call that was counted before it is made. */
export interface Counted {
  /** The caller as of this moment. */
  readonly known: Known;
  /** The period that the call counts in; undefined where it counts in none. */
  readonly periodStartMs: number | undefined;
  /** Why the call may not be made; told only if nothing else is wrong with it. */
  readonly refusal: GatewayError | undefined;
  /** It was answered, and stays counted. */
  used(): void;
  /** It was not, and counts no longer; nothing happens to a call that was used. */
  unused(): void;
}

/** Where every call passes before it is made. */
export interface Turnstile {
  pass(known: Known, headers: HeaderList): Counted | Promise<Counted>;
}

/** A local gateway's calls are its user's own. */
export const openTurnstile: Turnstile = { pass: uncounted };

function uncounted(known: Known): Counted {
  return { known, periodStartMs: undefined, refusal: undefined, used() {}, unused() {} };
}

export interface CloudTurnstileParts {
  readonly quota: Quota;
  readonly callers: Callers;
  readonly keys: KeyRing;
}

/** How often a caller's account may change while one call waits to be counted. */
const changesMax = 5;

/** Counts a call against its account, and in the same step learns whether what is known of the caller still holds. */
export class CloudTurnstile implements Turnstile {
  readonly #parts: CloudTurnstileParts;

  constructor(parts: CloudTurnstileParts) {
    this.#parts = parts;
  }

  pass(known: Known, headers: HeaderList): Counted | Promise<Counted> {
    const decision = this.#parts.quota.take(keyOf(known).account);
    if (decision instanceof Promise) return this.#passed(known, decision, headers);
    return this.#counted(known, decision) ?? this.#passed(known, decision, headers);
  }

  async #passed(known: Known, first: Decided, headers: HeaderList): Promise<Counted> {
    const { quota, callers } = this.#parts;
    let current = known;
    let decision = await first;
    for (let changes = 0; changes < changesMax; changes++) {
      if (changes > 0) {
        current = await callers.identifyAnew(headers);
        decision = await quota.take(keyOf(current).account);
      }
      const counted = this.#counted(current, decision);
      if (counted !== undefined) return counted;
      if (decision.outcome === 'granted') void decision.slot.undo();
    }
    throw new GatewayError('busy', 'this account is being changed; try again in a moment', {
      retryAfterSeconds: 1,
    });
  }

  /** Undefined where the account was another when it was looked up. */
  #counted(known: Known, decision: QuotaDecision): Counted | undefined {
    const { keyId, version } = keyOf(known);
    if (decision.version !== version) return undefined;
    this.#parts.keys.used(keyId);
    return decision.outcome === 'granted'
      ? new TakenSlot(known, decision.slot)
      : { ...uncounted(known), refusal: decision.error() };
  }
}

type Decided = QuotaDecision | Promise<QuotaDecision>;

function keyOf({ key }: Known): KeyIdentity {
  if (key === undefined) throw new Error('only callers with a key pass here');
  return key;
}

class TakenSlot implements Counted {
  readonly known: Known;
  readonly refusal = undefined;
  readonly #slot: Slot;

  constructor(known: Known, slot: Slot) {
    this.known = known;
    this.#slot = slot;
  }

  get periodStartMs(): number {
    return this.#slot.periodStartMs;
  }

  used(): void {
    this.#slot.keep();
  }

  unused(): void {
    void this.#slot.giveBack();
  }
}
