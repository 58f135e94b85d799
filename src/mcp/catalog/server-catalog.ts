import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import type {
  ListName,
  RequestOptions,
  ServerConnection,
  ServerDescription,
  Subscription,
} from '../upstream/server-connection.ts';
import { CachedList, type ListState } from './cached-list.ts';
import { catalogItems } from './catalog-item.ts';
import { limits } from './limits.ts';
import type { Naming } from './names.ts';

export interface ServerCatalogParts {
  readonly server: string;
  readonly naming: Naming;
  readonly clock: Clock;
  connection(): ServerConnection;
}

export const listNames = [
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
] as const satisfies readonly ListName[];

/** The notification with which servers say that a list has changed; that of resources is about templates, too. */
export const changeMethods = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
  resourceTemplates: 'notifications/resources/list_changed',
} as const satisfies Record<ListName, string>;

export type ChangeListener = (list: ListName) => void;

/** What one server offers to one authorization. */
export class ServerCatalog {
  readonly #parts: ServerCatalogParts;
  readonly #lists: Readonly<Record<ListName, CachedList>>;
  readonly #listeners = new Set<ChangeListener>();
  #watch: AbortController | undefined;

  constructor(parts: ServerCatalogParts) {
    const { server, naming, clock } = parts;
    this.#parts = parts;
    const listOf = (list: ListName) =>
      new CachedList({
        clock,
        request: (signal) => parts.connection().list(list, { signal }),
        itemsOf: (definitions) => catalogItems(definitions, { list, server, naming }),
        onChange: () => this.#tell(list),
      });
    this.#lists = {
      tools: listOf('tools'),
      prompts: listOf('prompts'),
      resources: listOf('resources'),
      resourceTemplates: listOf('resourceTemplates'),
    };
  }

  get isWatched(): boolean {
    return this.#watch !== undefined;
  }

  list(list: ListName): ListState | Promise<ListState> {
    return this.#lists[list].read();
  }

  /** The list of the server as it is now, unless it was asked a moment ago. */
  renew(list: ListName): ListState | Promise<ListState> {
    return this.#lists[list].renew();
  }

  describe(options: RequestOptions): Promise<ServerDescription> {
    return this.#connection().describe(options);
  }

  request(method: string, parameters: JsonObject, options: RequestOptions): Promise<JsonObject> {
    return this.#connection().request(method, parameters, options);
  }

  /** Changes of resources, until the signal aborts. */
  listen(resources: readonly string[], signal: AbortSignal, onNotification: (message: JsonObject) => void) {
    return this.#listenAgain({ lists: [], resources }, signal, onNotification);
  }

  /** Calls the listener for each change of a list until the returned function is called. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Follows changes of the lists at the server, for as long as somebody uses them. */
  watch(): void {
    if (this.#watch !== undefined) return;
    const watch = new AbortController();
    this.#watch = watch;
    const idle = setInterval(() => {
      const usedAtMs = Math.max(...listNames.map((list) => this.#lists[list].usedAtMs));
      if (this.#listeners.size === 0 && this.#parts.clock.now() - usedAtMs > limits.watchMs) this.close();
    }, limits.watchRetryMs).unref();
    watch.signal.addEventListener('abort', () => clearInterval(idle));
    void this.#listenAgain({ lists: listNames, resources: [] }, watch.signal, ({ method }) => {
      for (const list of listNames) if (method === changeMethods[list]) this.#lists[list].invalidate();
    });
  }

  close(): void {
    this.#watch?.abort();
    this.#watch = undefined;
  }

  /** Opens a stream of changes again when it ends; servers without such streams are asked again in vain, but rarely. */
  async #listenAgain(
    subscription: Subscription,
    signal: AbortSignal,
    onNotification: (message: JsonObject) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#connection().listen(subscription, { signal, onNotification });
      } catch {
        // The lists say whether the server is away.
      }
      await pause(limits.watchRetryMs, signal);
    }
  }

  #connection(): ServerConnection {
    return this.#parts.connection();
  }

  #tell(list: ListName): void {
    for (const listener of this.#listeners) listener(list);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const onEnd = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onEnd);
      resolve();
    };
    const timer = setTimeout(onEnd, ms).unref();
    signal.addEventListener('abort', onEnd);
  });
}
