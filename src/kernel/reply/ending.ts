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

/** Told of a fault in somebody's code, with who answers for it. */
type OnFault = (fault: unknown, codeOwner: CodeOwner | undefined) => void;

interface EndListenerEntry {
  readonly listener: EndListener;
  owner: CodeOwner | undefined;
}

/** Those who are told of an end, each once: the gateway's own first, then modules, who have as long as they may take. */
export class EndListeners {
  readonly #entries: EndListenerEntry[] = [];
  #ending: Ending | undefined;

  /** Who comes late is told at once. */
  add(listener: EndListener, owner: CodeOwner | undefined, onFault: OnFault): void {
    if (this.#ending === undefined) this.#entries.push({ listener, owner });
    else void notifyListener({ listener, owner }, this.#ending, onFault);
  }

  /** What nobody answers for yet is this one's. */
  assignOwner(codeOwner: CodeOwner): void {
    for (const one of this.#entries) one.owner ??= codeOwner;
  }

  /** A promise where somebody asks for a wait. */
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
