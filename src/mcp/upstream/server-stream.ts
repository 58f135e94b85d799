import { ignoreErrors } from '../../lib/ignore-errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import { limits } from './limits.ts';
import type { RpcNotification, RpcRequest } from './rpc-message.ts';
import type { ListenOptions, Subscription } from './server-connection.ts';
import { asJson } from './stateless-era.ts';
import type { Transport } from './transport.ts';

interface ServerStreamParts {
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  request(method: string, params: JsonObject, signal: AbortSignal): Promise<unknown>;
  onRequest(request: RpcRequest): void;
}

/** The stream of a session for what belongs to no request, shared by all subscriptions. */
export class ServerStream {
  readonly #parts: ServerStreamParts;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(notification: RpcNotification) => void>();
  /** How many subscriptions each resource has. */
  readonly #resources = new Map<string, number>();
  #opening: Promise<void> | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(parts: ServerStreamParts) {
    this.#parts = parts;
  }

  /** Resolves when the stream is open, or can't be: servers may have none. */
  open(): Promise<void> {
    this.#opening ??= this.#openOnce();
    return this.#opening;
  }

  report(notification: RpcNotification): void {
    for (const listener of this.#listeners) listener(notification);
  }

  /** Resolves when the stream ends. */
  async listen(
    { lists, resources }: Subscription,
    { signal, onNotification, onOpen }: ListenOptions & { onOpen(): void },
  ): Promise<void> {
    const methods = new Set<string>(lists.flatMap((list) => changesOf[list]));
    const uris = new Set(resources);
    const listener = (notification: RpcNotification) => {
      const isWanted =
        notification.method === 'notifications/resources/updated'
          ? uris.has(String(notification.params.uri))
          : methods.has(notification.method);
      if (isWanted) onNotification(asJson(notification));
    };
    this.#listeners.add(listener);
    try {
      await this.open();
      for (const uri of uris) await this.#subscribe(uri, signal);
      onOpen();
      const { promise, resolve } = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (!signal.aborted) await Promise.race([promise, this.#ended]);
    } finally {
      this.#listeners.delete(listener);
      for (const uri of uris) this.#unsubscribe(uri);
    }
  }

  close(): void {
    this.#closing.abort(new Error('the session has ended'));
  }

  async #openOnce(): Promise<void> {
    const { transport, headers, onRequest } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, limits.streamOpenMs);
    const listening = transport.listen({
      headers,
      signal: this.#closing.signal,
      onOpen: resolve,
      onMessage: (message) => (message.kind === 'request' ? onRequest(message) : this.report(message)),
    });
    let hasStream = false;
    promise.then(() => (hasStream = true));
    // A server without a stream can still report changes with its answers.
    const ended = listening.then(
      () => (hasStream ? undefined : this.#whenClosed()),
      () => undefined,
    );
    this.#ended = ended.finally(() => {
      this.#opening = undefined;
    });
    await Promise.race([promise, ignoreErrors(listening).catch(() => undefined)]);
    clearTimeout(timer);
  }

  #whenClosed(): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #subscribe(uri: string, signal: AbortSignal): Promise<void> {
    const count = this.#resources.get(uri) ?? 0;
    this.#resources.set(uri, count + 1);
    if (count === 0) await this.#parts.request('resources/subscribe', { uri }, signal);
  }

  #unsubscribe(uri: string): void {
    const count = this.#resources.get(uri) ?? 0;
    if (count > 1) this.#resources.set(uri, count - 1);
    else if (this.#resources.delete(uri) && !this.#closing.signal.aborted)
      ignoreErrors(
        this.#parts.request('resources/unsubscribe', { uri }, AbortSignal.timeout(limits.farewellMs)),
      );
  }
}

const changesOf = {
  tools: ['notifications/tools/list_changed'],
  prompts: ['notifications/prompts/list_changed'],
  resources: ['notifications/resources/list_changed'],
  resourceTemplates: ['notifications/resources/list_changed'],
} as const;
