import { setTimeout as wait } from 'node:timers/promises';
import { GatewayError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { CallMailbox } from './call-mailbox.ts';
import { type ClientIdentity, type Era, type EraRequestOptions, RequestNumbers } from './era.ts';
import { limits } from './limits.ts';
import { negotiate } from './negotiate.ts';
import { type HeaderParameter, headerParametersOf, parameterHeaders } from './parameter-headers.ts';
import { listKinds, readList } from './read-list.ts';
import { RpcError } from './rpc-error.ts';
import type {
  ListenOptions,
  ListName,
  RequestOptions,
  ServerConnection,
  ServerDescription,
  ServerList,
  Subscription,
} from './server-connection.ts';
import { describeFailure, HttpFailure, timeoutError } from './server-errors.ts';
import type { Transport } from './transport.ts';

export interface RpcConnectionParts {
  readonly server: string;
  readonly transport: Transport;
  readonly identity: ClientIdentity;
  /** Carries answers of clients to the process in which a call waits; undefined where there is one process. */
  readonly mailbox: CallMailbox | undefined;
  /** Of a server that sends no message. */
  readonly timeoutMs: number;
  readonly probeMs: number | undefined;
  /** What other connections know of the server. */
  readonly memory: EraMemory;
}

/** The era of a server, as long as its definition stays the same. */
export interface EraMemory {
  era: ServerDescription['era'] | undefined;
}

/** A connection to a server that speaks MCP, in whichever era. */
export class RpcConnection implements ServerConnection {
  readonly #parts: RpcConnectionParts;
  readonly #numbers = new RequestNumbers();
  readonly #closing = new AbortController();
  #era: Promise<Era> | undefined;
  /** Of the transport, when the era was found out. */
  #generation = 0;
  #isNegotiating = false;
  #headerParameters: ReadonlyMap<string, readonly HeaderParameter[]> | undefined;

  constructor(parts: RpcConnectionParts) {
    this.#parts = parts;
  }

  describe(options: RequestOptions): Promise<ServerDescription> {
    return this.#run(options, async (era) => era.description);
  }

  async list(list: ListName, options: RequestOptions): Promise<ServerList> {
    const { server } = this.#parts;
    const { method, capability } = listKinds[list];
    const read = await this.#run(options, async (era, limited) => {
      if (era.description.capabilities[capability] === undefined) return emptyList;
      return readList(server, list, (name, params) => era.request(name, params, limited)).catch((error) => {
        // Servers announce resources and have no templates.
        if (error instanceof RpcError && error.code === -32601 && method === 'resources/templates/list')
          return emptyList;
        throw error;
      });
    });
    if (list === 'tools') this.#headerParameters = headerParametersIn(read.items);
    return read;
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const headers = method === 'tools/call' ? await this.#parameterHeaders(params, options) : undefined;
    return this.#run(options, (era, limited) =>
      era.request(method, params, {
        ...limited,
        ...(headers !== undefined && { parameterHeaders: headers }),
      }),
    );
  }

  async listen(subscription: Subscription, { signal, onNotification }: ListenOptions): Promise<void> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const { server } = this.#parts;
    let pauseMs: number = limits.listenPauseMs;
    const onOpen = () => (pauseMs = limits.listenPauseMs);
    while (!either.aborted) {
      try {
        const era = await this.#eraFor(either);
        await era.listen(subscription, { signal: either, onNotification, onOpen });
      } catch (error) {
        if (either.aborted) return;
        if (isExpired(error)) this.#era = undefined;
        // What the server says no to now it says no to in a minute.
        if (isRefusal(error)) throw describeFailure(server, error, signal);
      }
      await wait(pauseMs, undefined, { signal: either }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, limits.listenPauseMsMax);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(timeoutError(this.#parts.server, 'was disconnected'));
    await this.#era?.then(
      (era) => era.close(),
      () => undefined,
    );
    await this.#parts.transport.close();
  }

  /** Runs a request within its time. A session that has expired is begun again: the server has not done what was asked. */
  async #run<Result>(
    options: RequestOptions,
    use: (era: Era, limited: EraRequestOptions) => Promise<Result>,
  ): Promise<Result> {
    const { server, timeoutMs } = this.#parts;
    const deadline = new Deadline(server, timeoutMs);
    const signal = AbortSignal.any([options.signal, deadline.signal, this.#closing.signal]);
    const { onNotification } = options;
    const limited: EraRequestOptions = {
      ...options,
      signal,
      ...(onNotification !== undefined && {
        onNotification: (notification) => {
          deadline.extend();
          onNotification(notification);
        },
      }),
    };
    try {
      const era = await this.#eraFor(signal);
      return await use(era, limited).catch(async (error: unknown) => {
        if (!isExpired(error)) throw error;
        this.#era = undefined;
        return use(await this.#eraFor(signal), limited);
      });
    } catch (error) {
      throw describeFailure(server, error, signal);
    } finally {
      deadline.end();
    }
  }

  /** One negotiation for all requests that wait for it: it has a time of its own, and fails for all of them. */
  #eraFor(signal: AbortSignal): Promise<Era> {
    const { memory, transport } = this.#parts;
    if (!this.#isNegotiating && this.#generation !== transport.generation) this.#era = undefined;
    if (this.#era === undefined) {
      this.#isNegotiating = true;
      const negotiation = { ...this.#parts, numbers: this.#numbers, signal: this.#closing.signal };
      const era = negotiate(negotiation, memory.era).then(
        (found) => {
          this.#isNegotiating = false;
          this.#generation = transport.generation;
          memory.era = found.description.era;
          return found;
        },
        (error: unknown) => {
          this.#isNegotiating = false;
          // The server may have been replaced by one of the other era.
          memory.era = undefined;
          if (this.#era === era) this.#era = undefined;
          throw error;
        },
      );
      this.#era = era;
    }
    return abortable(this.#era, signal);
  }

  /** Headers that the tool's definition asks for; a process that has not listed the tools does so first. */
  async #parameterHeaders(
    { name, arguments: input }: JsonObject,
    options: RequestOptions,
  ): Promise<Readonly<Record<string, string>> | undefined> {
    const { era } = await this.describe(options);
    if (era !== 'stateless') return undefined;
    if (this.#headerParameters === undefined) await this.list('tools', options);
    const parameters = this.#headerParameters?.get(String(name)) ?? [];
    return parameters.length === 0 ? undefined : parameterHeaders(parameters, input);
  }
}

const emptyList: ServerList = { items: [], ttlMs: 0, cacheScope: 'private', leftOut: [] };

/** The time of one request: each message of the server begins it anew, up to the maximum. */
class Deadline {
  readonly #aborting = new AbortController();
  readonly #silence: NodeJS.Timeout;
  readonly #total: NodeJS.Timeout;

  constructor(server: string, silenceMs: number) {
    const end = (what: string) => () => this.#aborting.abort(timeoutError(server, what));
    this.#silence = setTimeout(end(`did not answer within ${silenceMs} ms`), silenceMs);
    const { requestMsMax } = limits;
    this.#total = setTimeout(end(`had no result within ${requestMsMax} ms`), requestMsMax);
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  extend(): void {
    this.#silence.refresh();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
  }
}

/** A server answers 404 for a session that it does not know any more; many answer 400 and say so in words. */
function isExpired(error: unknown): boolean {
  if (!(error instanceof HttpFailure)) return false;
  const { status, rpc } = error;
  if (status === 404) return rpc?.code !== -32601;
  return status === 400 && rpc !== undefined && /session/i.test(rpc.message);
}

function isRefusal(error: unknown): boolean {
  if (error instanceof RpcError || GatewayError.is(error)) return true;
  return error instanceof HttpFailure && error.status < 500 && error.status !== 404 && error.status !== 429;
}

function headerParametersIn(tools: readonly JsonObject[]): ReadonlyMap<string, readonly HeaderParameter[]> {
  return new Map(
    tools.flatMap(({ name, inputSchema }) => {
      const found = isJsonObject(inputSchema) ? headerParametersOf(inputSchema) : undefined;
      return found === undefined || found.length === 0 ? [] : [[String(name), found] as const];
    }),
  );
}

function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  return promise;
}
