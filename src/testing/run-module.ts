import { inspect } from 'node:util';
import { Sealing } from '../accounts/sealing.ts';
import type { ModuleWork } from '../billing/module-tally.ts';
import { Reservations } from '../billing/reservations.ts';
import { Spending } from '../billing/spending.ts';
import { Afterwork } from '../calls/afterwork.ts';
import { SealedArchives } from '../calls/archives.ts';
import { metered } from '../calls/attempt.ts';
import { kitMaker } from '../calls/kit.ts';
import { Ledgers } from '../calls/ledgers.ts';
import { Meanings } from '../calls/meaning.ts';
import { Settling } from '../calls/settling.ts';
import { noEmbeddings } from '../embeddings/no-embeddings.ts';
import { KeptVectors } from '../embeddings/vectors/kept-vectors.ts';
import { plainSlabs } from '../embeddings/vectors/plain-slabs.ts';
import type { Attempt } from '../kernel/attempt.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { PrefixGuard } from '../kernel/conversation/prefix-guard.ts';
import { Exchange } from '../kernel/exchange.ts';
import type { HeaderList } from '../kernel/headers.ts';
import { limits } from '../kernel/limits.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import type { Handler, Module, ModuleMaker } from '../kernel/module.ts';
import { Outline } from '../kernel/outline.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import type { ArchiveTable } from '../kernel/ports/archive.ts';
import type { Embeddings } from '../kernel/ports/embeddings.ts';
import type { PatternTable } from '../kernel/ports/patterns.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import type { Purses } from '../kernel/ports/purse.ts';
import { Presence } from '../kernel/presence.ts';
import type { Provider } from '../kernel/provider.ts';
import { Received } from '../kernel/received.ts';
import { custody, Reply } from '../kernel/reply/reply.ts';
import { createRequestIds } from '../kernel/request-ids.ts';
import { Secret } from '../kernel/secret.ts';
import { type Step, Trace } from '../kernel/trace.ts';
import { PatternBook } from '../patterns/pattern-book.ts';
import { freeSheet } from '../providers/catalog/price-sheet.ts';
import { demo } from '../providers/demo/demo.ts';
import { MemoryArchiveTable } from '../storage/memory/memory-archive-table.ts';
import { MemoryModuleStores } from '../storage/memory/memory-module-stores.ts';
import { MemoryPatternTable } from '../storage/memory/memory-pattern-table.ts';
import { MemoryPurses } from '../storage/memory/memory-purses.ts';
import { MemoryShelves } from '../storage/memory/memory-shelves.ts';
import { MemoryVectorTable } from '../storage/memory/memory-vector-table.ts';
import { anthropicMessages, wireByName } from '../wire/index.ts';
import { testPrices } from './test-prices.ts';

/** Calls a module as the gateway would; call it again to see what it remembered. */
export interface ModuleRun {
  /** What the client would get; `undefined` when the call was refused. */
  readonly answer: Answer | undefined;
  readonly error: unknown;
  /** What reached the provider, one a call. */
  readonly sent: readonly ChatRequest[];
  /** What the module was seen to do. */
  readonly step: Step | undefined;
  /** What all modules were seen to do, in the order of their being called. */
  readonly steps: readonly Step[];
  /** What the client was told in headers. */
  readonly told: HeaderList;
  /** What providers were asked for, with what each cost. */
  readonly attempts: readonly Attempt[];
}

export interface RunOptions {
  /** As they stand in a pipeline list: `ttl=1h&max_bytes=10`. */
  readonly options?: string;
  /** A whole list, where the module isn't alone. */
  readonly pipeline?: string;
  readonly account?: string;
  readonly credential?: string;
  /** That of the account which is used. */
  readonly key?: string;
  readonly headers?: readonly string[];
  /** The name of the format that the client speaks: `anthropic-messages` unless another is said. */
  readonly wire?: string;
  readonly provider?: Provider;
  /** Stands in for the provider; the demonstration model does without. */
  readonly upstream?: Handler;
  /** Stands in for the client: aborted when it leaves. */
  readonly signal?: AbortSignal;
}

/** What all calls to a module have in common. */
export interface Surroundings {
  readonly clock?: Clock;
  /** Without them everything is free. */
  readonly prices?: Prices;
  /** In memory unless others are given. */
  readonly purses?: Purses;
  /** Without them there are no vectors of texts. */
  readonly embeddings?: Embeddings;
  /** In memory unless others are given. */
  readonly patterns?: PatternTable;
  /** In memory unless others are given. */
  readonly archive?: ArchiveTable;
  /** Variables `WEIR_<NAME>_…` of the module, by what follows in their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told what usage is told of modules: what they saved, and how trials went. */
  worked?(work: ModuleWork): void;
  /** Modules that may stand beside it in a list. */
  readonly beside?: readonly Module[];
}

/** Nothing outlives a test. */
const unreserved = { reserve: async () => undefined, reserved: async () => [] };

/** Prepares a module for tests: a real pipeline, the kit of the gateway with real stores in memory, a provider of your choice. */
export function runModule(
  made: Module | ModuleMaker,
  defaults: RunOptions = {},
  surroundings: Surroundings = {},
) {
  const { clock = systemClock, prices = testPrices(freeSheet), settings = {} } = surroundings;
  const { purses = new MemoryPurses(clock), embeddings = noEmbeddings('off') } = surroundings;
  const { worked } = surroundings;
  const { patterns = new MemoryPatternTable(), archive = new MemoryArchiveTable() } = surroundings;
  const sealing = new Sealing([Buffer.alloc(32, 'test')]);
  const archives = new SealedArchives({ table: archive, clock, sealing, bytesMax: 64 * 1024 * 1024 });
  const module = typeof made === 'function' ? made(hostFor(clock, settings)) : made;
  const reservations = new Reservations({ book: unreserved, clock });
  const spending = new Spending({ purses, clock, reservations, days: async () => [] });
  const faults: unknown[] = [];
  const afterwork = new Afterwork({ onFault: (_, fault) => void faults.push(fault) });
  const stores = new MemoryModuleStores(clock);
  const shelves = new MemoryShelves(clock);
  const kits = kitMaker({
    embeddings,
    vectors: new KeptVectors({
      table: new MemoryVectorTable(),
      clock,
      perScope: 100_000,
      slabs: () => plainSlabs(limits.vectorBytesMax),
    }),
    patterns: new PatternBook({ table: patterns, clock }),
    archives,
    shelves,
    stores,
    ledgers: new Ledgers({ stores, clock, sealing }),
    clock,
    catalog: prices,
    meanings: new Meanings(Buffer.from('test')),
    afterwork,
    asking: {
      wire: anthropicMessages,
      newId: createRequestIds(),
      alone: async (exchange, aside) => (await aside(exchange)).answer(),
    },
    usage: { work: (work) => worked?.(work) },
    purse: (holder, call) => spending.purse(holder, call),
    wireByName,
    target: (model) => ({ provider: defaults.provider ?? demo, model }),
  });
  const settling = new Settling({
    error: (facts, message) => process.emitWarning(message, { detail: inspect(facts) }),
  });
  const all = [module, ...(surroundings.beside ?? [])];
  const guard = new PrefixGuard({ shelves, prices, clock });
  const pipelines = new Pipelines(new Map(all.map((one) => [one.name, one])), kits, guard);

  return async (request: ChatRequest, over: RunOptions = {}): Promise<ModuleRun> => {
    const run = { ...defaults, ...over };
    const sent: ChatRequest[] = [];
    const trace = new Trace(performance.now());
    const exchange = exchangeFor(request, run, trace);
    const answering: Handler = async (passed) => {
      sent.push(passed.request);
      return run.upstream === undefined ? demonstration(passed) : run.upstream(passed);
    };
    const upstream = metered({ upstream: answering, prices, spent: () => undefined, settling });
    const alone = run.options === undefined ? module.name : `${module.name}?${run.options}`;
    const { told, attempts, steps } = trace;
    const seen = () => ({
      sent,
      steps,
      step: steps.find((one) => one.module === module.name),
      told,
      attempts,
    });
    try {
      const reply = custody.release(await pipelines.compile(run.pipeline ?? alone).run(exchange, upstream));
      return { answer: await reply.answer(), error: undefined, ...seen() };
    } catch (error) {
      return { answer: undefined, error, ...seen() };
    } finally {
      trace.over();
      await afterwork.flush(limits.lastFlushMs);
      const [fault] = faults.splice(0);
      if (fault !== undefined) process.emitWarning(`work after the call failed: ${String(fault)}`);
    }
  };
}

function hostFor(clock: Clock, settings: Readonly<Record<string, string>>) {
  return {
    clock,
    log: { info() {}, error() {} },
    settings: () => settings,
    every() {},
  };
}

function demonstration({ request, signal }: Exchange): Reply {
  if (demo.local === undefined) throw new Error('the demonstration model answers by itself');
  return Reply.stream(demo.local(request, signal));
}

function exchangeFor(request: ChatRequest, run: RunOptions, trace: Trace): Exchange {
  const wire = run.wire === undefined ? anthropicMessages : wireByName(run.wire);
  if (wire === undefined) throw new Error(`there is no format "${run.wire}"`);
  const written = run.wire === undefined ? JSON.stringify(request) : wire.encodeRequest(request).body;
  // Some formats say there which model is asked for, and for what.
  const [path = '', query] = wire.address(request.model, request.stream === true, '').split('?');
  const received = new Received({
    wire,
    fields: Outline.of(Buffer.from(written)),
    headers: run.headers ?? [],
    path,
    query: query === undefined ? '' : `?${query}`,
  });
  const credential = run.credential === undefined ? undefined : new Secret(run.credential);
  return new Exchange({
    id: 'req_test',
    received,
    caller:
      run.account === undefined
        ? { kind: 'local' }
        : { kind: 'account', accountId: run.account, keyId: run.key ?? 'key' },
    target: { provider: run.provider ?? demo, model: request.model },
    presence: presenceOf(run.signal),
    trace,
    credentials: { find: async () => credential },
  });
}

function presenceOf(signal: AbortSignal | undefined): Presence {
  const presence = new Presence();
  if (signal?.aborted === true) presence.leave();
  signal?.addEventListener('abort', () => presence.leave());
  return presence;
}
