// Compares estimates of token counts with what providers reported: npm run eval:tokens -- --data <folder> [--calls held-out|fitted|all]
// The table that ships was fitted to all calls. Held out are half of them, judged by numbers that are fitted anew to the other half.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ChatRequest, Usage } from '../../src/kernel/message.ts';
import { mergeUsage } from '../../src/kernel/reply/answer-events.ts';
import type { WireFormat } from '../../src/kernel/wire-format.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json.ts';
import { openaiCompatible } from '../../src/providers/openai-compatible.ts';
import { TokenEstimator } from '../../src/providers/tokens/token-estimator.ts';
import { Tokenizer } from '../../src/providers/tokens/tokenizer.ts';
import { openaiChat, openaiResponses } from '../../src/wire/index.ts';
import { laidOut, tokensBy } from './tokens/laid-out.ts';
import { type CountedText, refitted } from './tokens/refit.ts';
import { isIn, shareOf } from './usage/held-out.ts';

const wires: Readonly<Record<string, WireFormat>> = {
  'openai.chat.jsonl': openaiChat,
  'openai.responses.jsonl': openaiResponses,
};

const { values } = parseArgs({
  options: { data: { type: 'string' }, worst: { type: 'string' }, calls: { type: 'string' } },
});
const { data, worst } = values;
const share = shareOf(values.calls);
if (data === undefined || !existsSync(data)) {
  console.log(
    `skipped: ${data === undefined ? 'no folder of recorded calls given' : `there is no folder ${data}`} (--data <folder>)`,
  );
} else {
  const estimator = new TokenEstimator();
  const tokenizer = new Tokenizer();
  const measured: TokenMeasurement[] = [];
  const left = new Map<string, number>();
  for (const file of globSync(join(data, '*', '*.jsonl')).sort()) {
    const wire = wires[basename(file)];
    if (wire === undefined) continue;
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const result =
        line === '' ? undefined : await measure(JSON.parse(line), wire, { estimator, tokenizer });
      if (typeof result === 'string') left.set(result, (left.get(result) ?? 0) + 1);
      else if (result !== undefined) measured.push(result);
    }
  }
  await estimator.close();
  await tokenizer.close();
  const judged = (share === 'held-out' ? blind(measured) : measured).filter(({ body }) => isIn(share, body));
  report(judged, left);
  if (worst !== undefined) showWorst(judged, Number(worst));
}

interface TokenMeasurement extends CountedText {
  readonly id: string;
  readonly body: JsonObject;
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly estimated: number;
  /** Of what was reported. */
  readonly error: number;
}

/** Estimates by numbers that the calls to judge by had no part in. */
function blind(all: readonly TokenMeasurement[]): readonly TokenMeasurement[] {
  const families = Map.groupBy(all, ({ laid }) => `${laid.template.models} ${laid.template.wire}`);
  return [...families.values()].flatMap((family) => {
    const numbers = refitted(family.filter(({ body }) => isIn('fitted', body)));
    return family.map((call) => {
      const estimated = tokensBy(numbers, call.laid);
      return { ...call, estimated, error: (estimated - call.reported) / call.reported };
    });
  });
}

interface Counters {
  readonly estimator: TokenEstimator;
  readonly tokenizer: Tokenizer;
}

/** The estimate beside the provider's own count, or why there is nothing to compare. */
async function measure(
  call: unknown,
  wire: WireFormat,
  { estimator, tokenizer }: Counters,
): Promise<TokenMeasurement | string> {
  if (!isJsonObject(call) || !isJsonObject(call.request) || !isJsonObject(call.response))
    return 'not a recorded call';
  const { id, api, provider, request, response } = call;
  if (response.status !== 200) return 'refused by the provider';
  const { body } = request;
  if (!isJsonObject(body) || typeof body.model !== 'string') return 'names no model';
  const unseen = unseenPart(body);
  if (unseen !== undefined) return unseen;
  const reported = reportedTokens(response, wire);
  if (reported === 0) return 'no usage reported';
  let decoded: ChatRequest;
  try {
    decoded = wire.decodeRequest(body);
  } catch {
    return 'not a valid request';
  }
  const name = String(provider);
  const host = { ...openaiCompatible({ name, title: name, baseUrl: '' }), wires: [wire] };
  const estimated = await estimator.estimate(decoded, { provider: host, model: body.model });
  return {
    id: String(id),
    body,
    laid: await laidOut(decoded, { model: body.model, wire: wire.name }, tokenizer),
    api: String(api),
    provider: name,
    model: body.model,
    reported,
    estimated,
    error: (estimated - reported) / reported,
  };
}

/** What a provider reads besides the request can't be counted from it. */
function unseenPart(body: JsonObject): string | undefined {
  if (typeof body.previous_response_id === 'string') return 'earlier turns kept by the provider';
  const tools: readonly unknown[] = Array.isArray(body.tools) ? body.tools : [];
  if (tools.some((tool) => !isJsonObject(tool) || tool.type !== 'function')) return 'tools of the provider';
  return undefined;
}

function reportedTokens(response: JsonObject, wire: WireFormat): number {
  const decoder = wire.replyDecoder(response.kind === 'sse' ? 'sse' : 'json', 'everything');
  const text = typeof response.body === 'string' ? response.body : JSON.stringify(response.body);
  let usage: Usage = {};
  for (const event of [...decoder.push(Buffer.from(text)), ...decoder.end()]) {
    if (event.type === 'message_start') usage = mergeUsage(usage, event.message.usage);
    if (event.type === 'message_delta') usage = mergeUsage(usage, event.usage);
  }
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  return input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
}

function report(all: readonly TokenMeasurement[], left: ReadonlyMap<string, number>): void {
  console.log(`calls: ${share}`);
  console.log('api               provider       calls  median    p90   within 10 %   tokens');
  const groups = Map.groupBy(all, ({ api, provider }) => `${api.padEnd(17)} ${provider.padEnd(13)}`);
  for (const [name, group] of [...groups].sort(([a], [b]) => a.localeCompare(b))) row(name, group);
  row(`${'all'.padEnd(17)} ${''.padEnd(13)}`, all);
  const reasons = [...left].map(([reason, calls]) => `${calls} ${reason}`);
  console.log(`\nleft out: ${reasons.join(', ')}`);
}

function row(name: string, group: readonly TokenMeasurement[]): void {
  const errors = group.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
  const at = (share: number) => percent(errors[Math.ceil(errors.length * share) - 1] ?? 0).padStart(7);
  const close = percent(errors.filter((error) => error <= 0.1).length / errors.length).padStart(7);
  const reported = group.reduce((sum, call) => sum + call.reported, 0);
  const estimated = group.reduce((sum, call) => sum + call.estimated, 0);
  const sum = percent((estimated - reported) / reported).padStart(8);
  console.log(`${name} ${String(group.length).padStart(6)} ${at(0.5)} ${at(0.9)} ${close}       ${sum}`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function showWorst(all: readonly TokenMeasurement[], rows: number): void {
  const sorted = all.toSorted((a, b) => Math.abs(b.error) - Math.abs(a.error));
  for (const { id, model, reported, estimated } of sorted.slice(0, rows))
    console.log(`${String(reported).padStart(7)} ${String(estimated).padStart(7)}  ${model}  ${id}`);
}
