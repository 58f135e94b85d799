import { GatewayError } from '../errors.ts';
import type { CodeOwner } from './code-owner.ts';

export type Ending =
  | { readonly how: 'complete' }
  | { readonly how: 'aborted' }
  | { readonly how: 'failed'; readonly error: unknown };

export type EndListener = (ending: Ending) => void | Promise<void>;

export function endingOf(error: unknown): Ending {
  return GatewayError.is(error) && error.code === 'client_gone'
    ? { how: 'aborted' }
    : { how: 'failed', error };
}

/** Called with a fault and the owner of the code. */
type OnFault = (fault: unknown, codeOwner: CodeOwner | undefined) => void;

interface EndListenerEntry {
  readonly listener: EndListener;
  owner: CodeOwner | undefined;
}

/**
 * Listeners for the end of a reply, each called once: those of the gateway first, then those of modules, under their
 * deadlines.
 */
export class EndListeners {
  readonly #entries: EndListenerEntry[] = [];
  #ending: Ending | undefined;

  /** Calls the listener at once if the reply has ended. */
  add(listener: EndListener, owner: CodeOwner | undefined, onFault: OnFault): void {
    if (this.#ending === undefined) this.#entries.push({ listener, owner });
    else void notifyListener({ listener, owner }, this.#ending, onFault);
  }

  /** Assigns entries without an owner. */
  assignOwner(codeOwner: CodeOwner): void {
    for (const one of this.#entries) one.owner ??= codeOwner;
  }

  /** A promise if a listener returns one. */
  notify(ending: Ending, onFault: OnFault): undefined | Promise<void> {
    this.#ending = ending;
    const waits: Promise<void>[] = [];
    for (const isOwn of [true, false])
      for (const one of this.#entries) {
        if ((one.owner === undefined) !== isOwn) continue;
        const wait = notifyListener(one, ending, onFault);
        if (wait !== undefined) waits.push(wait);
      }
    return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
  }
}

function notifyListener(
  { listener, owner }: EndListenerEntry,
  ending: Ending,
  onFault: OnFault,
): undefined | Promise<void> {
  try {
    const telling = listener(ending);
    if (!(telling instanceof Promise)) return undefined;
    const bounded = owner === undefined ? telling : owner.awaitFinal(telling);
    return bounded.catch((fault) => onFault(fault, owner));
  } catch (fault) {
    onFault(fault, owner);
    return undefined;
  }
}
