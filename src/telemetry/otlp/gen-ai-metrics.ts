import type { Attempt } from '../../kernel/attempt.ts';
import type { ClientRequest } from '../../kernel/client-request.ts';
import { metricModelOf, type Provider } from '../../kernel/provider.ts';
import { storableFigure as figure } from '../../kernel/storable.ts';
import { limits } from '../limits.ts';
import { Histogram } from '../series.ts';
import { errorTypeOf } from './call-spans.ts';
import {
  firstChunkSeconds,
  inputTokensOf,
  operationOf,
  providerNameOf,
  serverOf,
} from './gen-ai-attributes.ts';
import type { HistogramPoint, MetricData } from './metric-data.ts';
import type { Attributes } from './span.ts';

/** The sums of all attempts with the same attributes. */
interface Series {
  readonly attributes: Attributes;
  readonly isInference: boolean;
  /** By type of error; empty for none. */
  readonly durations: Map<string, Histogram>;
  readonly firstChunks: Histogram;
  readonly inputTokens: Histogram;
  readonly outputTokens: Histogram;
  /** Sums of tokens, by the name in the conventions. */
  readonly sums: Record<TokenKind, number>;
}

interface SeriesKey {
  readonly provider: Provider;
  readonly operation: string;
  readonly model: string;
  /** Empty if the answer names none. */
  readonly answeredModel: string;
}

interface LatestSeries extends SeriesKey {
  readonly series: Series;
}

const tokenKinds = [
  'input_tokens',
  'output_tokens',
  'cache_read.input_tokens',
  'cache_write.input_tokens',
  'reasoning.output_tokens',
] as const;
type TokenKind = (typeof tokenKinds)[number];

/** Metrics of the attempts, by the conventions of OpenTelemetry: https://github.com/open-telemetry/semantic-conventions-genai. */
export class GenAiMetrics {
  readonly #hasOlderNames: boolean;
  readonly #startUs: number;
  readonly #series = new Map<string, Series>();
  /** Most attempts have the target of the one before, which takes less time to see than to make a key. */
  #latest: LatestSeries | undefined;

  /** `hasOlderNames` adds the metrics under the names that they had before. */
  constructor(startUs: number, hasOlderNames: boolean) {
    this.#startUs = startUs;
    this.#hasOlderNames = hasOlderNames;
  }

  record(attempt: Attempt, clientRequest: ClientRequest): void {
    const { ending, startedAtMs, endedAtMs = startedAtMs, usage } = attempt;
    const series = this.#seriesOf(attempt, clientRequest);
    const error = ending?.how === 'failed' ? errorTypeOf(ending.error) : '';
    const seconds = (endedAtMs - startedAtMs) / 1000;
    durationsOf(series, error).observe(seconds);
    const firstChunk = firstChunkSeconds(attempt, clientRequest);
    if (firstChunk !== undefined) series.firstChunks.observe(firstChunk);
    const input = inputTokensOf(usage);
    const output = figure(usage.output_tokens);
    if (input !== undefined) series.inputTokens.observe(input);
    if (output !== undefined) series.outputTokens.observe(output);
    const { sums } = series;
    sums.input_tokens += input ?? 0;
    sums.output_tokens += output ?? 0;
    sums['cache_read.input_tokens'] += figure(usage.cache_read_input_tokens) ?? 0;
    sums['cache_write.input_tokens'] += figure(usage.cache_creation_input_tokens) ?? 0;
    sums['reasoning.output_tokens'] += figure(usage.output_tokens_details?.thinking_tokens) ?? 0;
  }

  /** All metrics that have values. */
  collect(timeUs: number): readonly MetricData[] {
    const all = [...this.#series.values()];
    const inference = all.filter(({ isInference }) => isInference);
    const older = this.#hasOlderNames ? all : all.filter(({ isInference }) => !isInference);
    const times = { startUs: this.#startUs, timeUs };
    const histogram = (name: string, unit: string, histograms: readonly HistogramPoint[]): MetricData => ({
      ...{ name: `gen_ai.client.${name}`, unit, ...times, counts: [], histograms },
    });
    const counter = (kind: TokenKind): MetricData => ({
      ...{ name: `gen_ai.client.inference.usage.${kind}`, unit: '{token}', ...times, histograms: [] },
      counts: inference.map(({ attributes, sums }) => ({
        attributes: { ...attributes, 'gen_ai.token.modality': 'unknown' },
        value: sums[kind],
      })),
    });
    return [
      histogram('inference.duration', 's', inference.flatMap(durationPoints)),
      histogram('inference.time_to_first_chunk', 's', inference.flatMap(firstChunkPoints)),
      histogram('inference.operation.input_tokens', '{token}', inference.flatMap(inputPoints)),
      histogram('inference.operation.output_tokens', '{token}', inference.flatMap(outputPoints)),
      ...tokenKinds.map(counter),
      histogram('operation.duration', 's', older.flatMap(durationPoints)),
      histogram('operation.time_to_first_chunk', 's', older.flatMap(firstChunkPoints)),
      histogram('token.usage', '{token}', older.flatMap(typedTokenPoints)),
    ].filter(({ counts, histograms }) => counts.length + histograms.length > 0);
  }

  #seriesOf(attempt: Attempt, clientRequest: ClientRequest): Series {
    const { provider } = attempt.target;
    const model = metricModelOf(attempt.target);
    const operation = operationOf(clientRequest);
    const answeredModel = provider.ownId !== undefined ? 'other' : (attempt.answeredModel ?? '');
    const latest = this.#latest;
    if (
      latest?.provider === provider &&
      latest.operation === operation &&
      latest.model === model &&
      latest.answeredModel === answeredModel
    )
      return latest.series;
    const series = this.#findSeries({ provider, operation, model, answeredModel }, clientRequest);
    this.#latest = { provider, operation, model, answeredModel, series };
    return series;
  }

  #findSeries(
    { provider, operation, model, answeredModel }: SeriesKey,
    clientRequest: ClientRequest,
  ): Series {
    const isOwn = provider.ownId !== undefined;
    const name = isOwn ? `account ${providerNameOf(provider)}` : provider.name;
    const key = `${operation}\n${name}\n${model}\n${answeredModel}`;
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    // Clients choose names of models, but must not control the number of series.
    const isFull = this.#series.size >= limits.otlpSeriesMax;
    const full = `${operation}\n${name}\nother\nother`;
    const existing = isFull ? this.#series.get(full) : undefined;
    if (existing !== undefined) return existing;
    const { address, port } = isOwn ? hiddenServer : serverOf(provider);
    const series: Series = {
      attributes: {
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': providerNameOf(provider),
        'gen_ai.request.model': isFull ? 'other' : model === '' ? undefined : model,
        'gen_ai.response.model': isFull ? 'other' : answeredModel === '' ? undefined : answeredModel,
        'server.address': address,
        'server.port': port,
      },
      isInference: clientRequest.relay === undefined,
      durations: new Map(),
      firstChunks: new Histogram(firstChunkBounds),
      inputTokens: new Histogram(tokenBounds),
      outputTokens: new Histogram(tokenBounds),
      sums: {
        input_tokens: 0,
        output_tokens: 0,
        'cache_read.input_tokens': 0,
        'cache_write.input_tokens': 0,
        'reasoning.output_tokens': 0,
      },
    };
    this.#series.set(isFull ? full : key, series);
    return series;
  }
}

function durationsOf({ durations }: Series, error: string): Histogram {
  const name = durations.has(error) || durations.size < limits.otlpErrorTypesMax ? error : 'other';
  const known = durations.get(name);
  if (known !== undefined) return known;
  const histogram = new Histogram(durationBounds);
  durations.set(name, histogram);
  return histogram;
}

function durationPoints({ attributes, durations }: Series): readonly HistogramPoint[] {
  return [...durations].flatMap(([error, histogram]) =>
    points({ ...attributes, 'error.type': error === '' ? undefined : error }, histogram),
  );
}

function firstChunkPoints({ attributes, firstChunks }: Series): readonly HistogramPoint[] {
  return points(attributes, firstChunks);
}

function inputPoints({ attributes, inputTokens }: Series): readonly HistogramPoint[] {
  return points(attributes, inputTokens);
}

function outputPoints({ attributes, outputTokens }: Series): readonly HistogramPoint[] {
  return points(attributes, outputTokens);
}

function typedTokenPoints({ attributes, inputTokens, outputTokens }: Series): readonly HistogramPoint[] {
  return [
    ...points({ ...attributes, 'gen_ai.token.type': 'input' }, inputTokens),
    ...points({ ...attributes, 'gen_ai.token.type': 'output' }, outputTokens),
  ];
}

/** None without values. */
function points(attributes: Attributes, histogram: Histogram): readonly HistogramPoint[] {
  const snapshot = histogram.snapshot();
  return snapshot.count === 0 ? [] : [{ attributes, ...snapshot }];
}

const hiddenServer = { address: undefined, port: undefined };

/** The bounds that the conventions recommend. */
const durationBounds = Array.from({ length: 14 }, (_, at) => 0.01 * 2 ** at);
const tokenBounds = Array.from({ length: 14 }, (_, at) => 4 ** at);
const firstChunkBounds = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
