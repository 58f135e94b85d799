import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpServer } from '../http/server.ts';
import type { SettingsChange } from '../kernel/ports/reload.ts';
import { systemClock } from '../lib/clock.ts';
import { TokenEstimator } from '../providers/tokens/token-estimator.ts';
import { createGatewayServer } from '../server/gateway-server.ts';
import { Listener } from '../server/listener.ts';
import { type Log, lostLinesGauge } from '../telemetry/log.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { fixedSettingFaults } from './fixed-settings.ts';
import type { Gateway } from './gateway.ts';
import { type Generation, startGeneration } from './generation.ts';
import type { GatewayExtras, GenerationGround } from './generation-options.ts';
import { limits } from './limits.ts';
import { createLocalModels, modelGauges } from './local-models.ts';
import type { PublicAddress } from './parts/identity.ts';
import { storesPart } from './parts/stores.ts';
import { ProcessRegistry } from './process-registry.ts';
import { RootSecrets } from './secrets.ts';
import { type Settings, SettingsError } from './settings.ts';
import { type StartedParts, startParts } from './started-parts.ts';
import { version } from './version.ts';

/** A gateway that serves: what outlives its settings, and a generation for each set of them that has open calls. */
export class RunningGateway implements Gateway {
  readonly url: string;
  readonly #ground: GenerationGround;
  readonly #extras: GatewayExtras;
  readonly #parts: StartedParts;
  readonly #server: HttpServer;
  readonly #listener: Listener;
  readonly #state: OpenGateway['state'];
  /** Those before the current one that have open calls, the oldest first. */
  readonly #former = new Set<Generation>();
  #current: Generation;

  static start(settings: Settings, log: Log, extras: GatewayExtras): Promise<RunningGateway> {
    return startParts(log, async (parts) => {
      const state: OpenGateway['state'] = { now: 'serving' };
      const ground = await openGround(parts, settings, log, extras, state);
      const opened: { gateway?: RunningGateway; generation?: Generation | undefined } = {};
      const generation = await startGeneration({ ...extras, ...ground, settings });
      opened.generation = generation;
      parts.add({ close: async () => opened.generation?.parts.close() });
      const server = createGatewayServer(settings.httpImplementation, generation.handlers);
      const listener = await Listener.open(server, settings, () => opened.gateway?.closeWebSockets());
      ground.metrics.addView(generation.metricsView);
      ground.processRegistry.use(settings.configurationVersion);
      ground.address.url = settings.baseUrl ?? listener.url;
      await generation.recordSettings(extras.settingsChange);
      opened.gateway = new RunningGateway({ ground, extras, parts, server, listener, state, generation });
      // The gateway closes it, and nothing may keep it longer than its calls.
      opened.generation = undefined;
      return opened.gateway;
    });
  }

  private constructor(open: OpenGateway) {
    this.#ground = open.ground;
    this.#extras = open.extras;
    this.#parts = open.parts;
    this.#server = open.server;
    this.#listener = open.listener;
    this.#state = open.state;
    this.#current = open.generation;
    this.url = open.listener.url;
  }

  get pipeline(): string {
    return this.#current.pipeline;
  }

  get readyProviders(): readonly string[] {
    return this.#current.readyProviders;
  }

  get hasDashboard(): boolean {
    return this.#current.hasDashboard;
  }

  get unknownVariables(): readonly string[] {
    return this.#current.unknownVariables;
  }

  metrics(): string {
    return this.#ground.metrics.render();
  }

  diagnose: Gateway['diagnose'] = (options) => this.#current.diagnose(options);

  closeWebSockets(): void {
    for (const { webSockets } of this.#generations()) webSockets.leave();
  }

  async reload(settings: Settings, change?: SettingsChange): Promise<void> {
    const faults = fixedSettingFaults(this.#current.settings, settings, 'settings');
    if (faults.length > 0) throw new SettingsError(faults);
    const next = await startGeneration({ ...this.#extras, ...this.#ground, settings });
    if (this.#state.now !== 'serving') {
      await next.parts.close();
      throw new Error('the gateway is stopping');
    }
    const former = this.#current;
    this.#current = next;
    this.#server.use(next.handlers);
    this.#ground.metrics.addView(next.metricsView);
    this.#ground.processRegistry.use(settings.configurationVersion);
    this.#ground.address.url = settings.baseUrl ?? this.url;
    await next.recordSettings(change);
    this.#former.add(former);
    void this.#retire(former);
  }

  stopAccepting(): void {
    this.#listener.stopAccepting();
  }

  handOver(graceMs: number): Promise<void> {
    return this.#listener.handOver(graceMs);
  }

  announceShutdown(): void {
    if (this.#state.now === 'serving') this.#state.now = 'leaving';
    this.#listener.disableKeepAlive();
  }

  async drain(graceMs: number): Promise<void> {
    this.#state.now = 'draining';
    this.#listener.disableKeepAlive();
    const calls = this.#openCalls();
    this.#ground.log.info({ calls, graceMs }, `no new calls: ${calls} under way are completed`);
    const untilMs = performance.now() + graceMs;
    await Promise.all(this.#generations().map(({ parts }) => parts.drain(untilMs)));
  }

  async close(graceMs = this.#current.settings.drainMs): Promise<void> {
    this.#state.now = 'draining';
    await this.#listener.close(graceMs, () => {
      const calls = this.#openCalls();
      if (calls > 0)
        this.#ground.log.warn({ calls }, `${calls} calls were cut off at the end of the grace period`);
      for (const generation of this.#generations()) generation.abortAll();
    });
    for (const { parts } of this.#generations()) await parts.close();
    await this.#parts.close();
  }

  #generations(): readonly Generation[] {
    return [...this.#former, this.#current];
  }

  #openCalls(): number {
    return this.#generations().reduce((sum, generation) => sum + generation.openCalls(), 0);
  }

  /** Closes a former generation when nothing uses it any more. */
  async #retire(generation: Generation): Promise<void> {
    const [oldest] = this.#former;
    if (this.#former.size > limits.formerGenerationsMax) oldest?.webSockets.leave();
    let leaveAtMs = Number.POSITIVE_INFINITY;
    while (generation.openRequests() > 0 && this.#state.now !== 'draining') {
      await sleep(limits.formerGenerationMs, undefined, { ref: false });
      const isCrowded = this.#former.size > limits.formerGenerationsMax;
      if (!isCrowded || generation !== this.#former.values().next().value) continue;
      leaveAtMs = Math.min(leaveAtMs, performance.now() + generation.settings.drainMs);
      if (performance.now() >= leaveAtMs) generation.abortAll();
    }
    // The gateway closes it with everything else.
    if (this.#state.now === 'draining') return;
    await generation.parts.drain(performance.now() + generation.settings.drainMs);
    await generation.parts.close();
    this.#ground.metrics.removeView(generation.metricsView);
    this.#former.delete(generation);
  }
}

interface OpenGateway {
  readonly ground: GenerationGround;
  readonly extras: GatewayExtras;
  readonly parts: StartedParts;
  readonly server: HttpServer;
  readonly listener: Listener;
  readonly state: { now: 'serving' | 'leaving' | 'draining' };
  readonly generation: Generation;
}

/** What outlives a change of the settings: stores, counts, caches, models, the tokenizer's thread and metrics. */
async function openGround(
  parts: StartedParts,
  settings: Settings,
  log: Log,
  { sharedResources, sqliteThreads, tokenEstimator: given }: GatewayExtras,
  state: OpenGateway['state'],
): Promise<GenerationGround> {
  // Creates the data folder and the secret first.
  new RootSecrets(settings);
  const metrics = new Metrics(settings.metricTags);
  const address: PublicAddress = { url: settings.baseUrl ?? '' };
  metrics.addGauges([lostLinesGauge(log)]);
  const stores = parts.add(await storesPart({ settings, log, sharedResources, metrics, sqliteThreads }));
  const processRegistry = new ProcessRegistry({
    processes: stores.database.processes,
    clock: stores.clock,
    version,
    revision: settings.revision,
  });
  processRegistry.start();
  parts.add({ close: () => processRegistry.close() });
  const own = sharedResources === undefined ? createLocalModels(log) : undefined;
  if (own !== undefined) metrics.addGauges(modelGauges(own));
  const models = sharedResources?.models ?? own ?? createLocalModels(log);
  parts.add({ close: () => models.close() });
  const tokenEstimator = given ?? new TokenEstimator();
  if (given === undefined) parts.add({ close: () => tokenEstimator.close() });
  return {
    log,
    metrics,
    stores,
    models,
    tokenEstimator,
    processRegistry,
    address,
    startedAtMs: sharedResources?.startedAtMs ?? systemClock.now(),
    isShuttingDown: () => state.now !== 'serving',
    isDraining: () => state.now === 'draining',
  };
}
