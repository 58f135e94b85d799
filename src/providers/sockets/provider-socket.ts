import { EgressError } from '../../egress/egress-error.ts';
import type { Endpoint } from '../../egress/endpoint.ts';
import type { OutboundWebSocket } from '../../egress/outbound-websocket.ts';
import type { SocketEvent, SocketFormat } from '../../kernel/socket-format.ts';
import type { HeaderList } from '../../lib/headers.ts';
import { limits as wireLimits } from '../../wire/limits.ts';
import { limits } from '../limits.ts';
import { SocketReply } from './socket-reply.ts';

interface ProviderSocketParts {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly headers: HeaderList;
  readonly format: SocketFormat;
  /** Whether the provider answers several lanes at once. */
  readonly hasLanes: boolean;
  onClose(): void;
}

/** A response that the provider is making. */
interface OpenReply {
  readonly reply: SocketReply;
  /** The answer that it continues from. */
  readonly previous: string | undefined;
  readonly silence: NodeJS.Timeout;
}

/** A WebSocket to a provider: one response at a time in each lane. */
export class ProviderSocket {
  readonly hasLanes: boolean;
  readonly opened: Promise<void>;
  readonly #parts: ProviderSocketParts;
  readonly #webSocket: OutboundWebSocket;
  readonly #open = new Map<string | undefined, OpenReply>();
  /** The last answer of each lane, which the provider remembers until the connection ends. */
  readonly #lastAnswers = new Map<string | undefined, string>();
  readonly #idle: NodeJS.Timeout;
  /** A retired connection takes no further calls, and closes when its responses have ended. */
  #isRetired = false;
  #isPaused = false;

  constructor(parts: ProviderSocketParts) {
    this.#parts = parts;
    this.hasLanes = parts.hasLanes;
    this.#webSocket = parts.endpoint.openWebSocket(parts.path, {
      headers: parts.headers,
      messageBytesMax: wireLimits.frameBytesMax,
      onMessage: (message, isBinary) => {
        if (!isBinary) this.#receive(message);
      },
      onClose: (cause) => this.#closed(cause),
    });
    this.opened = this.#webSocket.opened;
    this.#idle = setTimeout(() => {
      if (this.isIdle) this.retire();
    }, limits.socketIdleMs).unref();
  }

  /** The provider's host. */
  get host(): string {
    return this.#parts.endpoint.host;
  }

  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  /** Whether it takes further calls. */
  get isUsable(): boolean {
    return !this.#isRetired && !this.#webSocket.isClosing;
  }

  /** Whether a call can be sent now. */
  isFree(lane: string | undefined): boolean {
    return this.hasLanes ? !this.#open.has(lane) : this.isIdle;
  }

  /** Whether the provider can continue from an answer that it doesn't store. */
  remembers(answerId: string): boolean {
    return [...this.#lastAnswers.values()].includes(answerId);
  }

  /** Reserves the lane for a response. */
  begin(lane: string | undefined, previous: string | undefined): SocketReply {
    const reply = new SocketReply(
      () => this.#resume(),
      () => this.#cancelled(lane),
    );
    const { silenceMs } = this.#parts.endpoint;
    const silence = setTimeout(() => this.#timeOut(lane), silenceMs).unref();
    this.#open.set(lane, { reply, previous, silence });
    return reply;
  }

  send(message: Uint8Array): void {
    void this.#webSocket.send(message);
  }

  retire(): void {
    this.#isRetired = true;
    if (this.isIdle) this.#webSocket.close();
  }

  close(): void {
    this.#isRetired = true;
    this.#webSocket.close();
  }

  #receive(message: Buffer): void {
    const event = this.#parts.format.readEvent(message);
    if (event === undefined) return;
    const { lane } = event;
    const named = this.hasLanes || this.#open.has(lane) ? lane : [...this.#open.keys()][0];
    if (this.#open.has(named)) this.#deliver(event, named);
    // An error of the connection itself, for example that it is too old.
    else if (event.error !== undefined && lane === undefined && !this.#isRetired) {
      this.retire();
      for (const [waiting, { reply }] of this.#open) if (!reply.hasStarted) this.#deliver(event, waiting);
    }
  }

  #deliver(event: SocketEvent, lane: string | undefined): void {
    const { reply, previous, silence } = this.#open.get(lane) ?? {};
    if (reply === undefined || silence === undefined) return;
    silence.refresh();
    reply.push(event);
    if (event.isLast) {
      // Providers forget the answer that a failed response continued from.
      if (event.answerId === undefined) this.#forget(lane, previous);
      else this.#remember(lane, event.answerId);
      this.#end(lane);
    } else if (reply.isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#webSocket.pause();
    }
  }

  #remember(lane: string | undefined, answerId: string): void {
    this.#lastAnswers.delete(lane);
    this.#lastAnswers.set(lane, answerId);
    const [oldest] = this.#lastAnswers.keys();
    if (this.#lastAnswers.size > limits.rememberedLanesMax) this.#lastAnswers.delete(oldest);
  }

  #forget(lane: string | undefined, previous: string | undefined): void {
    for (const [other, answerId] of this.#lastAnswers)
      if (other === lane || answerId === previous) this.#lastAnswers.delete(other);
  }

  #end(lane: string | undefined): void {
    clearTimeout(this.#open.get(lane)?.silence);
    this.#open.delete(lane);
    this.#idle.refresh();
    this.#resume();
    if (this.#isRetired) this.retire();
  }

  /** There is no message that cancels a response: the connection has to go, at the latest when its other responses have ended. */
  #cancelled(lane: string | undefined): void {
    this.#isRetired = true;
    this.#end(lane);
  }

  #timeOut(lane: string | undefined): void {
    const { reply, silence } = this.#open.get(lane) ?? {};
    // The client reads slowly.
    if (this.#isPaused) silence?.refresh();
    else {
      reply?.fail(new EgressError('EGRESS_TIMEOUT', 'the provider sent nothing for too long'));
      this.#cancelled(lane);
    }
  }

  #resume(): void {
    if (!this.#isPaused || [...this.#open.values()].some(({ reply }) => reply.isFull)) return;
    this.#isPaused = false;
    this.#webSocket.resume();
  }

  #closed(cause: Error): void {
    this.#isRetired = true;
    clearTimeout(this.#idle);
    for (const { reply, silence } of this.#open.values()) {
      clearTimeout(silence);
      reply.fail(cause);
    }
    this.#open.clear();
    this.#parts.onClose();
  }
}
