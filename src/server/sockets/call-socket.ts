import type { CallerIdentity } from '../../calls/caller-authenticator.ts';
import type { HttpRequest } from '../../http/request.ts';
import type { HttpResponse } from '../../http/response.ts';
import { closeCodes, type WebSocketConnection, type WebSocketMessage } from '../../http/websocket.ts';
import { ClientPresence } from '../../kernel/client-presence.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { SocketCall, SocketFormat, SocketRequest } from '../../kernel/socket-format.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import type { BodyMemoryBudget, MemoryReservation } from '../body-memory-budget.ts';
import { limits } from '../limits.ts';
import {
  asGatewayError,
  drainingError,
  errorEnvelope,
  errorHeaders,
  type RequestContext,
  reportRefusal,
} from '../respond.ts';
import { SocketResponse } from './socket-response.ts';
import { SocketTurns } from './socket-turns.ts';

export interface CallSocketParts {
  readonly wire: WireFormat;
  readonly format: SocketFormat;
  /** Makes a call as of HTTP. */
  call(req: HttpRequest, res: HttpResponse, context: RequestContext, wire: WireFormat): Promise<void>;
  readonly memoryBudget: BodyMemoryBudget;
  requestId(): string;
  readonly onRefused?: RequestContext['onRefused'];
  /** How long a WebSocket lives. */
  readonly lifeMs: number;
}

/** The request that opened a WebSocket. */
export interface SocketOpening {
  readonly identity: CallerIdentity;
  /** The headers that each call has. */
  readonly headers: HeaderList;
  readonly query: string;
  /** The client's address. */
  readonly address: string;
}

/** A WebSocket whose messages are calls: each is admitted, metered and logged by itself. */
export class CallSocket {
  readonly #parts: CallSocketParts;
  readonly #opening: SocketOpening;
  readonly #webSocket: WebSocketConnection;
  readonly #turns: SocketTurns;
  readonly #presence = new ClientPresence();
  /** The last call of each lane that has one. */
  readonly #lanes = new Map<string | undefined, Promise<void>>();
  readonly #responses = new Set<HttpResponse>();
  #calls = 0;
  /** The memory of the message that arrives. */
  #memory: MemoryReservation;
  /** Why no further calls are accepted. */
  #closing: Closing | undefined;

  constructor(parts: CallSocketParts, opening: SocketOpening, webSocket: WebSocketConnection) {
    this.#parts = parts;
    this.#opening = opening;
    this.#webSocket = webSocket;
    const { accountId } = opening.identity;
    this.#turns = new SocketTurns(parts.memoryBudget, accountId);
    this.#memory = parts.memoryBudget.reserve(accountId);
  }

  /** Resolves when the WebSocket is closed and all its calls are settled. */
  async serve(): Promise<void> {
    const webSocket = this.#webSocket;
    webSocket.onBytes((bytes) => this.#reserve(bytes));
    webSocket.onLeaving(() =>
      this.#close({ error: drainingError(), code: closeCodes.restart, isSent: false }),
    );
    const life = setTimeout(() => this.#expire(), this.#parts.lifeMs).unref();
    for await (const message of webSocket) this.#receive(message);
    clearTimeout(life);
    for (const response of this.#responses) response.abort();
    await Promise.all(this.#lanes.values());
    this.#presence.leave();
    this.#turns.clear();
    this.#memory.release();
  }

  #reserve(bytes: number): void {
    try {
      this.#memory.add(bytes);
    } catch (thrown) {
      this.#refuse(thrown, undefined);
      this.#webSocket.refuse(closeCodes.tryAgainLater, 'no memory for this message; try again later');
    }
  }

  #expire(): void {
    const error = new GatewayError(
      'websocket_connection_limit_reached',
      'this WebSocket has reached its maximum age; open another one',
    );
    this.#close({ error, code: closeCodes.goingAway, isSent: true });
  }

  /** Closes the WebSocket when its calls have ended. */
  #close(closing: Closing): void {
    this.#closing ??= closing;
    if (this.#calls > 0) return;
    const { error, code, isSent } = this.#closing;
    if (isSent) this.#sendError(error, undefined);
    this.#webSocket.close(code, error.message);
  }

  /** Never waits, so that a client that leaves is noticed at once. */
  #receive({ data, isBinary }: WebSocketMessage): void {
    const memory = this.#memory;
    this.#memory = this.#parts.memoryBudget.reserve(this.#opening.identity.accountId);
    let lane: string | undefined;
    let isAccepted = false;
    try {
      if (isBinary) throw new GatewayError('invalid_request', 'send JSON as text, not as a binary message');
      const message = LazyJsonObject.of(data);
      lane = this.#parts.format.laneOf(message);
      const request = this.#parts.format.readMessage(message);
      if (request.kind === 'unsupported') {
        void this.#webSocket.send(request.answer);
        return;
      }
      this.#checkRoom();
      this.#enqueue(lane, memory, () => this.#run(message, request, lane));
      isAccepted = true;
    } catch (thrown) {
      this.#refuse(thrown, lane);
    } finally {
      if (!isAccepted) memory.release();
    }
  }

  #checkRoom(): void {
    if (this.#closing !== undefined) throw this.#closing.error;
    if (this.#calls < limits.callSocket.callsMax) return;
    throw new GatewayError(
      'concurrency_limit',
      `a WebSocket may have ${limits.callSocket.callsMax} responses in progress; wait for one to end`,
    );
  }

  /** Runs a call after those of its lane. */
  #enqueue(lane: string | undefined, memory: MemoryReservation, run: () => Promise<void>): void {
    this.#calls++;
    const settled = (this.#lanes.get(lane) ?? Promise.resolve()).then(run).finally(() => {
      memory.release();
      this.#calls--;
      if (this.#lanes.get(lane) === settled) this.#lanes.delete(lane);
      if (this.#closing !== undefined) this.#close(this.#closing);
    });
    this.#lanes.set(lane, settled);
  }

  async #run(message: LazyJsonObject, request: SocketRequest, lane: string | undefined): Promise<void> {
    if (this.#webSocket.isClosed) return;
    const id = this.#parts.requestId();
    try {
      if (request.isPrepared) this.#prepareTurn(id, message, request);
      else await this.#call(id, { message, request, lane });
    } catch (thrown) {
      this.#refuse(thrown, lane);
    }
  }

  #prepareTurn(id: string, message: LazyJsonObject, request: SocketRequest): void {
    const answer = this.#parts.format.answerPrepared(message, id.slice(id.indexOf('_') + 1));
    this.#turns.add(answer.id, { previous: request.previous, items: [request.items] });
    for (const text of answer.messages) void this.#webSocket.send(text);
  }

  async #call(id: string, { message, request, lane }: SocketMessageCall): Promise<void> {
    const { wire, format, call, onRefused } = this.#parts;
    const history = this.#turns.historyOf(request.previous);
    const { query, headers, address: clientAddress } = this.#opening;
    const socket: SocketCall = {
      lane,
      message: message.bytes,
      expanded: history === undefined ? undefined : request.previous,
      connection: this.#presence,
      handshakeHeaders: format.handshakeHeaders(headers),
    };
    const { path } = format;
    const context: RequestContext = { id, path, query, clientAddress, cors: [], socket, onRefused };
    const isTraced = headerOf(headers, 'x-weir-trace') === 'on';
    const { request: req, response } = new SocketResponse({
      webSocket: this.#webSocket,
      context,
      wire,
      body: request.httpBody(history?.items ?? [], history?.previous),
      headers: [...format.callHeaders(headers, message), 'content-type', 'application/json'],
      onHead: (sent) => {
        if (isTraced) void this.#webSocket.send(format.encodeHeaders(sent, lane));
      },
      onMessage: (sent) => {
        if (request.isKeptOnSocket) this.#keepTurn(request, sent.toString());
      },
      encodeError: (error) => format.encodeError(error, lane),
    });
    this.#responses.add(response);
    try {
      await call(req, response, context, wire);
    } finally {
      this.#responses.delete(response);
    }
  }

  #keepTurn(request: SocketRequest, message: string): void {
    const output = this.#parts.format.readOutput(message);
    if (output === undefined) return;
    const { id, items, replacesHistory } = output;
    const pieces = [request.items, items].filter(({ byteLength }) => byteLength > 0);
    if (replacesHistory) this.#turns.add(id, { previous: undefined, items: [items] });
    else this.#turns.add(id, { previous: request.previous, items: pieces });
  }

  /** Reports the error as well. */
  #refuse(thrown: unknown, lane: string | undefined): void {
    const { identity, headers } = this.#opening;
    const { accountId, key } = identity;
    const context = this.#sendError(thrown, lane);
    reportRefusal(asGatewayError(thrown), { ...context, accountId, keyId: key?.keyId }, headers);
  }

  #sendError(thrown: unknown, lane: string | undefined): RequestContext {
    const { wire, format, requestId, onRefused } = this.#parts;
    const error = asGatewayError(thrown);
    const { address: clientAddress } = this.#opening;
    const { path } = format;
    const context: RequestContext = { id: requestId(), path, query: '', clientAddress, cors: [], onRefused };
    const body = errorEnvelope(error, context.id, wire);
    const headers = errorHeaders(error, context);
    void this.#webSocket.send(format.encodeError({ status: error.status, headers, body }, lane));
    return context;
  }
}

interface Closing {
  readonly error: GatewayError;
  readonly code: number;
  /** Whether a client that waits for nothing gets the error as well. */
  readonly isSent: boolean;
}

interface SocketMessageCall {
  readonly message: LazyJsonObject;
  readonly request: SocketRequest;
  readonly lane: string | undefined;
}
