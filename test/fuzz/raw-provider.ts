import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is written to a connection, one after the other; a number waits that many milliseconds. */
export interface RawAnswer {
  readonly steps: readonly (Uint8Array | string | number)[];
  /** Ends by a reset instead of properly. */
  readonly cut: boolean;
}

/** A provider that says anything at all, byte by byte; which answer it gives is in the key that it is called with. */
export class RawProvider {
  readonly answers = new Map<string, RawAnswer>();
  /** Keys of the calls that came. */
  readonly asked = new Set<string>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#meet(socket));
  }

  static async start(): Promise<RawProvider> {
    const provider = new RawProvider();
    provider.#server.listen(0, '127.0.0.1');
    await once(provider.#server, 'listening');
    return provider;
  }

  get url(): string {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the provider is not listening');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #meet(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0);
      if (end < 0 || text.length < end + 4 + length) return;
      const key = /key-of-case-\d+/.exec(text.slice(0, end))?.[0] ?? '';
      text = '';
      this.asked.add(key);
      void this.#play(socket, this.answers.get(key));
    });
  }

  async #play(socket: Socket, answer: RawAnswer | undefined): Promise<void> {
    for (const step of answer?.steps ?? []) {
      if (socket.destroyed) return;
      if (typeof step === 'number') await sleep(step);
      else socket.write(step);
    }
    if (answer?.cut === true) socket.write('', () => socket.resetAndDestroy());
    else socket.end();
  }
}
