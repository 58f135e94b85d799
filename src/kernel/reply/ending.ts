import { GatewayError } from '../errors.ts';
import type { Keeper } from './keeper.ts';

export type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'aborted' }
  | { readonly how: 'failed'; readonly error: unknown };

export type Then = (ending: Ending) => void | Promise<void>;

export function endingOf(error: unknown): Ending {
  return GatewayError.is(error) && error.code === 'client_gone'
    ? { how: 'aborted' }
    : { how: 'failed', error };
}

/** Told of a fault in somebody's code, with who answers for it. */
type OnFault = (fault: unknown, keeper: Keeper | undefined) => void;

interface Told {
  readonly then: Then;
  keeper: Keeper | undefined;
}

/** Those who are told of an end, each once: the gateway's own first, then modules, who have as long as they may take. */
export class Endings {
  readonly #told: Told[] = [];
  #ending: Ending | undefined;

  /** Who comes late is told at once. */
  add(then: Then, keeper: Keeper | undefined, onFault: OnFault): void {
    if (this.#ending === undefined) this.#told.push({ then, keeper });
    else void tell({ then, keeper }, this.#ending, onFault);
  }

  /** What nobody answers for yet is this one's. */
  claim(keeper: Keeper): void {
    for (const one of this.#told) one.keeper ??= keeper;
  }

  /** A promise where somebody asks for a wait. */
  tell(ending: Ending, onFault: OnFault): undefined | Promise<void> {
    this.#ending = ending;
    const waits: Promise<void>[] = [];
    for (const isOwn of [true, false])
      for (const one of this.#told) {
        if ((one.keeper === undefined) !== isOwn) continue;
        const wait = tell(one, ending, onFault);
        if (wait !== undefined) waits.push(wait);
      }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }
}

function tell({ then, keeper }: Told, ending: Ending, onFault: OnFault): undefined | Promise<void> {
  try {
    const telling = then(ending);
    if (!(telling instanceof Promise)) return undefined;
    const bounded = keeper === undefined ? telling : keeper.last(telling);
    return bounded.catch((fault) => onFault(fault, keeper));
  } catch (fault) {
    onFault(fault, keeper);
    return undefined;
  }
}
