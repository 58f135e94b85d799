// Holds what cost-guard reckons with before a call beside what the call had: npm run eval:cost-bound -- --data <folder>
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ClientPresence } from '../../src/kernel/client-presence.ts';
import { ClientRequest } from '../../src/kernel/client-request.ts';
import { GatewayError } from '../../src/kernel/errors.ts';
import { Exchange } from '../../src/kernel/exchange.ts';
import { LazyJsonObject } from '../../src/kernel/json/lazy-json-object.ts';
import type { Usage } from '../../src/kernel/message.ts';
import type { ModelPricing } from '../../src/kernel/rate-card.ts';
import { Trace } from '../../src/kernel/trace.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { WorstCase } from '../../src/modules/cost-guard/worst-case.ts';
import { ModelCatalog } from '../../src/providers/catalog/model-catalog.ts';
import { builtInProviders } from '../../src/providers/index.ts';
import { openaiCompatible } from '../../src/providers/openai-compatible.ts';
import { metered } from './usage/metered.ts';
import { formats } from './wire/formats.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';

const longBytes = 5000;
const modelCatalog = new ModelCatalog();
const nothing = modelCatalog.priced(
  { ...openaiCompatible({ name: '', title: '', baseUrl: '' }), free: true },
  '',
);
if (nothing === undefined) throw new Error('what is free has a price');
const noPrice: ModelPricing = nothing;

const { values } = parseArgs({ options: { data: { type: 'string' }, misses: { type: 'boolean' } } });
const folder = values.data;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else report(formats.flatMap((format) => recordingsOf(folder, format)).flatMap((call) => judge(call) ?? []));

interface CostJudgement {
  readonly id: string;
  readonly format: string;
  readonly provider: string;
  readonly model: string;
  readonly isBuiltIn: boolean;
  readonly isLong: boolean;
  /** What was there, of what was reckoned with: above 1 the bound was passed. */
  readonly input: number;
  readonly output: number;
  /** Undefined where nobody knows the price. */
  readonly cost: number | undefined;
}

/** Undefined where there is nothing to compare. */
function judge(recording: Recording): CostJudgement | undefined {
  const { id, format, body, status, provider: name } = recording;
  if (status !== 200 || !isJsonObject(body) || typeof body.model !== 'string') return undefined;
  const usage = metered(recording, 'milestones');
  const input = inputOf(usage);
  if (input === 0) return undefined;
  const known = builtInProviders.find((provider) => provider.name === name);
  const provider = known ?? openaiCompatible({ name, title: name, baseUrl: '' });
  const target = { provider, model: body.model };
  const modelPricing = modelCatalog.priced(provider, body.model) ?? noPrice;
  const exchange = exchangeOf(recording, body, target);
  const worst = worstCaseOf(exchange, modelPricing);
  if (worst === undefined) return undefined;
  const cost = modelCatalog.bill(target, usage)?.nanoUsd;
  return {
    id,
    format: format.wire.name,
    provider: name,
    model: body.model,
    isBuiltIn: known !== undefined,
    isLong: exchange.clientRequest.bytes.byteLength >= longBytes,
    input: input / worst.inputTokens,
    output: (usage.output_tokens ?? 0) / worst.outputTokens,
    cost: cost === undefined || worst.cost === 0 ? undefined : cost / worst.cost,
  };
}

function inputOf({ input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 }: Usage) {
  return input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
}

function exchangeOf(
  { format }: Recording,
  body: ClientRequest['body'],
  target: Exchange['target'],
): Exchange {
  const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
  const clientRequest = new ClientRequest({ wire: format.wire, fields, headers: [], query: '' });
  const [clientPresence, trace] = [new ClientPresence(), new Trace(0)];
  const credentials = { find: async () => undefined };
  return new Exchange({
    id: '',
    clientRequest,
    caller: { kind: 'local' },
    target,
    presence: clientPresence,
    trace,
    credentials,
  });
}

function worstCaseOf(exchange: Exchange, modelPricing: ModelPricing): WorstCase | undefined {
  try {
    return new WorstCase(exchange, modelPricing, {});
  } catch (refusal) {
    if (GatewayError.is(refusal)) return undefined;
    throw refusal;
  }
}

function report(all: readonly CostJudgement[]): void {
  console.log('                                        input below the bound        bound / input');
  console.log('format              provider         calls    below      share     median      p10');
  const groups = Map.groupBy(all, ({ format, provider }) => `${format.padEnd(20)}${provider.padEnd(16)}`);
  for (const [name, group] of [...groups].sort(([a], [b]) => a.localeCompare(b))) inputRow(name, group);
  inputRow('all'.padEnd(36), all);
  const builtIn = all.filter(({ isBuiltIn }) => isBuiltIn);
  inputRow('of providers that are built in'.padEnd(36), builtIn);
  const long = builtIn.filter(({ isLong }) => isLong);
  inputRow('of those, 5,000 bytes and more'.padEnd(36), long);
  share('output below its limit', all, ({ output }) => output);
  share(
    'cost below the worst case',
    all.filter(({ cost }) => cost !== undefined),
    ({ cost = 0 }) => cost,
  );
  if (values.misses !== true) return;
  for (const { id, format, provider, model, input, output, cost = 0 } of all)
    if (Math.max(input, output, cost) > 1)
      console.log(`${format} ${provider} ${model} ${ratios([input, output, cost])} ${id}`);
}

function ratios(all: readonly number[]): string {
  return all.map((ratio) => ratio.toFixed(2)).join(' ');
}

function inputRow(name: string, group: readonly CostJudgement[]): void {
  const loose = group.map(({ input }) => 1 / input).sort((a, b) => a - b);
  const below = group.filter(({ input }) => input <= 1).length;
  const figures = [
    String(group.length),
    String(below),
    percent(below / group.length),
    at(loose, 0.5),
    at(loose, 0.1),
  ];
  console.log(name + figures.map((figure) => figure.padStart(9)).join(' '));
}

function share(
  what: string,
  group: readonly CostJudgement[],
  ratioOf: (call: CostJudgement) => number,
): void {
  const below = group.filter((call) => ratioOf(call) <= 1).length;
  const held = group
    .map(ratioOf)
    .filter((ratio) => ratio > 0)
    .map((ratio) => 1 / ratio)
    .sort((a, b) => a - b);
  console.log(
    `${what}: ${below} of ${group.length}, ${percent(below / group.length)}; bound / figure: median ${at(held, 0.5)}`,
  );
}

function at(sorted: readonly number[], part: number): string {
  return (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(2)} %`;
}
