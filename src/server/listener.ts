import type { HttpServer } from '../http/server.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** A listening server. */
export class Listener {
  readonly url: string;
  readonly #server: HttpServer;
  readonly #closeWebSockets: () => void;
  #closing: Promise<void> | undefined;

  /** `closeWebSockets` is called when the server shuts down. */
  static async open(
    server: HttpServer,
    { host, port }: ListenAddress,
    closeWebSockets: () => void = () => undefined,
  ): Promise<Listener> {
    const bound = await server.listen(host, port);
    const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    return new Listener(server, url, closeWebSockets);
  }

  private constructor(server: HttpServer, url: string, closeWebSockets: () => void) {
    this.#server = server;
    this.url = url;
    this.#closeWebSockets = closeWebSockets;
  }

  /**
   * Stops accepting connections, so other processes on the same address take them. Open connections are served for one
   * more request each, and never closed while a request may be in transit.
   */
  stopAccepting(): void {
    this.disableKeepAlive();
    this.#closing ??= this.#server.close();
  }

  /** Stops accepting, and resolves when no connection is left or at the timeout. */
  async handOver(graceMs: number): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, graceMs);
    this.stopAccepting();
    await Promise.race([this.#closing, enough]);
    clearTimeout(timer);
  }

  /** From now on each connection serves one more request, so clients reconnect elsewhere. */
  disableKeepAlive(): void {
    this.#server.disableKeepAlive();
    this.#closeWebSockets();
  }

  /** Waits for open calls up to `graceMs`, then aborts them. */
  async close(graceMs: number, giveUp: () => void): Promise<void> {
    const closed = this.#server.close();
    this.#closeWebSockets();
    // Otherwise a connection that becomes idle meanwhile would keep the server open.
    this.#server.closeIdleConnections();
    const sweep = setInterval(() => this.#server.closeIdleConnections(), 50);
    const timer = setTimeout(() => {
      giveUp();
      this.#server.closeAllConnections();
    }, graceMs);
    await closed;
    clearTimeout(timer);
    clearInterval(sweep);
  }
}
