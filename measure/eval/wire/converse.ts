import type { JsonObject } from '../../../src/lib/json.ts';
import { encodeEventFrame } from '../../../test/support/bedrock-server.ts';
import { askedInConverse } from './asked/converse.ts';
import { expressible } from './cross-format.ts';
import { cutsFor } from './cuts.ts';
import { type Call, differences, type Facts } from './facts.ts';
import { type Format, formats } from './formats.ts';
import { outcomeOf } from './outcome.ts';
import type { Recording } from './recordings.ts';
import { play, type Stage } from './stage.ts';
import { Row } from './tally.ts';

/** A format that providers are asked in and no client speaks. */
export const converse = { endpoint: /\/converse(-stream)?$/, asked: askedInConverse };

const model = 'bedrock/eu.amazon.nova-lite-v1:0';

/** What was recorded in other formats, as Converse would have answered it, to a client of each. */
export async function replayFromConverse(
  stage: Stage,
  recordings: readonly Recording[],
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const client of formats) {
    const row = new Row('bedrock-converse', client);
    for (const recording of recordings) {
      const wanted = outcomeOf(recording);
      if ('error' in wanted || !canSay(wanted.facts)) continue;
      const facts = inConverse(wanted.facts);
      for (const stream of [false, true]) {
        const body = questionIn(client, stream);
        const said = stream ? streamOf(recording, facts) : wholeOf(recording, facts);
        for (const { name, cuts } of [{ name: stream ? 'streamed' : 'whole', cuts: [] }, ...cutsFor(said)]) {
          play(stage, said, cuts);
          const got = await client
            .ask({ url: stage.weir.url, body, stream })
            .catch((error: unknown) => String(error));
          const told = typeof got === 'string' ? { error: got } : client.whole(got);
          const faults = 'error' in told ? [told.error] : differences(expressible(facts, client), told.facts);
          row.count(name, faults, recording);
        }
      }
    }
    console.log(`${row.name}: ${row.calls} calls in ${row.seconds.toFixed(0)} s`);
    rows.push(row);
  }
  return rows;
}

/** What is asked is not on trial here. */
function questionIn({ wire }: Format, stream: boolean): JsonObject {
  const turn = { role: 'user', content: 'Hello' };
  switch (wire.name) {
    case 'gemini':
      return { model, contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] };
    case 'gemini-interactions':
      return { model, input: 'Hello' };
    case 'openai-responses':
      return { model, input: [turn] };
    case 'openai-chat':
      return { model, messages: [turn], ...(stream && { stream_options: { include_usage: true } }) };
    default:
      return { model, max_tokens: 1000, messages: [turn] };
  }
}

/** Calls whose input broke off come as JSON in other formats alone, and a refusal without words as none. */
function canSay({ calls, stop, text }: Facts): boolean {
  return calls.every(({ input }) => typeof input === 'object') && (stop !== 'refusal' || text !== '');
}

/** Every call has an id there. */
function inConverse(facts: Facts): Facts {
  const calls = facts.calls.map((call, at): Call => ({ ...call, id: call.id || `tooluse_${at}` }));
  const natural = calls.length > 0 ? 'tool_use' : 'end_turn';
  const stop = stops.has(facts.stop) ? facts.stop : natural;
  return { ...facts, calls, stop };
}

const stops: ReadonlySet<string> = new Set(['max_tokens', 'stop_sequence', 'refusal']);

function wholeOf(recording: Recording, facts: Facts): Recording {
  const { text, thinking, calls, stop } = facts;
  const content = [
    ...(thinking === '' ? [] : [{ reasoningContent: { reasoningText: { text: thinking } } }]),
    ...(text === '' ? [] : [{ text }]),
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
  const output = { message: { role: 'assistant', content } };
  const body = { output, stopReason: reasonOf(stop), usage: usageOf(facts), metrics: { latencyMs: 1 } };
  return {
    ...recording,
    status: 200,
    type: 'application/json',
    kind: 'json',
    bytes: Buffer.from(JSON.stringify(body)),
  };
}

function streamOf(recording: Recording, facts: Facts): Recording {
  const { text, thinking, calls, stop } = facts;
  const blocks = [
    ...(thinking === '' ? [] : [pieces(thinking).map((piece) => ({ reasoningContent: { text: piece } }))]),
    ...(text === '' ? [] : [pieces(text).map((piece) => ({ text: piece }))]),
  ];
  const frames = [
    event('messageStart', { role: 'assistant' }),
    ...blocks.flatMap((deltas, at) => block(at, deltas)),
    ...calls.flatMap(({ id, name, input }, at) => [
      event('contentBlockStart', {
        contentBlockIndex: blocks.length + at,
        start: { toolUse: { toolUseId: id, name } },
      }),
      ...block(
        blocks.length + at,
        pieces(JSON.stringify(input)).map((piece) => ({ toolUse: { input: piece } })),
      ),
    ]),
    event('messageStop', { stopReason: reasonOf(stop) }),
    event('metadata', { usage: usageOf(facts), metrics: { latencyMs: 1 } }),
  ];
  return {
    ...recording,
    status: 200,
    type: 'application/vnd.amazon.eventstream',
    kind: 'sse',
    bytes: Buffer.concat(frames),
  };
}

function block(contentBlockIndex: number, deltas: readonly object[]): readonly Uint8Array[] {
  return [
    ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
    event('contentBlockStop', { contentBlockIndex }),
  ];
}

/** By Amazon's own code. */
function event(name: string, fields: object): Uint8Array {
  return encodeEventFrame(name, JSON.stringify(fields), false);
}

function pieces(text: string): readonly string[] {
  return text.match(/.{1,40}/gsu) ?? [];
}

function reasonOf(stop: string): string {
  return stop === 'refusal' ? 'content_filtered' : stop;
}

function usageOf({ usage: { input, cached, written, output } }: Facts): object {
  return {
    inputTokens: input - cached - written,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cached,
    cacheWriteInputTokens: written,
  };
}
