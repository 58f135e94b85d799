import { inspect } from 'node:util';
import { Sealer } from '../accounts/sealer.ts';
import type { ModuleSavings } from '../billing/module-tally.ts';
import { Reservations } from '../billing/reservations.ts';
import { SpendingLimiter } from '../billing/spending-limiter.ts';
import { Archives } from '../calls/archive/archives.ts';
import { BackgroundTasks } from '../calls/background-tasks.ts';
import { CallSettlement } from '../calls/call-settlement.ts';
import { CandidateFinder } from '../calls/candidates/candidates.ts';
import { DecisionLogs } from '../calls/decision-logs.ts';
import { HealthMonitor } from '../calls/health/health-monitor.ts';
import { createKitFactory } from '../calls/kit.ts';
import { meterAttempts } from '../calls/metered-attempt.ts';
import { RequestKeys } from '../calls/request-keys.ts';
import { StepAsides } from '../calls/step-asides.ts';
import { Egress } from '../egress/egress.ts';
import { limits as embeddingsLimits } from '../embeddings/limits.ts';
import { noEmbeddings } from '../embeddings/no-embeddings.ts';
import { noTextModels } from '../embeddings/no-text-models.ts';
import { IndexedVectorStore } from '../embeddings/vectors/indexed-vector-store.ts';
import { createSlabs } from '../embeddings/vectors/slabs.ts';
import { limits as gatewayLimits } from '../gateway/limits.ts';
import type { Attempt } from '../kernel/attempt.ts';
import { ClientPresence } from '../kernel/client-presence.ts';
import { ClientRequest } from '../kernel/client-request.ts';
import type { ConfigurationSet } from '../kernel/configuration.ts';
import { PrefixGuard } from '../kernel/conversation/prefix-guard.ts';
import { Exchange } from '../kernel/exchange.ts';
import { LazyJsonObject } from '../kernel/json/lazy-json-object.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import type { Handler, Module, ModuleFactory, ModuleHost } from '../kernel/module.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import type { Budgets } from '../kernel/ports/budget.ts';
import type { Embeddings } from '../kernel/ports/embeddings.ts';
import type { EgressFetch } from '../kernel/ports/fetch.ts';
import { type McpToolsFinder, noMcpTools } from '../kernel/ports/mcp.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { ModuleDay } from '../kernel/ports/records.ts';
import type { TextModels } from '../kernel/ports/text-models.ts';
import type { Provider } from '../kernel/provider.ts';
import { Reply, replyOwnership } from '../kernel/reply/reply.ts';
import { createRequestIds } from '../kernel/request-ids.ts';
import type { Tags } from '../kernel/tags.ts';
import { type Step, Trace } from '../kernel/trace.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { HeaderList } from '../lib/headers.ts';
import type { JsonObject } from '../lib/json.ts';
import { Secret } from '../lib/secret.ts';
import { abilitiesOf, abilitySourceOf } from '../providers/catalog/abilities/index.ts';
import { freeSheet } from '../providers/catalog/price-sheet.ts';
import { demo } from '../providers/demo/demo.ts';
import { MemoryBudgets } from '../storage/memory/memory-budgets.ts';
import { MemoryCacheBackend } from '../storage/memory/memory-cache-backend.ts';
import { MemoryCounters } from '../storage/memory/memory-counters.ts';
import { MemoryHealthBoard } from '../storage/memory/memory-health-board.ts';
import { MemoryRateLimiter } from '../storage/memory/memory-rate-limiter.ts';
import { anthropicMessages, wireByName } from '../wire/index.ts';
import { GlobalFetchGuard } from './global-fetch-guard.ts';
import { createModuleTables, type ModuleTables } from './module-tables.ts';
import { testPrices } from './test-prices.ts';

/** The result of one call through a module. */
export interface ModuleRun {
  /** The client's answer; undefined if the call was rejected. */
  readonly answer: Answer | undefined;
  readonly error: unknown;
  /** The requests that reached the provider. */
  readonly sent: readonly ChatRequest[];
  /** The module's step in the trace. */
  readonly step: Step | undefined;
  /** The steps of all modules, in the order of the pipeline. */
  readonly steps: readonly Step[];
  /** The response headers that modules set. */
  readonly moduleHeaders: HeaderList;
  /** All attempts, with their cost. */
  readonly attempts: readonly Attempt[];
}

export interface RunOptions {
  /** The module's options in the form of a pipeline list: `ttl=1h&max_bytes=10`. */
  readonly options?: string;
  /** The content of a configuration of the module. */
  readonly configuration?: JsonObject;
  /** The definitions of the module by name, such as rules. */
  readonly definitions?: Readonly<Record<string, JsonObject>>;
  /** A whole pipeline list, for several modules. */
  readonly pipeline?: string;
  readonly account?: string;
  readonly credential?: string;
  /** The id of the account's API key. */
  readonly key?: string;
  readonly headers?: readonly string[];
  readonly tags?: Tags;
  /** The client's wire format; `anthropic-messages` by default. */
  readonly wire?: string;
  readonly provider?: Provider;
  /** Replaces the provider, which is the demo model by default. */
  readonly upstream?: Handler;
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal;
}

/** The environment of all calls to a module. */
export interface ModuleTestEnvironment {
  readonly clock?: Clock;
  /** By default everything is free. */
  readonly prices?: Prices;
  /** In memory by default. */
  readonly budgets?: Budgets;
  /** By default, texts get no vectors. */
  readonly embeddings?: Embeddings;
  /** By default, texts aren't read. */
  readonly textModels?: TextModels;
  /** By default, there are no MCP servers. */
  readonly mcp?: McpToolsFinder;
  /** In memory by default. */
  readonly tables?: ModuleTables;
  /** The module's variables `WEIR_<NAME>_…`, by the rest of their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Answers the module's requests with `kit.fetch` and `host.fetch`; by default they are sent, to any address. */
  readonly fetch?: EgressFetch;
  /** Receives the savings and trials that modules report. */
  onModuleWork?(work: ModuleSavings): void;
  /** What modules saved so far, for the option `auto`. */
  readonly moduleDays?: readonly ModuleDay[];
  /** Further modules for `pipeline`. */
  readonly otherModules?: readonly Module[];
}

/** Tests need no reservations that survive a restart. */
const noReservations = { reserve: async () => undefined, reserved: async () => [] };

/**
 * Returns a function that calls a module as the gateway does: in a pipeline, with the gateway's kit and with stores in memory,
 * which keep their content from call to call. A call rejects if the module has used the global `fetch`.
 */
export function runModule(
  made: Module | ModuleFactory,
  defaults: RunOptions = {},
  moduleTestEnvironment: ModuleTestEnvironment = {},
) {
  const { clock = systemClock, prices = testPrices(freeSheet), settings = {} } = moduleTestEnvironment;
  const { budgets = new MemoryBudgets(clock), embeddings = noEmbeddings('off') } = moduleTestEnvironment;
  const { textModels = noTextModels('off') } = moduleTestEnvironment;
  const { onModuleWork, moduleDays = [] } = moduleTestEnvironment;
  const { mcp = { toolsFor: () => noMcpTools } } = moduleTestEnvironment;
  const { tables = createModuleTables(clock) } = moduleTestEnvironment;
  const { stores } = tables;
  const sealer = new Sealer([Buffer.alloc(32, 'test')]);
  const fetch = moduleTestEnvironment.fetch ?? openTestFetch();
  const guard = new GlobalFetchGuard();
  const reservations = new Reservations({ usageStore: noReservations, clock });
  const spendingLimiter = new SpendingLimiter({
    budgets,
    clock,
    reservations,
    days: async () => [],
    tags: async () => [],
    budgetHours: async () => [],
  });
  const faults: unknown[] = [];
  const backgroundTasks = new BackgroundTasks({ onFault: (_, fault) => void faults.push(fault) });
  const cacheBackend = new MemoryCacheBackend(clock);
  const vectors = new IndexedVectorStore({
    table: tables.vectors,
    clock,
    perScope: 100_000,
    slabs: () => createSlabs(embeddingsLimits.vectorBytesMax),
  });
  const host: ModuleHost = {
    clock,
    log: { info() {}, error() {} },
    settings: () => settings,
    every() {},
    fetch,
    store: (scope) => stores.store(module.name, scope),
    vectors: (scope) => vectors.vectors(module.name, scope),
    hasCall: async () => false,
  };
  const module: Module = typeof made === 'function' ? guard.watch(() => made(host)) : made;
  const target = (model: string) => ({ provider: defaults.provider ?? demo, model });
  const health = new HealthMonitor({
    nameKey: Buffer.alloc(32, 'test'),
    processId: 'test',
    clock,
    rateLimiter: new MemoryRateLimiter(clock),
    board: new MemoryHealthBoard(clock),
  });
  const kits = createKitFactory({
    embeddings,
    textModels,
    vectors,
    archives: new Archives({ stores, clock, bytesMax: 64 * 1024 * 1024 }),
    cacheBackend,
    counters: new MemoryCounters(clock),
    stores,
    decisionLogs: new DecisionLogs({ stores: tables.modules, clock, sealing: sealer }),
    clock,
    catalog: prices,
    requestKeys: new RequestKeys(Buffer.from('test')),
    mcp,
    backgroundTasks,
    runModel: {
      wire: anthropicMessages,
      newId: createRequestIds(),
      runModuleCall: (exchange, aside) => aside(exchange),
    },
    usage: { recordModule: (work) => onModuleWork?.(work) },
    stepAsides: new StepAsides({ stores: tables.modules, clock, days: async () => moduleDays }),
    budget: (budgetHolder, call, ofCall) => spendingLimiter.budgetFor(budgetHolder, call, ofCall),
    wireByName,
    fetchFor: () => fetch,
    target,
    candidates: new CandidateFinder({
      prices,
      health,
      clock,
      target,
      placesOf: (one) => [one],
      abilitiesOf: (one) => abilitiesOf(one),
      abilitySourceOf,
      countInput: async (request, all) =>
        all.map(() => Math.ceil(JSON.stringify(request.messages).length / 4)),
    }),
  });
  const settlement = new CallSettlement({
    error: (facts, message) => process.emitWarning(message, { detail: inspect(facts) }),
  });
  const all = [module, ...(moduleTestEnvironment.otherModules ?? [])];
  const prefixGuard = new PrefixGuard({ cacheBackend, prices, clock });
  const pipelines = new Pipelines(new Map(all.map((one) => [one.name, one])), kits, prefixGuard);

  return async (request: ChatRequest, over: RunOptions = {}): Promise<ModuleRun> => {
    const run = { ...defaults, ...over };
    const sent: ChatRequest[] = [];
    const trace = new Trace(performance.now());
    const exchange = createExchange(request, run, trace);
    const recordingUpstream: Handler = async (passed) => {
      sent.push(passed.request);
      const { upstream } = run;
      return upstream === undefined ? answerWithDemo(passed) : guard.exempt(() => upstream(passed));
    };
    const upstream = meterAttempts({
      upstream: recordingUpstream,
      prices,
      onAttemptEnd: () => undefined,
      settlement,
      health,
    });
    const named = run.configuration === undefined ? module.name : `${module.name}:test`;
    const alone = run.options === undefined ? named : `${named}?${run.options}`;
    const configurations: ConfigurationSet = {
      find: (kind, name) => (kind.includes('.') ? run.definitions?.[name] : run.configuration),
    };
    const list = { text: run.pipeline ?? alone, configurations };
    const { moduleHeaders, attempts, steps } = trace;
    const observed = () => ({
      sent,
      steps,
      step: steps.find((one) => one.module === module.name),
      moduleHeaders,
      attempts,
    });
    try {
      const answer = await guard.watch(async () => {
        const pipeline = pipelines.compile(list);
        return replyOwnership.clearHolder(await pipeline.run(exchange, upstream)).answer();
      });
      return { answer, error: undefined, ...observed() };
    } catch (error) {
      return { answer: undefined, error, ...observed() };
    } finally {
      await guard.watch(() => {
        trace.end();
        return backgroundTasks.flush(gatewayLimits.lastFlushMs);
      });
      const [fault] = faults.splice(0);
      if (fault !== undefined) process.emitWarning(`a background task failed: ${String(fault)}`);
      guard.check();
    }
  };
}

/** A `fetch` to any address. */
function openTestFetch(): EgressFetch {
  const egress = new Egress({ isPublicOnly: false });
  return egress.openFetch({ purpose: 'module:test', reachOf: () => 'any' });
}

function answerWithDemo({ request, signal }: Exchange): Reply {
  if (demo.answerLocally === undefined) throw new Error('the demo model has no answerLocally');
  return Reply.stream(demo.answerLocally(request, signal));
}

function createExchange(request: ChatRequest, run: RunOptions, trace: Trace): Exchange {
  const wire = run.wire === undefined ? anthropicMessages : wireByName(run.wire);
  if (wire === undefined) throw new Error(`there is no format "${run.wire}"`);
  const written = run.wire === undefined ? JSON.stringify(request) : wire.encodeRequest(request).body;
  // Some formats have the model and the operation in the path.
  const [path = '', query] = wire.requestPath(request.model, request.stream === true, '').split('?');
  const clientRequest = new ClientRequest({
    wire,
    fields: LazyJsonObject.of(Buffer.from(written)),
    headers: run.headers ?? [],
    path,
    query: query === undefined ? '' : `?${query}`,
  });
  const credential = run.credential === undefined ? undefined : new Secret(run.credential);
  return new Exchange({
    id: 'req_test',
    clientRequest,
    caller:
      run.account === undefined
        ? { kind: 'local' }
        : { kind: 'account', accountId: run.account, keyId: run.key ?? 'key' },
    target: { provider: run.provider ?? demo, model: request.model },
    presence: presenceOf(run.signal),
    trace,
    ...(run.tags !== undefined && { tags: run.tags }),
    credentials: { find: async () => credential },
  });
}

function presenceOf(signal: AbortSignal | undefined): ClientPresence {
  const clientPresence = new ClientPresence();
  if (signal?.aborted === true) clientPresence.leave();
  signal?.addEventListener('abort', () => clientPresence.leave());
  return clientPresence;
}
