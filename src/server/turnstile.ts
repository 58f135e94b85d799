import type { KeyRing } from '../accounts/key-ring.ts';
import type { Quota, Slot } from '../billing/quota.ts';
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

  async pass(known: Known, headers: HeaderList): Promise<Counted> {
    const { quota, callers, keys } = this.#parts;
    let current = known;
    for (let change = 0; change < changesMax; change++) {
      const { key } = current;
      if (key === undefined) throw new Error('only callers with a key pass here');
      const decision = await quota.take(key.account);
      if (decision.version === key.version) {
        keys.used(key.keyId);
        return decision.outcome === 'granted'
          ? new TakenSlot(current, decision.slot)
          : { ...uncounted(current), refusal: decision.error() };
      }
      if (decision.outcome === 'granted') void decision.slot.undo();
      current = await callers.identifyAnew(headers);
    }
    throw new GatewayError('busy', 'this account is being changed; try again in a moment', {
      retryAfterSeconds: 1,
    });
  }
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
