import { inMemoryDataDir } from '../storage/settings.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { ModuleInput } from './module-packages.ts';
import { type Environment, readSettings, type Settings, SettingsError } from './settings.ts';

/** Options of an embedded gateway. It ignores the environment and .env, and writes no files unless configured to. */
export interface GatewayOptions {
  /** `local` has one user and no accounts, `cloud` has accounts, API keys and quota; default `local`. */
  readonly mode?: 'local' | 'cloud';
  /** By default a free port. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** The folder for persistent data. Without it all data is in memory and lost when the gateway stops. */
  readonly dataDir?: string;
  /** The modules that every call runs through, such as `exact-cache?ttl=10m,cost-guard?day=5`. */
  readonly pipeline?: string;
  /** Your own modules, in addition to the built-in ones. */
  readonly modules?: readonly ModuleInput[];
  /** Providers by name: built-in ones, or any that support Chat Completions. */
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
  /** Whether to serve the dashboard and the documentation; default false. */
  readonly dashboard?: boolean;
  /** Receives the log lines, each with its line break. Without it nothing is logged. */
  readonly log?: (line: string) => void;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Any other setting by its variable name, such as `{ WEIR_DRAIN: '5s' }`. */
  readonly variables?: Environment;
}

export interface ProviderOptions {
  /** Overrides the provider's base URL; the same form as in its SDK. */
  readonly baseUrl?: string;
  /** The key for calls without their own provider key. */
  readonly apiKey?: string;
}

/** A gateway embedded in another program. */
export interface EmbeddedGateway extends AsyncDisposable {
  /** Resolves to the URL once the gateway serves calls; does nothing if it is running. */
  start(): Promise<string>;
  /** The URL, such as `http://127.0.0.1:41217`; throws if the gateway is not running. */
  readonly address: string;
  /** Resolves when everything is closed. Open calls get `graceMs` to finish, default 0. */
  stop(graceMs?: number): Promise<void>;
}

/** Throws a `SettingsError` that lists every invalid option. */
export function createGateway(options: GatewayOptions = {}): EmbeddedGateway {
  const settings = readSettings(toVariables(options));
  if (settings.workers > 1)
    throw new SettingsError(['WEIR_WORKERS: an embedded gateway runs in one process only']);
  const write = options.log ?? (() => undefined);
  return new RestartableGateway(settings, createLog(settings.logLevel, { write }), options.modules ?? []);
}

class RestartableGateway implements EmbeddedGateway {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #modules: readonly ModuleInput[];
  #starting: Promise<Gateway> | undefined;
  #running: Gateway | undefined;
  #stopped: Promise<void> = Promise.resolve();

  constructor(settings: Settings, log: Log, modules: readonly ModuleInput[]) {
    this.#settings = settings;
    this.#log = log;
    this.#modules = modules;
  }

  get address(): string {
    if (this.#running === undefined) throw new Error('the gateway is not running: await start() first');
    return this.#running.url;
  }

  async start(): Promise<string> {
    const starting = this.#starting ?? this.#stopped.then(() => this.#start());
    this.#starting = starting;
    try {
      const gateway = await starting;
      if (this.#starting === starting) this.#running = gateway;
      return gateway.url;
    } catch (failure) {
      if (this.#starting === starting) this.#starting = undefined;
      throw failure;
    }
  }

  stop(graceMs = 0): Promise<void> {
    const started = this.#starting;
    this.#starting = undefined;
    this.#running = undefined;
    if (started !== undefined) this.#stopped = closeStarted(started, graceMs);
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #start(): Promise<Gateway> {
    const gateway = await startGateway(this.#settings, this.#log, { modules: this.#modules });
    if (gateway.unknownVariables.length === 0) return gateway;
    await gateway.close(0);
    throw new SettingsError(
      gateway.unknownVariables.map((name) => `${name}: is not a setting of this version`),
    );
  }
}

/** A failed start has already closed its resources. */
async function closeStarted(starting: Promise<Gateway>, graceMs: number): Promise<void> {
  const gateway = await starting.catch(() => undefined);
  await gateway?.close(graceMs);
}

function toVariables(options: GatewayOptions): Environment {
  const { mode, port, host, dataDir, pipeline, dashboard, log, logLevel } = options;
  const set: Environment = {
    PORT: port?.toString(),
    HOST: host,
    WEIR_MODE: mode,
    WEIR_DATA_DIR: dataDir,
    WEIR_PIPELINE: pipeline,
    WEIR_DASHBOARD: dashboard === undefined ? undefined : dashboard ? 'on' : 'off',
    WEIR_LOG_LEVEL: logLevel,
    ...providerVariables(options.providers ?? {}),
  };
  return {
    PORT: '0',
    WEIR_DATA_DIR: inMemoryDataDir,
    WEIR_DASHBOARD: 'off',
    WEIR_LOG_LEVEL: log === undefined ? 'silent' : 'info',
    ...options.variables,
    ...Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)),
  };
}

function providerVariables(providers: Readonly<Record<string, ProviderOptions>>): Environment {
  const wrong = Object.keys(providers).filter((name) => !/^[a-z][a-z0-9]*$/.test(name));
  if (wrong.length > 0)
    throw new SettingsError(
      wrong.map(
        (name) =>
          `providers: "${name}" must consist of lower-case letters and digits and begin with a letter`,
      ),
    );
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, { baseUrl, apiKey }]) => [
      [`WEIR_${name.toUpperCase()}_BASE_URL`, baseUrl],
      [`${name.toUpperCase()}_API_KEY`, apiKey],
    ]),
  );
}
