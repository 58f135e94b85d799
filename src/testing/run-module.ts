import { Spending } from '../billing/spending.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { Exchange, Received } from '../kernel/exchange.ts';
import type { HeaderList } from '../kernel/headers.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import type { Handler, Module } from '../kernel/module.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import type { Prices } from '../kernel/ports/prices.ts';
import { holderOf, type Purses } from '../kernel/ports/purse.ts';
import { Presence } from '../kernel/presence.ts';
import type { Provider } from '../kernel/provider.ts';
import { Reply } from '../kernel/reply/reply.ts';
import { Secret } from '../kernel/secret.ts';
import { type Step, Trace } from '../kernel/trace.ts';
import { freeSheet } from '../providers/catalog/price-sheet.ts';
import { demo } from '../providers/demo/demo.ts';
import { MemoryPurses } from '../storage/memory/memory-purses.ts';
import { MemoryShelves } from '../storage/memory/memory-shelves.ts';
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
  /** What the client was told in headers. */
  readonly told: HeaderList;
}

export interface RunOptions {
  /** As they stand in a pipeline list: `ttl=1h&max_bytes=10`. */
  readonly options?: string;
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
}

/** Prepares a module for tests: a real pipeline, a real shelf, and a provider of your choice. */
export function runModule(module: Module, defaults: RunOptions = {}, surroundings: Surroundings = {}) {
  const { clock = systemClock, prices = testPrices(freeSheet) } = surroundings;
  const { purses = new MemoryPurses(clock) } = surroundings;
  const shelves = new MemoryShelves(clock);
  const spending = new Spending({ purses, clock, days: async () => [] });
  const pipelines = new Pipelines(new Map([[module.name, module]]), (owner, scope, caller) => ({
    store: shelves.shelf(`${owner.name}\n${scope}`),
    clock,
    prices,
    purse: spending.purse(holderOf(caller)),
    fingerprint: ({ target }) => target.credential?.reveal() ?? '',
    replay: (recording) => Reply.replay(recording, wireByName(recording.wire)),
  }));

  return async (request: ChatRequest, over: RunOptions = {}): Promise<ModuleRun> => {
    const run = { ...defaults, ...over };
    const sent: ChatRequest[] = [];
    const trace = new Trace(performance.now());
    const exchange = exchangeFor(request, run, trace);
    const upstream: Handler = async (passed) => {
      sent.push(passed.request);
      trace.answeredBy = passed.target;
      return run.upstream === undefined ? demonstration(passed) : run.upstream(passed);
    };
    const list = run.options === undefined ? module.name : `${module.name}?${run.options}`;
    const seen = () => ({ sent, step: trace.steps[0], told: trace.told });
    try {
      const reply = await pipelines.compile(list).run(exchange, upstream);
      return { answer: await reply.answer(), error: undefined, ...seen() };
    } catch (error) {
      return { answer: undefined, error, ...seen() };
    }
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
  const bytes = Buffer.from(written);
  const received = new Received({
    wire,
    bytes,
    body: JSON.parse(bytes.toString()),
    headers: run.headers ?? [],
    query: '',
  });
  const target = { provider: run.provider ?? demo, model: request.model };
  return new Exchange({
    id: 'req_test',
    received,
    caller:
      run.account === undefined
        ? { kind: 'local' }
        : { kind: 'account', accountId: run.account, keyId: run.key ?? 'key' },
    target: run.credential === undefined ? target : { ...target, credential: new Secret(run.credential) },
    presence: presenceOf(run.signal),
    trace,
  });
}

function presenceOf(signal: AbortSignal | undefined): Presence {
  const presence = new Presence();
  if (signal?.aborted === true) presence.leave();
  signal?.addEventListener('abort', () => presence.leave());
  return presence;
}
