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

const withdrawals = new WeakSet<GatewayError>();

/** The error of a call that was only reserved and is never made: nothing counts or reports the call. */
export function withdrawalError(): GatewayError {
  const error = new GatewayError('client_gone', 'the call was not needed');
  withdrawals.add(error);
  return error;
}

export function isWithdrawal(ending: Ending): boolean {
  return ending.how === 'failed' && GatewayError.is(ending.error) && withdrawals.has(ending.error);
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

  /** Calls all listeners synchronously; a promise if they have work left. */
  notify(ending: Ending, onFault: OnFault): undefined | Promise<void> {
    this.#ending = ending;
    const pending: Promise<void>[] = [];
    for (const isOwn of [true, false])
      for (const entry of this.#entries) {
        if ((entry.owner === undefined) !== isOwn) continue;
        const work = notifyListener(entry, ending, onFault);
        if (work !== undefined) pending.push(work);
      }
    return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined);
  }
}

/** The work that a listener leaves; undefined if there is none. Modules in JavaScript may return anything. */
function notifyListener(
  { listener, owner }: EndListenerEntry,
  ending: Ending,
  onFault: OnFault,
): Promise<void> | undefined {
  try {
    const result = listener(ending);
    if (result === undefined) return undefined;
    const work = Promise.resolve(result);
    return (owner === undefined ? work : owner.awaitFinal(work)).catch((fault) => onFault(fault, owner));
  } catch (fault) {
    onFault(fault, owner);
    return undefined;
  }
}
