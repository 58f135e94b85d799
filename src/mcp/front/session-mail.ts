import type { JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import type { Session, Sessions } from './sessions.ts';

/**
 * Messages of a client about a request that is under way: answers to a server's questions, and cancellations. They may arrive at another
 * replica, which leaves them in the store.
 */
export class SessionMail {
  readonly #sessions: Sessions;
  readonly #waiting = new Map<string, (message: JsonObject) => void>();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  async deliver(session: Session, name: string, message: JsonObject): Promise<void> {
    const receive = this.#waiting.get(placeOf(session, name));
    if (receive === undefined) await this.#sessions.leave(session, name, message);
    else receive(message);
  }

  /** The message of this name; undefined if none comes before the signal aborts. */
  receive(session: Session, name: string, signal: AbortSignal): Promise<JsonObject | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    const place = placeOf(session, name);
    return new Promise((resolve) => {
      const end = (message: JsonObject | undefined) => {
        clearInterval(asking);
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(place);
        resolve(message);
      };
      const onAbort = () => end(undefined);
      const asking = setInterval(() => {
        const left = this.#sessions.take(session, name);
        left.then(
          (message) => message !== undefined && end(message),
          // Without the store, messages to this replica still arrive.
          () => undefined,
        );
      }, limits.mailboxMs).unref();
      signal.addEventListener('abort', onAbort);
      this.#waiting.set(place, end);
    });
  }
}

function placeOf({ id }: Session, name: string): string {
  return `${id} ${name}`;
}
