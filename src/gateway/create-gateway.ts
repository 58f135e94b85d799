import { inMemoryDataDir } from '../storage/settings.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { type Gateway, startGateway } from './gateway.ts';
import type { ModuleInput } from './module-packages.ts';
import { type Environment, readSettings, type Settings, SettingsError } from './settings.ts';

/** How a gateway in another program is set up. It reads neither the environment nor files, and writes nothing unless asked. */
export interface GatewayOptions {
  /** `local` has one user and no accounts, `cloud` has accounts, API keys and quota; `local` unless said otherwise. */
  readonly mode?: 'local' | 'cloud';
  /** A free one unless said otherwise. */
  readonly port?: number;
  /** `127.0.0.1` unless said otherwise. */
  readonly host?: string;
  /** The folder for what must last. Without one everything is in memory, and gone when the gateway stops. */
  readonly dataDir?: string;
  /** The modules that every call runs through: `exact-cache?ttl=10m,cost-guard?day=5`. */
  readonly pipeline?: string;
  /** Modules of your own, besides those that come with the gateway. */
  readonly modules?: readonly ModuleInput[];
  /** By name, those that Weir knows or others that speak Chat Completions. */
  readonly providers?: Readonly<Record<string, ProviderOptions>>;
  /** Whether browsers find the dashboard and the documentation; they don't unless said otherwise. */
  readonly dashboard?: boolean;
  /** Takes the lines of the log, each with its line break. Without it there is no log. */
  readonly log?: (line: string) => void;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Every other setting, by the name of its variable: `{ WEIR_DRAIN: '5s' }`. */
  readonly variables?: Environment;
}

export interface ProviderOptions {
  /** Another address than the provider's own, written as its SDK writes it. */
  readonly baseUrl?: string;
  /** For calls that bring no key of their own. */
  readonly apiKey?: string;
}

/** A gateway that is part of another program. */
export interface EmbeddedGateway extends AsyncDisposable {
  /** Resolves to the address when calls are answered; while it runs, a further start changes nothing. */
  start(): Promise<string>;
  /** Where it listens, like `http://127.0.0.1:41217`; throws where it doesn't. */
  readonly address: string;
  /** Resolves when nothing of it is left. Calls that are open get `graceMs` to end, 0 unless said otherwise. */
  stop(graceMs?: number): Promise<void>;
}

/** Throws a `SettingsError` with every fault where options are wrong. */
export function createGateway(options: GatewayOptions = {}): EmbeddedGateway {
  const settings = readSettings(toVariables(options));
  if (settings.workers > 1)
    throw new SettingsError(['WEIR_WORKERS: a gateway in another program is part of its process']);
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
    if (this.#running === undefined) throw new Error('the gateway is not running: await its start() first');
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

/** One that could not be started has closed what it had. */
async function closeStarted(starting: Promise<Gateway>, graceMs: number): Promise<void> {
  const gateway = await starting.catch(() => undefined);
  await gateway?.close(graceMs);
}

/** What is set here, as the environment would say it. */
function toVariables(options: GatewayOptions): Environment {
  const { mode, port, host, dataDir, pipeline, dashboard, log, logLevel } = options;
  const said: Environment = {
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
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
  };
}

function providerVariables(providers: Readonly<Record<string, ProviderOptions>>): Environment {
  const wrong = Object.keys(providers).filter((name) => !/^[a-z][a-z0-9]*$/.test(name));
  if (wrong.length > 0)
    throw new SettingsError(
      wrong.map((name) => `providers: "${name}" must be small letters and digits, and begin with a letter`),
    );
  return Object.fromEntries(
    Object.entries(providers).flatMap(([name, { baseUrl, apiKey }]) => [
      [`WEIR_${name.toUpperCase()}_BASE_URL`, baseUrl],
      [`${name.toUpperCase()}_API_KEY`, apiKey],
    ]),
  );
}
