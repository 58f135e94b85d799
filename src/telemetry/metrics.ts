import type { Spent } from '../kernel/attempt.ts';
import type { Usage } from '../kernel/message.ts';
import { metricModelOf, metricNameOf, type Target } from '../kernel/provider.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import { storableFigure } from '../kernel/storable.ts';
import type { EndedCall } from './ended-call.ts';
import { limits } from './limits.ts';
import { type Gauge, type GaugeSample, processGauges } from './process-gauges.ts';
import { type Counter, CounterFamily, formatLabels, type Histogram, HistogramFamily } from './series.ts';
import { TagMetrics } from './tag-metrics.ts';

/** The counters for calls of one kind, found by one lookup. */
interface CallSeries extends Readonly<Record<Ending['how'], Counter>> {
  /** The label of the model. */
  readonly label: string;
  readonly wire: string;
  readonly provider: string;
  readonly status: number;
  readonly requests: Counter;
  readonly seconds: Histogram;
  readonly toContent: Histogram;
  readonly modelSeconds: Histogram;
  readonly overhead: Histogram;
  readonly attemptSeconds: Histogram;
  readonly attemptToContent: Histogram;
  readonly input: Counter;
  readonly output: Counter;
  readonly cacheRead: Counter;
  readonly cacheWrite: Counter;
  readonly cost: Counter;
}

const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const overheadBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
/** Fewer, since there are many models. */
const modelBuckets = [0.5, 1, 2.5, 5, 10, 30, 60, 120];
const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** The usage, cost and ending of one attempt. */
interface MeteredAttempt extends Spent {
  readonly target: Target;
  readonly ending: Ending | undefined;
  /** The module that repeated or moved the call, or made a call of its own. */
  readonly askedBy: string | undefined;
  readonly isModuleCall: boolean;
  readonly startedAtMs: number;
  readonly firstContentAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
}

/** Counters for Prometheus. */
export class Metrics {
  readonly #requests = new CounterFamily('weir_requests_total', 'Calls to models', [
    'wire',
    'provider',
    'status',
  ]);
  readonly #refused = new CounterFamily(
    'weir_refused_total',
    'Requests answered with an error that are not counted as calls or token counts',
    ['status', 'code'],
  );
  readonly #rateLimited = new CounterFamily('weir_rate_limited_total', 'Calls refused by a rate limit', [
    'limit',
  ]);
  readonly #keyTests = new CounterFamily(
    'weir_key_tests_total',
    'Tests of provider keys that were set aside',
    ['result'],
  );
  readonly #acceptedKeys = this.#keyTests.with('accepted');
  readonly #failedKeyTests = this.#keyTests.with('failed');
  readonly #tokenCounts = new CounterFamily('weir_token_counts_total', 'Token counting requests', [
    'provider',
    'status',
  ]);
  readonly #tokens = new CounterFamily('weir_tokens_total', 'Tokens as reported by the providers', [
    'provider',
    'model',
    'kind',
  ]);
  readonly #cost = new CounterFamily('weir_cost_usd_total', 'Cost of the calls in US dollars', [
    'provider',
    'model',
  ]);
  readonly #attempts = new CounterFamily('weir_attempts_total', 'Requests to providers', [
    'provider',
    'model',
    'ending',
  ]);
  readonly #repeated = new CounterFamily(
    'weir_repeated_attempts_total',
    'Attempts of a module after one that failed or was slow, by the target of the new attempt',
    ['provider', 'model', 'module'],
  );
  readonly #effects = new CounterFamily('weir_module_effects_total', 'Effects of modules on calls', [
    'module',
    'effect',
  ]);
  readonly #counts = new CounterFamily('weir_module_counts_total', 'What modules count, by name', [
    'module',
    'name',
  ]);
  readonly #reporterFaults = new CounterFamily(
    'weir_reporter_faults_total',
    'Calls that a reporter failed on, each a bug',
    ['reporter'],
  );
  readonly #mcpCalls = new CounterFamily('weir_mcp_calls_total', 'Calls of tools of MCP servers', [
    'server',
    'ending',
  ]);
  readonly #mcpSeconds = new HistogramFamily(
    'weir_mcp_call_seconds',
    'Time from a call of a tool of an MCP server to its result',
    ['server'],
    secondsBuckets,
  );
  readonly #seconds = new HistogramFamily(
    'weir_request_seconds',
    'Time from the request to the last byte',
    ['wire', 'provider'],
    secondsBuckets,
  );
  readonly #toContent = new HistogramFamily(
    'weir_first_content_seconds',
    'Time from the request to the first content',
    ['wire', 'provider'],
    secondsBuckets,
  );
  readonly #modelSeconds = new HistogramFamily(
    'weir_model_seconds',
    'Time from the request to the last byte, by model',
    ['provider', 'model'],
    modelBuckets,
  );
  readonly #overhead = new HistogramFamily(
    'weir_overhead_seconds',
    'Time that Weir added before the answer began',
    ['wire'],
    overheadBuckets,
  );
  readonly #attemptSeconds = new HistogramFamily(
    'weir_attempt_seconds',
    'Time from the start of a request to a provider to the last byte of its answer',
    ['provider'],
    secondsBuckets,
  );
  readonly #attemptToContent = new HistogramFamily(
    'weir_attempt_first_content_seconds',
    'Time from the start of a request to a provider to the first content of its answer',
    ['provider'],
    secondsBuckets,
  );
  readonly #storeSeconds = new HistogramFamily(
    'weir_store_seconds',
    'Duration of database statements and Redis commands',
    ['store'],
    storeBuckets,
  );
  readonly #gauges: Gauge[] = [
    ...processGauges(),
    { name: 'weir_open_streams', help: 'Streams currently open', read: () => this.#openStreams },
  ];
  /** By model. Building a key for each call would cost more than all the counting. */
  readonly #callSeries = new Map<string, readonly CallSeries[]>();
  #callSeriesCount = 0;
  /** By module and effect. */
  readonly #effectCounters = new Map<string, Map<string, Counter>>();
  /** Names of what modules count. */
  readonly #countNames = new Set<string>();
  /** Those that are not in the catalog. */
  readonly #otherModels = new Set<string>();
  #isInCatalog: ModelCheck = () => false;
  readonly #views: MetricsView[] = [];
  /** Counters of views that were removed, by name and labels. */
  readonly #removed = new Map<string, number>();
  #tagNames: readonly string[];
  #tags: TagMetrics;
  #openStreams = 0;

  /** `tags` are the tags that have metrics. */
  constructor(tags: readonly string[] = []) {
    this.#tagNames = tags;
    this.#tags = new TagMetrics(tags);
  }

  /** Shows the values of a gateway, in place of those of one with other settings, whose counters go on. */
  addView(view: MetricsView): void {
    this.#views.push(view);
    this.#isInCatalog = view.isInCatalog;
    if (view.tags.join() === this.#tagNames.join()) return;
    this.#tagNames = view.tags;
    this.#tags = new TagMetrics(view.tags);
  }

  /** Keeps the counters of a gateway that has ended. */
  removeView(view: MetricsView): void {
    const at = this.#views.indexOf(view);
    if (at < 0) return;
    this.#views.splice(at, 1);
    for (const { name, read } of view.gauges)
      if (isCounter(name))
        for (const { labels, value } of samplesOf(read())) {
          const key = seriesKey(name, labels);
          this.#removed.set(key, (this.#removed.get(key) ?? 0) + value);
        }
  }

  /** Values read only when the metrics are scraped. */
  addGauges(gauges: readonly Gauge[]): void {
    this.#gauges.push(...gauges);
  }

  streamOpened(): void {
    this.#openStreams++;
  }

  streamClosed(): void {
    this.#openStreams--;
  }

  /**
   * `spent` is the usage per attempt; without it, the call's own usage counts. `traceId` is the trace of the client, if it is
   * sampled.
   */
  record(call: EndedCall, spent: readonly MeteredAttempt[], traceId?: string): void {
    const { contentMs, steps } = call;
    const { provider, model } = metricTargetOf(call);
    const callSeries = this.#callSeriesFor(call, provider, model);
    callSeries.requests.value++;
    callSeries.seconds.observe(call.totalMs / 1000, traceId);
    callSeries.modelSeconds.observe(call.totalMs / 1000);
    callSeries.overhead.observe(call.overheadMs / 1000, traceId);
    if (contentMs !== undefined) callSeries.toContent.observe(contentMs / 1000, traceId);
    if (spent.length === 0) addUsage(callSeries, call.usage);
    if (call.batches !== undefined) addSpent(callSeries, call.batches);
    this.#tags.record(call);
    for (const attempt of spent) {
      const { target, ending, askedBy, isModuleCall } = attempt;
      const attempted = metricNameOf(target.provider);
      const attemptedModel = metricModelOf(target);
      const isItsOwn = attempted === provider && attemptedModel === model;
      const own = isItsOwn ? callSeries : this.#callSeriesFor(call, attempted, attemptedModel);
      addSpent(own, attempt);
      own[ending?.how ?? 'aborted'].value++;
      observeTimes(own, attempt, traceId);
      if (askedBy !== undefined && !isModuleCall) this.#repeated.with(attempted, own.label, askedBy).value++;
    }
    for (const { module, effect, counts } of steps) {
      this.#effectCounter(module, effect).value++;
      if (counts !== undefined)
        for (const [name, count] of counts) this.#countCounter(module, name).value += count;
    }
  }

  /** There are few modules and effects. */
  #effectCounter(module: string, effect: string): Counter {
    const existing = this.#effectCounters.get(module)?.get(effect);
    if (existing !== undefined) return existing;
    const counter = this.#effects.with(module, effect);
    const counters = this.#effectCounters.get(module) ?? new Map<string, Counter>();
    this.#effectCounters.set(module, counters.set(effect, counter));
    return counter;
  }

  /** Users choose some of the names, such as those of their rules. */
  #countCounter(module: string, name: string): Counter {
    const label = this.#countNames.has(name) || this.#countNames.size < limits.countNamesMax ? name : 'other';
    this.#countNames.add(label);
    return this.#counts.with(module, label);
  }

  recordRefusal(status: number, code: string): void {
    this.#refused.with(String(status), code).value++;
  }

  /** `server` is the name of one of the operator: there is no end of those of accounts. */
  recordToolCall(server: string, ending: string, seconds: number): void {
    this.#mcpCalls.with(server, ending).value++;
    this.#mcpSeconds.with(server).observe(seconds);
  }

  recordRateLimited(limit: string): void {
    this.#rateLimited.with(limit).value++;
  }

  recordKeyTest(isAccepted: boolean): void {
    (isAccepted ? this.#acceptedKeys : this.#failedKeyTests).value++;
  }

  /** A function that takes the durations of a store's operations. */
  storeObserver(store: 'database' | 'redis'): (ms: number) => void {
    const histogram = this.#storeSeconds.with(store);
    return (ms) => histogram.observe(ms / 1000);
  }

  /** Counts a token counting request. */
  recordTokenCount(provider: string, status: number): void {
    this.#tokenCounts.with(provider, String(status)).value++;
  }

  /** The counter for exceptions of a reporter. */
  reporterFaults(reporter: string): Counter {
    return this.#reporterFaults.with(reporter);
  }

  /** In the text format of Prometheus, with exemplars; see `exposition.ts`. */
  render(): string {
    const families = [
      this.#requests,
      this.#refused,
      this.#rateLimited,
      this.#mcpCalls,
      this.#mcpSeconds,
      this.#keyTests,
      this.#tokenCounts,
      this.#tokens,
      this.#cost,
      this.#attempts,
      this.#repeated,
      this.#effects,
      this.#counts,
      this.#reporterFaults,
      this.#seconds,
      this.#toContent,
      this.#modelSeconds,
      this.#overhead,
      this.#attemptSeconds,
      this.#attemptToContent,
      this.#storeSeconds,
    ];
    const viewed = this.#views.at(-1)?.gauges ?? [];
    const gauges = [...this.#gauges, ...viewed].map(({ name, help, read }) => {
      const samples = isCounter(name) ? this.#sums(name, read) : samplesOf(read());
      return `# HELP ${name} ${help}\n# TYPE ${name} ${typeOf(name)}\n${renderSamples(name, samples)}`;
    });
    return [...families.map((family) => family.render()), this.#tags.render(), ...gauges].join('');
  }

  /** A counter with those of the views before. */
  #sums(name: string, read: Gauge['read']): readonly GaugeSample[] {
    const before = this.#views
      .slice(0, -1)
      .flatMap(({ gauges }) => gauges.filter((gauge) => gauge.name === name));
    const sums = new Map<string, GaugeSample>();
    for (const { labels, value } of [read, ...before.map((gauge) => gauge.read)].flatMap((one) =>
      samplesOf(one()),
    )) {
      const key = seriesKey(name, labels);
      sums.set(key, { labels, value: (sums.get(key)?.value ?? this.#removed.get(key) ?? 0) + value });
    }
    return [...sums.values()];
  }

  #callSeriesFor({ wire, status }: EndedCall, provider: string, model: string): CallSeries {
    const existing = this.#callSeries.get(model) ?? none;
    for (const bound of existing)
      if (bound.status === status && bound.provider === provider && bound.wire === wire) return bound;
    const label = this.#modelLabel(provider, model);
    const tokens = (kind: string) => this.#tokens.with(provider, label, kind);
    const bound: CallSeries = {
      wire,
      provider,
      status,
      requests: this.#requests.with(wire, provider, String(status)),
      seconds: this.#seconds.with(wire, provider),
      toContent: this.#toContent.with(wire, provider),
      modelSeconds: this.#modelSeconds.with(provider, label),
      overhead: this.#overhead.with(wire),
      attemptSeconds: this.#attemptSeconds.with(provider),
      attemptToContent: this.#attemptToContent.with(provider),
      input: tokens('input'),
      output: tokens('output'),
      cacheRead: tokens('cache_read'),
      cacheWrite: tokens('cache_write'),
      cost: this.#cost.with(provider, label),
      label,
      complete: this.#attempts.with(provider, label, 'complete'),
      aborted: this.#attempts.with(provider, label, 'aborted'),
      failed: this.#attempts.with(provider, label, 'failed'),
    };
    if (label === model && this.#callSeriesCount < limits.metricBindingsMax) {
      this.#callSeries.set(model, [...existing, bound]);
      this.#callSeriesCount++;
    }
    return bound;
  }

  /** Clients choose model names, but must not control the number of series. */
  #modelLabel(provider: string, model: string): string {
    if (this.#otherModels.has(model) || this.#isInCatalog(provider, model)) return model;
    if (this.#otherModels.size >= limits.metricModelsMax) return 'other';
    this.#otherModels.add(model);
    return model;
  }
}

/** What the metrics show of a gateway besides its calls. */
export interface MetricsView {
  readonly gauges: readonly Gauge[];
  /** The tags that have metrics. */
  readonly tags: readonly string[];
  /** Models in the catalog always have a label of their own. */
  readonly isInCatalog: ModelCheck;
}

/** Must be true for a bounded number of names only. */
/** What a call counts for: the provider and the model that answered it. */
function metricTargetOf({ provider = '', modelUsed = '', isOwnProvider }: EndedCall) {
  return isOwnProvider === true ? { provider: 'account', model: 'other' } : { provider, model: modelUsed };
}

type ModelCheck = (provider: string, model: string) => boolean;

/** By Prometheus' convention for names. */
function isCounter(name: string): boolean {
  return name.endsWith('_total');
}

function typeOf(name: string): string {
  return isCounter(name) ? 'counter' : 'gauge';
}

function samplesOf(read: ReturnType<Gauge['read']>): readonly GaugeSample[] {
  return typeof read === 'number' ? [{ labels: {}, value: read }] : read;
}

function seriesKey(name: string, labels: GaugeSample['labels']): string {
  return `${name}{${formatLabels(Object.keys(labels), Object.values(labels))}}`;
}

function renderSamples(name: string, samples: readonly GaugeSample[]): string {
  return samples
    .map(({ labels, value }) =>
      Object.keys(labels).length === 0 ? `${name} ${value}\n` : `${seriesKey(name, labels)} ${value}\n`,
    )
    .join('');
}

function addUsage(callSeries: CallSeries, usage: Usage): void {
  callSeries.input.value += toIncrement(usage.input_tokens);
  callSeries.output.value += toIncrement(usage.output_tokens);
  callSeries.cacheRead.value += toIncrement(usage.cache_read_input_tokens);
  callSeries.cacheWrite.value += toIncrement(usage.cache_creation_input_tokens);
}

function addSpent(callSeries: CallSeries, { usage, bill }: Spent): void {
  addUsage(callSeries, usage);
  if (bill !== undefined) callSeries.cost.value += toIncrement(bill.nanoUsd) / 1e9;
}

function observeTimes(callSeries: CallSeries, attempt: MeteredAttempt, traceId: string | undefined): void {
  const { startedAtMs, firstContentAtMs, endedAtMs } = attempt;
  if (endedAtMs !== undefined) callSeries.attemptSeconds.observe((endedAtMs - startedAtMs) / 1000, traceId);
  if (firstContentAtMs !== undefined)
    callSeries.attemptToContent.observe((firstContentAtMs - startedAtMs) / 1000, traceId);
}

const none: readonly CallSeries[] = [];

/** A counter never decreases, so one absurd value would stay in it. */
function toIncrement(figure: number | null | undefined): number {
  return storableFigure(figure) ?? 0;
}
