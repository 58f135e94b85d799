import type { CallerAuthenticator, CallerIdentity } from '../../calls/caller-authenticator.ts';
import type { ServerClosing } from '../../egress/outbound-websocket.ts';
import type { WebSocketConnection, WebSocketMessage } from '../../http/websocket.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Exchange } from '../../kernel/exchange.ts';
import { redactBytes, redactText } from '../../kernel/redact-secrets.ts';
import type { SessionProtocol, SessionReader, SessionSetup } from '../../kernel/session-protocol.ts';
import type { HeaderList } from '../../lib/headers.ts';
import type { SessionConnection, SessionConnector } from '../../providers/sessions/session-connection.ts';
import type { BodyMemoryBudget, MemoryReservation } from '../body-memory-budget.ts';
import { limits } from '../limits.ts';
import { asGatewayError, drainingError } from '../respond.ts';
import { closeReason, sendableCode } from './closing.ts';
import type { TurnBound, TurnOrigin, TurnParts } from './session-turn.ts';
import { SessionTurns } from './session-turns.ts';

export interface SessionParts extends TurnParts {
  readonly connect: SessionConnector;
  readonly callers: Pick<CallerAuthenticator, 'identifyCurrent'>;
  readonly memoryBudget: BodyMemoryBudget;
  limitsOf(model: string): Partial<TurnBound>;
  readonly lifeMs: number;
  readonly messageBytesMax: number;
}

/** The request that opened a session. */
export interface SessionOpening {
  readonly protocol: SessionProtocol;
  readonly identity: CallerIdentity;
  readonly headers: HeaderList;
  readonly query: string;
  readonly path: string;
}

/** A client and a provider that exchange messages. They pass as they are, and only as fast as the other side reads. */
export class Session {
  readonly #parts: SessionParts;
  readonly #opening: SessionOpening;
  readonly #setup: SessionSetup;
  readonly #reader: SessionReader;
  readonly #turns: SessionTurns;
  #connection: SessionConnection | undefined;
  #client: WebSocketConnection | undefined;
  /** The provider's name of the model. */
  #providerModel = '';
  /** The memory of messages that have not reached the provider. */
  #memory: MemoryReservation;
  /** Bytes that have not reached the client. */
  #unsentBytes = 0;
  /** Why the gateway ends the session, as soon as its responses have ended. */
  #reason: GatewayError | undefined;
  #providerClosing: ServerClosing | undefined;

  constructor(parts: SessionParts, opening: SessionOpening, setup: SessionSetup) {
    this.#parts = parts;
    this.#opening = opening;
    this.#setup = setup;
    this.#reader = opening.protocol.createReader(setup);
    this.#memory = parts.memoryBudget.reserve(opening.identity.accountId);
    this.#turns = new SessionTurns({
      ...parts,
      reader: this.#reader,
      model: setup.model,
      origin: () => this.#origin(),
      onRefused: (refusal) => this.end(refusal),
      onIdle: () => {
        if (this.#reason !== undefined) this.#close();
      },
    });
  }

  /** Responses that run or are reserved. */
  get openTurns(): number {
    return this.#turns.open;
  }

  /** Reserves the first response and connects to the provider; rejects if either is refused. */
  async open(): Promise<void> {
    try {
      await this.#turns.begin((exchange) => this.#connect(exchange));
    } catch (refusal) {
      this.#connection?.webSocket.close();
      throw refusal;
    }
  }

  /** The session is not needed: its client has left. */
  async abandon(): Promise<void> {
    this.#connection?.webSocket.end(normalClosure);
    await this.#turns.close();
  }

  /** Resolves when the session has ended and all of it is settled. `received` was sent before the provider was known. */
  async serve(client: WebSocketConnection, received?: WebSocketMessage): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) throw new Error('the session is not open');
    this.#client = client;
    client.onBytes((bytes) => this.#reserveMemory(bytes));
    client.onLeaving(() => this.end(drainingError()));
    void client.closed.then(() => this.#turns.stop());
    const life = setTimeout(() => this.end(tooOldError()), this.#parts.lifeMs).unref();
    const checks = setInterval(() => void this.#checkCaller(), limits.session.checkMs).unref();
    if (this.#providerClosing !== undefined) this.#providerClosed(this.#providerClosing);
    connection.webSocket.resume();
    try {
      if (received !== undefined) await this.#fromClient(this.#withModel(received));
      for await (const message of client) await this.#fromClient(message);
    } finally {
      clearTimeout(life);
      clearInterval(checks);
      connection.webSocket.end(normalClosure);
      await this.#turns.close();
      this.#memory.release();
    }
  }

  /** Ends the session for this reason. Responses that have begun are completed. */
  end(reason: GatewayError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#turns.stop();
    if (this.#turns.running === 0) this.#close();
    else setTimeout(() => this.#close(), limits.session.lastResponseMs).unref();
  }

  /** Ends it without waiting for anything. */
  abort(): void {
    this.#reason ??= drainingError();
    this.#close();
  }

  #close(): void {
    const client = this.#client;
    const reason = this.#reason;
    if (client === undefined || reason === undefined || client.isClosed) return;
    const { protocol } = this.#opening;
    const last = protocol.encodeEnd(reason, this.#parts.requestId());
    if (last !== undefined) void client.send(last);
    client.close(protocol.closeCodeOf(reason), closeReason(reason.message));
  }

  #origin(): TurnOrigin {
    return { ...this.#opening, credential: this.#connection?.credential };
  }

  async #connect(exchange: Exchange): Promise<void> {
    this.#providerModel = exchange.target.model;
    this.#connection = await this.#parts.connect(exchange, {
      protocol: this.#opening.protocol,
      setup: this.#setup,
      messageBytesMax: this.#parts.messageBytesMax,
      onMessage: (message, isBinary) => this.#fromProvider(message, isBinary),
      onClose: (closing) => this.#providerClosed(closing),
    });
  }

  #withModel({ data, isBinary }: WebSocketMessage): WebSocketMessage {
    return { data: this.#setup.withModel?.(this.#providerModel) ?? data, isBinary };
  }

  async #fromClient(message: WebSocketMessage): Promise<void> {
    if (this.#reason !== undefined) return;
    const { data, isBinary } = message;
    const { asks, refusal } = this.#reader.readClient(data, isBinary);
    if (refusal !== undefined) {
      const error = this.#opening.protocol.encodeError(refusal, this.#parts.requestId());
      if (error === undefined) this.end(refusal);
      else await this.#client?.send(error);
      return;
    }
    if (!this.#turns.mayPass(asks)) await this.#turns.whenMayPass(asks);
    if (this.#reason !== undefined || this.#client?.isClosed === true) return;
    if (asks) this.#turns.asked();
    await this.#connection?.webSocket.send(data, isBinary);
    this.#releaseMemory();
  }

  #fromProvider(message: Buffer, isBinary: boolean): void {
    const { webSocket, secrets = [] } = this.#connection ?? {};
    let passed: Uint8Array = message;
    for (const event of this.#reader.readProvider(message, isBinary)) {
      if (event.kind === 'error') passed = redactBytes(message, secrets);
      this.#turns.onEvent(event);
    }
    const client = this.#client;
    if (client === undefined || client.isClosed) return;
    this.#unsentBytes += passed.byteLength;
    if (this.#unsentBytes > limits.webSocket.unsentBytesMax) webSocket?.pause();
    void (isBinary ? client.send(passed) : client.sendText(passed)).then(() => {
      this.#unsentBytes -= passed.byteLength;
      if (this.#unsentBytes <= limits.webSocket.unsentBytesMax) webSocket?.resume();
    });
  }

  /** The client gets the provider's own code and reason. */
  #providerClosed(closing: ServerClosing): void {
    this.#providerClosing = closing;
    const client = this.#client;
    if (client === undefined || client.isClosed) return;
    const { code, reason } = closing;
    this.#turns.stop();
    client.close(sendableCode(code), closeReason(redactText(reason, this.#connection?.secrets ?? [])));
  }

  #reserveMemory(bytes: number): void {
    try {
      this.#memory.add(bytes);
    } catch (thrown) {
      this.end(asGatewayError(thrown));
      this.#client?.refuse(1013, 'no memory for this message; try again later');
    }
  }

  /** What arrives meanwhile is counted with the next message. */
  #releaseMemory(): void {
    this.#memory.release();
    this.#memory = this.#parts.memoryBudget.reserve(this.#opening.identity.accountId);
  }

  /** A key that was revoked, has expired or may no longer be used ends its session, even if nobody speaks. */
  async #checkCaller(): Promise<void> {
    const { headers, identity } = this.#opening;
    try {
      await this.#parts.callers.identifyCurrent(headers, identity.address);
    } catch (thrown) {
      if (GatewayError.is(thrown) && thrown.status < 500) this.end(thrown);
    }
  }
}

const normalClosure = 1000;

function tooOldError(): GatewayError {
  return new GatewayError(
    'websocket_connection_limit_reached',
    'this session has reached its maximum duration; open another one',
  );
}
