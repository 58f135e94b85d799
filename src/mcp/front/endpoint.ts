import { GatewayError } from '../../kernel/errors.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import type { TraceParent } from '../../kernel/trace-parent.ts';
import { type HeaderList, headerOf } from '../../lib/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpCatalog } from '../catalog/catalog.ts';
import type { CatalogView } from '../catalog/catalog-view.ts';
import type { ToolCallFacts } from '../catalog/tool-caller.ts';
import { EventStream, streamHeaders } from './event-stream.ts';
import { errorText, type Message, parseMessage, type RequestMessage, resultText } from './json-rpc.ts';
import { limits } from './limits.ts';
import { Methods } from './methods.ts';
import { ModernEra } from './modern-era.ts';
import { isModern } from './modern-request.ts';
import { codes, errorAnswer, ProtocolError } from './protocol-error.ts';
import type { RequestStates } from './request-states.ts';
import { SessionEra } from './session-era.ts';
import type { Sessions } from './sessions.ts';
import { StreamCounts } from './stream-counts.ts';
import { type ToolCallSpans, traceToolCall } from './trace-tool-call.ts';

/** An HTTP request of an identified caller. */
export interface EndpointRequest {
  readonly id: string;
  readonly headers: HeaderList;
  readonly caller: McpCaller;
  /** The program that makes the request. */
  readonly client: string | undefined;
  /** The only server whose tools are meant, with their own names. */
  readonly only: string | undefined;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** The client's place in a trace that is exported. */
  readonly traceParent?: TraceParent | undefined;
  /** Called at the end of each call of a tool; one request may have several, if the server asks its client. */
  onToolCall?(call: ToolCallFacts): void;
}

export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: HeaderList;
  /** JSON; empty for no body. */
  readonly body?: string;
  readonly contentType?: string;
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Of the answer to a call of a tool. */
  readonly toolCall?: AnsweredToolCall;
}

interface AnsweredToolCall {
  /** The name that the client used. */
  readonly tool: string;
  /** The error that the client gets; undefined for a result. */
  readonly error: Promise<JsonObject | undefined>;
}

export interface EndpointParts {
  readonly catalog: McpCatalog;
  readonly sessions: Sessions;
  readonly states: RequestStates;
  /** The name and version of the gateway. */
  readonly serverInfo: JsonObject;
  /** Undefined if traces are not exported. */
  readonly spans: ToolCallSpans | undefined;
  /** Called for errors that are bugs. */
  onBug(id: string, thrown: unknown): void;
}

/** Runs a request. Notifications make its answer a stream. */
export type Run = (stream: EventStream | undefined) => Promise<string>;

/** The MCP endpoint for clients of all revisions since 2025-03-26. */
export class McpEndpoint {
  readonly #parts: EndpointParts;
  readonly #modern: ModernEra;
  readonly #withSessions: SessionEra;
  readonly #requests = new StreamCounts(limits.requestsPerAccountMax, 'requests under way');
  readonly #leaving = new AbortController();

  constructor(parts: EndpointParts) {
    const methods = new Methods(parts.states, parts.serverInfo);
    const shared = {
      methods,
      serverInfo: parts.serverInfo,
      streams: new StreamCounts(limits.streamsPerAccountMax, 'open streams'),
      leaving: this.#leaving.signal,
      respond: (request: EndpointRequest, message: RequestMessage, run: Run) =>
        this.#respond(request, message, run),
    };
    this.#parts = parts;
    this.#modern = new ModernEra(shared);
    this.#withSessions = new SessionEra({ ...shared, sessions: parts.sessions });
  }

  /** Streams of changes end, so that the process can. */
  leave(): void {
    this.#leaving.abort();
  }

  async post(request: EndpointRequest, bytes: Uint8Array): Promise<EndpointAnswer> {
    let message: Message | undefined;
    try {
      checkHeaders(request.headers);
      message = parseMessage(bytes);
      const taken = message;
      const era = isModern(message, request.headers) ? this.#modern : this.#withSessions;
      return await traceToolCall({ spans: this.#parts.spans, request, message }, (traced) =>
        era.take(traced, taken, this.#viewFor(traced)),
      );
    } catch (thrown) {
      return failedAnswer(thrown, message?.kind === 'request' ? message.id : null);
    }
  }

  /** The stream of changes of a session. */
  async get(request: EndpointRequest): Promise<EndpointAnswer> {
    try {
      return await this.#withSessions.open(request, this.#viewFor(request));
    } catch (thrown) {
      return failedAnswer(thrown, null);
    }
  }

  /** Ends a session. */
  async delete(request: EndpointRequest): Promise<EndpointAnswer> {
    try {
      return await this.#withSessions.end(request);
    } catch (thrown) {
      return failedAnswer(thrown, null);
    }
  }

  #viewFor({ caller, only, id, client, traceParent, onToolCall }: EndpointRequest): CatalogView {
    const origin = {
      requestId: id,
      client,
      traceParent,
      ...(onToolCall !== undefined && { onCall: onToolCall }),
    };
    return this.#parts.catalog.viewFor(caller, { only, origin });
  }

  /** One JSON document for what ends soon and has nothing to say before, a stream for all else. */
  async #respond(
    request: EndpointRequest,
    { id, method, params }: RequestMessage,
    run: Run,
  ): Promise<EndpointAnswer> {
    const done = this.#requests.count(request.caller.accountId);
    const stream = acceptsStream(request.headers) ? new EventStream(request.signal) : undefined;
    const ended = run(stream)
      .then(
        (result) => ({ error: undefined, answer: { status: 200, body: resultText(id, result) } }),
        (thrown: unknown) => {
          const isBug = !isAbort(thrown) && !isExpected(thrown);
          if (isBug) this.#parts.onBug(request.id, thrown);
          const failure = isAbort(thrown) ? cancelledError() : isBug ? internalError() : thrown;
          return { error: errorAnswer(failure).error, answer: failedAnswer(failure, id) };
        },
      )
      .finally(done);
    const answered = method === 'tools/call' && {
      toolCall: { tool: String(params.name), error: ended.then(({ error }) => error) },
    };
    if (stream === undefined || (await isEndedFirst(ended, stream))) {
      stream?.end();
      const { answer } = await ended;
      return { ...answer, ...answered };
    }
    void ended.then(({ answer: { body } }) => {
      if (body !== undefined) stream.send(body);
      stream.end();
    });
    const contentType = 'text/event-stream';
    return { status: 200, headers: streamHeaders, contentType, stream: stream.chunks(), ...answered };
  }
}

async function isEndedFirst(answer: Promise<unknown>, stream: EventStream): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => {
    stream.comment();
    resolve(false);
  }, limits.streamAfterMs);
  const isEnded = await Promise.race([answer.then(() => true), stream.started.then(() => false), late]);
  clearTimeout(timer);
  return isEnded;
}

function failedAnswer(thrown: unknown, id: string | number | null): EndpointAnswer {
  const { status, headers, error } = errorAnswer(thrown);
  return { status, headers, body: errorText(id, error) };
}

function isExpected(thrown: unknown): boolean {
  try {
    errorAnswer(thrown);
    return true;
  } catch {
    return false;
  }
}

/** The client has left, or has cancelled its request. */
function isAbort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === 'AbortError';
}

function cancelledError(): ProtocolError {
  return new ProtocolError(codes.internal, 'the request was cancelled', { status: 200 });
}

function internalError(): ProtocolError {
  return new ProtocolError(codes.internal, 'a bug in the gateway; its log says more', { status: 500 });
}

function checkHeaders(headers: HeaderList): void {
  const type = headerOf(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new GatewayError(
      'unsupported_media_type',
      'send JSON, with the header content-type: application/json',
    );
}

/** A client that takes JSON only gets no notifications. */
function acceptsStream(headers: HeaderList): boolean {
  const accept = headerOf(headers, 'accept')?.toLowerCase() ?? '*/*';
  return accept.includes('text/event-stream') || accept.includes('*/*');
}
