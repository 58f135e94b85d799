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

  /** Calls all listeners synchronously, and resolves when their work is done. */
  async notify(ending: Ending, onFault: OnFault): Promise<void> {
    this.#ending = ending;
    const own = this.#entries.filter(({ owner }) => owner === undefined);
    const modules = this.#entries.filter(({ owner }) => owner !== undefined);
    await Promise.all([...own, ...modules].map((entry) => notifyListener(entry, ending, onFault)));
  }
}

async function notifyListener(
  { listener, owner }: EndListenerEntry,
  ending: Ending,
  onFault: OnFault,
): Promise<void> {
  try {
    const work = listener(ending);
    await (owner === undefined || work === undefined ? work : owner.awaitFinal(work));
  } catch (fault) {
    onFault(fault, owner);
  }
}
