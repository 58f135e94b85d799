import { GatewayError } from '../../kernel/errors.ts';
import { ignoreErrors } from '../../lib/ignore-errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { type CallMailbox, readMail, resumeElsewhere } from './call-mailbox.ts';
import { maySuspend } from './channel-transport.ts';
import { checkResult } from './check-result.ts';
import {
  type ClientIdentity,
  type Era,
  type EraRequestOptions,
  metaNames,
  type RequestNumbers,
} from './era.ts';
import { limits } from './limits.ts';
import { answer, notification, type OutgoingMessage, type RpcRequest, refusal } from './rpc-message.ts';
import type { ListenOptions, ServerDescription, Subscription } from './server-connection.ts';
import { failedError } from './server-errors.ts';
import { ServerStream } from './server-stream.ts';
import { asJson } from './stateless-era.ts';
import { type CallParts, SuspendableCall } from './suspended-call.ts';
import type { ServerMessage, Transport } from './transport.ts';

export interface SessionsParts {
  readonly server: string;
  readonly transport: Transport;
  readonly numbers: RequestNumbers;
  readonly identity: ClientIdentity;
  /** Undefined where there is one process. */
  readonly mailbox: CallMailbox | undefined;
}

/** A session as the server has begun it. */
export interface BegunSession {
  readonly description: ServerDescription;
  /** Headers of all its further requests. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A server with sessions: revisions 2024-11-05 to 2025-11-25. */
export class SessionsEra implements Era {
  readonly description: ServerDescription;
  readonly #parts: SessionsParts;
  readonly #headers: BegunSession['headers'];
  readonly #calls = new Map<string, SuspendableCall>();
  readonly #stream: ServerStream;
  #logLevel: string | undefined;

  constructor(parts: SessionsParts, { description, headers }: BegunSession) {
    this.#parts = parts;
    this.description = description;
    this.#headers = headers;
    this.#stream = new ServerStream({
      ...parts,
      headers,
      request: (method, params, signal) => this.#exchange(method, params, { signal }),
      onRequest: (request) => this.#receive(request, this.#onlyCall()),
    });
  }

  async request(method: string, params: JsonObject, options: EraRequestOptions): Promise<JsonObject> {
    const { server, mailbox } = this.#parts;
    const { requestState, inputResponses, ...own } = params;
    if (typeof requestState === 'string') {
      const waiting = this.#calls.get(requestState.split('.', 1)[0] ?? '');
      if (waiting?.waitsFor(requestState) === true) return waiting.resume(inputResponses, options);
      return resumeElsewhere({ server, mailbox }, requestState, { inputResponses, options });
    }
    await this.#setLogLevel(options);
    if (!maySuspend(method)) return checkResult(server, method, await this.#exchange(method, own, options));
    const waiting = [...this.#calls.values()].filter((call) => call.isWaiting).length;
    if (waiting >= limits.inputWaitsMax)
      throw new GatewayError(
        'busy',
        `${waiting} calls of "${server}" wait for answers of their clients, the maximum of one connection`,
      );
    await this.#stream.open();
    const parts: CallParts = {
      server,
      run: async (call) =>
        checkResult(
          server,
          method,
          await this.#exchange(method, own, { ...options, signal: call.signal }, call),
        ),
      answer: (id, response) => this.#send(answer(id, isJsonObject(response) ? response : {})),
      onWait: (call, state) => {
        if (mailbox !== undefined) ignoreErrors(readMail(call, state, mailbox));
      },
      onEnd: (call) => this.#calls.delete(call.id),
    };
    const call = new SuspendableCall(parts);
    this.#calls.set(call.id, call);
    return call.begin(options);
  }

  listen(subscription: Subscription, options: ListenOptions & { onOpen(): void }): Promise<void> {
    return this.#stream.listen(subscription, options);
  }

  async close(): Promise<void> {
    const { server, transport } = this.#parts;
    for (const call of this.#calls.values())
      call.abort(failedError(server, 'was disconnected during the call'));
    this.#stream.close();
    if (this.#headers['mcp-session-id'] !== undefined)
      await transport.end(this.#headers).catch(() => undefined);
  }

  async #exchange(
    method: string,
    params: JsonObject,
    { signal, meta = {}, onNotification }: EraRequestOptions,
    call?: SuspendableCall,
  ): Promise<JsonObject> {
    const { transport, numbers } = this.#parts;
    const id = numbers.next();
    const fields = withoutEnvelope(meta);
    const cancel = () => this.#send(notification('notifications/cancelled', { requestId: id }));
    signal.addEventListener('abort', cancel, { once: true });
    const _meta = { ...fields, ...(onNotification !== undefined && { progressToken: id }) };
    const withMeta = Object.keys(_meta).length === 0 ? params : { ...params, _meta };
    try {
      const { response } = await transport.exchange(
        { jsonrpc: '2.0', id, method, params: withMeta },
        {
          signal,
          headers: this.#headers,
          onMessage: (message) => this.#receive(message, call, onNotification),
        },
      );
      return response.result;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #receive(
    message: ServerMessage,
    call: SuspendableCall | undefined,
    onNotification?: EraRequestOptions['onNotification'],
  ): void {
    if (message.kind === 'request') this.#answerServer(message, call);
    else if (isAboutLists(message.method)) this.#stream.report(message);
    else if (call !== undefined) call.notify(asJson(message));
    else onNotification?.(asJson(message));
  }

  #answerServer(request: RpcRequest, call: SuspendableCall | undefined): void {
    const response = this.#responseTo(request, call);
    if (response !== undefined) this.#send(response);
  }

  /** Undefined for what the client of the call is asked. */
  #responseTo(request: RpcRequest, call: SuspendableCall | undefined): OutgoingMessage | undefined {
    const { id, method } = request;
    if (method === 'ping') return answer(id, {});
    const capability = capabilityFor[method];
    if (capability === undefined)
      return refusal(id, -32601, `the gateway does not answer ${method.slice(0, 100)}`);
    if (call === undefined)
      return refusal(
        id,
        -32603,
        'the gateway can’t tell which call this belongs to: send it on the stream of the call',
      );
    if (!call.can(capability))
      return refusal(id, -32601, `the client of this call has no capability "${capability}"`);
    return call.ask(request) ? undefined : refusal(id, -32603, 'this call has asked too often');
  }

  /** Servers that don't say which call they mean can have one at a time that asks. */
  #onlyCall(): SuspendableCall | undefined {
    const [only, ...others] = this.#calls.values();
    return others.length === 0 ? only : undefined;
  }

  /** The level was that of the session; now each request has its own. */
  async #setLogLevel({ meta, signal }: EraRequestOptions): Promise<void> {
    const level = meta?.[metaNames.logLevel];
    if (typeof level !== 'string' || level === this.#logLevel) return;
    if (this.description.capabilities.logging === undefined) return;
    this.#logLevel = level;
    await this.#exchange('logging/setLevel', { level }, { signal }).catch(() => undefined);
  }

  #send(message: OutgoingMessage): void {
    const signal = AbortSignal.timeout(limits.farewellMs);
    ignoreErrors(this.#parts.transport.send(message, { signal, headers: this.#headers }));
  }
}

/** What a client must be able to do, for each request of a server. */
const capabilityFor: Readonly<Record<string, string>> = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
};

function isAboutLists(method: string): boolean {
  return method.endsWith('/list_changed') || method === 'notifications/resources/updated';
}

function withoutEnvelope(meta: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(meta).filter(([name]) => !name.startsWith('io.modelcontextprotocol/')),
  );
}
