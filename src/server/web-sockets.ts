import type { WebSocketConnection } from '../http/websocket.ts';
import { GatewayError } from '../kernel/errors.ts';
import { limits } from './limits.ts';

/** The open WebSockets of a process. */
export class WebSockets {
  readonly #open = new Set<WebSocketConnection>();
  readonly #countByAccount = new Map<string, number>();

  get size(): number {
    return this.#open.size;
  }

  /** Throws if there is no room for another one of this account. */
  checkRoom(accountId: string): void {
    if (this.#open.size >= limits.webSocketsMax)
      throw new GatewayError('busy', 'this gateway has too many open WebSockets; try again later', {
        retryAfterSeconds: 1,
      });
    if ((this.#countByAccount.get(accountId) ?? 0) >= limits.webSocketsPerAccountMax)
      throw new GatewayError(
        'concurrency_limit',
        `an account may have ${limits.webSocketsPerAccountMax} open WebSockets; close one first`,
      );
  }

  /** Counts a WebSocket until it has closed. */
  add(webSocket: WebSocketConnection, accountId: string): void {
    this.#open.add(webSocket);
    this.#countByAccount.set(accountId, (this.#countByAccount.get(accountId) ?? 0) + 1);
    void webSocket.closed.then(() => {
      this.#open.delete(webSocket);
      const left = (this.#countByAccount.get(accountId) ?? 1) - 1;
      if (left === 0) this.#countByAccount.delete(accountId);
      else this.#countByAccount.set(accountId, left);
    });
  }

  /** The process shuts down: routes finish their work, all other WebSockets close. */
  leave(): void {
    for (const webSocket of this.#open) webSocket.leave();
  }
}
