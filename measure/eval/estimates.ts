// Compares estimates of usage with what providers reported: npm run eval:estimates -- --data <folder> [--calls held-out|fitted|all]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Meter } from '../../src/calls/meter.ts';
import { ClientRequest } from '../../src/kernel/client-request.ts';
import { LazyJsonObject } from '../../src/kernel/json/lazy-json-object.ts';
import type { ReplyEvent, Usage } from '../../src/kernel/message.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { openaiCompatible } from '../../src/providers/openai-compatible.ts';
import { isIn, type Share, shareOf } from './usage/held-out.ts';
import { reportedIn } from './usage/reported.ts';
import { formats } from './wire/formats.ts';
import { outcomeOf } from './wire/outcome.ts';
import { type Recording, recordingsOf } from './wire/recordings.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, calls: { type: 'string' } } });
const folder = values.data;
if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no recordings at ${folder ?? '--data <folder>'}`);
else evaluate(folder, shareOf(values.calls));

interface EstimateComparison {
  readonly kind: string;
  readonly input: Pair;
  readonly output: Pair;
  /** Whether the model thought without showing it: that leaves nothing to estimate from. */
  readonly hidden: boolean;
}

interface Pair {
  readonly reported: number;
  readonly estimated: number;
}

function evaluate(data: string, share: Share): void {
  console.log(`calls: ${share}`);
  row([
    '',
    'calls',
    'median error',
    'p90',
    'within 10 %',
    '>= 40 tokens',
    'median error',
    'p90',
    'within 10 %',
  ]);
  for (const format of formats) {
    const compared = recordingsOf(data, format)
      .filter(({ body }) => isIn(share, body))
      .flatMap((recording) => compare(recording) ?? []);
    const { name } = format.wire;
    report(
      `${name}, input`,
      compared.map(({ input }) => input),
    );
    for (const kind of ['sse', 'json']) {
      const shown = compared.filter((call) => call.kind === kind && !call.hidden);
      report(
        `${name}, output as ${kind}`,
        shown.map(({ output }) => output),
      );
    }
    const hidden = compared.filter((call) => call.hidden).map(({ output }) => output);
    report(`${name}, hidden thinking`, hidden);
  }
}

function compare(recording: Recording): EstimateComparison | undefined {
  const reported = recording.status < 300 ? reportedIn(recording)?.counts : undefined;
  if (reported === undefined || !isJsonObject(recording.body)) return undefined;
  const outcome = outcomeOf(recording);
  const input = reported.input + reported.cacheRead + reported.cacheWrite;
  if ('error' in outcome || input <= 0 || reported.output <= 0) return undefined;
  const { input_tokens = 0, output_tokens = 0 } = estimated(recording);
  return {
    kind: recording.kind,
    input: { reported: input, estimated: input_tokens },
    output: { reported: reported.output, estimated: output_tokens },
    hidden: reported.thinking > 0 && outcome.facts.thinking === '',
  };
}

/** As if the provider had never said a word about it. */
function estimated({ format: { wire }, kind, body, bytes }: Recording): Usage {
  const decoder = wire.replyDecoder(kind === 'sse' ? 'sse' : 'json', 'milestones');
  const meter = new Meter();
  const answer = kind === 'json' ? untold(bytes) : bytes;
  for (const event of [...decoder.push(answer), ...decoder.end()]) meter.observe(withoutUsage(event));
  const request = Buffer.from(JSON.stringify(isJsonObject(body) ? body : {}));
  meter.close({
    ending: { how: 'complete' },
    clientRequest: new ClientRequest({ wire, fields: LazyJsonObject.of(request), headers: [], query: '' }),
    target: {
      provider: openaiCompatible({ name: 'any', title: 'any', baseUrl: '', wires: [wire] }),
      model: 'any',
    },
    unread: decoder.unread,
  });
  return meter.usage;
}

/** A whole answer that tells its usage isn't read any further. */
function untold(bytes: Buffer): Buffer {
  const { usage: _, usageMetadata: __, ...answer } = JSON.parse(bytes.toString('utf8'));
  return Buffer.from(JSON.stringify(answer));
}

function withoutUsage(event: ReplyEvent): ReplyEvent {
  if (event.type === 'message_start') return { ...event, message: { ...event.message, usage: {} } };
  return event.type === 'message_delta' ? { type: event.type, delta: event.delta } : event;
}

function report(name: string, pairs: readonly Pair[]): void {
  const large = pairs.filter(({ reported }) => reported >= 40);
  if (pairs.length > 0)
    row([name, String(pairs.length), ...errors(pairs), String(large.length), ...errors(large)]);
}

function errors(pairs: readonly Pair[]): readonly string[] {
  const sorted = pairs
    .map(({ reported, estimated: guess }) => Math.abs(guess - reported) / reported)
    .sort((a, b) => a - b);
  const near = sorted.filter((error) => error <= 0.1).length / Math.max(1, sorted.length);
  const at = (part: number) => sorted[Math.floor(part * sorted.length)] ?? 0;
  return [at(0.5), at(0.9), near].map((share) => `${Math.round(share * 100)} %`);
}

function row([name = '', ...figures]: readonly string[]): void {
  console.log(name.padEnd(36) + figures.map((figure) => figure.padStart(14)).join(''));
}
