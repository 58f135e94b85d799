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

/** Those who are told of an end: each once, one after the other, and without a wait where nobody asks for one. */
export class Endings {
  readonly #thens: { readonly then: Then; readonly keeper: Keeper | undefined }[] = [];

  add(then: Then, keeper: Keeper | undefined): void {
    this.#thens.push({ then, keeper });
  }

  tell(ending: Ending, onFault: OnFault, first = 0): undefined | Promise<void> {
    for (let at = first; at < this.#thens.length; at++) {
      const one = this.#thens[at];
      if (one === undefined) continue;
      try {
        const telling = one.then(ending);
        if (telling instanceof Promise)
          return telling
            .catch((fault) => onFault(fault, one.keeper))
            .then(() => this.tell(ending, onFault, at + 1));
      } catch (fault) {
        onFault(fault, one.keeper);
      }
    }
    return undefined;
  }
}
