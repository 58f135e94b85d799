import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientRequestFrom, encodeEvents, namedFrames, replay } from '../../../test/support/wire/replay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { objectOf, objectsOf } from '../json-values.ts';
import { createOpenaiResponses } from './openai-responses.ts';

const wire = createOpenaiResponses({ now: () => 7000 });
const include = ['reasoning.encrypted_content'];
const unstored = clientRequestFrom(wire, { model: 'm', input: 'hi', store: false, include });
const stored = clientRequestFrom(wire, { model: 'm', input: 'hi', include });

const searched = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search' } };
const annotation = {
  type: 'url_citation',
  start_index: 2,
  end_index: 5,
  url: 'https://a.example',
  title: 'A',
};
const text = (said: string, annotations: readonly JsonObject[] = []) => ({
  ...{ type: 'output_text', text: said, annotations },
  logprobs: [],
});
const message = (id: string, phase: string, part: JsonObject) => ({
  ...{ id, type: 'message', status: 'completed', role: 'assistant', phase, content: [part] },
});
const thought = {
  ...{ id: 'rs_1', type: 'reasoning', encrypted_content: 'secret' },
  summary: [{ type: 'summary_text', text: 'Hm.' }],
};
const output: readonly JsonObject[] = [
  thought,
  message('msg_1', 'commentary', text('I look.')),
  searched,
  message('msg_2', 'commentary', text('Found.')),
  message('msg_3', 'final_answer', text('As A says.', [annotation])),
  { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 's', tools: [] },
  { id: 'hg_1', type: 'hologram_call', status: 'completed' },
];
const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
const response = { id: 'resp_1', model: 'm', status: 'completed', output, usage };

function framesOfItem(item: JsonObject, output_index: number): readonly JsonObject[] {
  const place = { output_index, item_id: item.id };
  const [part] = objectsOf(item.content);
  const at = { ...place, content_index: 0 };
  return [
    {
      type: 'response.output_item.added',
      output_index,
      item: { ...item, status: 'in_progress', content: [] },
    },
    ...(item === searched ? [{ type: 'response.web_search_call.searching', ...place }] : []),
    ...(item === thought
      ? [{ type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta: 'Hm.' }]
      : []),
    ...(part === undefined
      ? []
      : [
          { type: 'response.output_text.delta', ...at, delta: part.text },
          ...objectsOf(part.annotations).map((one) => ({
            ...{ type: 'response.output_text.annotation.added', ...at },
            ...{ annotation_index: 0, annotation: one },
          })),
          { type: 'response.content_part.done', ...at, part },
        ]),
    { type: 'response.output_item.done', output_index, item },
  ];
}

const streamed = namedFrames(
  { type: 'response.created', response: { ...response, output: [], status: 'in_progress' } },
  ...output.flatMap(framesOfItem),
  { type: 'response.completed', response },
);
const whole = Buffer.from(JSON.stringify(response));

function outputIn(text: string): readonly JsonObject[] {
  const json: unknown = JSON.parse(/^data: (\{"type":"response.completed.*)/m.exec(text)?.[1] ?? text);
  return objectsOf(objectOf(objectOf(json)?.response ?? json)?.output);
}

const besideNames = (items: readonly JsonObject[]) =>
  items.map((item) => ({ ...item, id: item.type === 'message' ? 'msg' : item.id }));

for (const [framing, bytes] of [
  ['sse', streamed],
  ['json', whole],
] as const)
  test(`items that no other format has, citations and phases stand in an answer that is written anew, read as ${framing}`, () => {
    const read = replay({ wire, framing, bytes });
    const again = outputIn(encodeEvents(wire.replyEncoder(framing, unstored), read.events));
    assert.deepEqual(besideNames(again), besideNames(output));
  });

test('what a stream says of such an item while it is made reaches the client, under the numbers of the answer', () => {
  const { events } = replay({ wire, framing: 'sse', bytes: streamed });
  const said = encodeEvents(wire.replyEncoder('sse', stored), events);
  const frames = [...said.matchAll(/^data: (.*)$/gm)].map(({ 1: json = '' }): JsonObject => JSON.parse(json));
  const ofSearch = frames.filter(({ output_index, type }) => output_index === 2 && type !== undefined);
  assert.deepEqual(
    ofSearch.map(({ type }) => type),
    ['response.output_item.added', 'response.web_search_call.searching', 'response.output_item.done'],
  );
  // Where the provider stores items, those of answers that are written anew have names of their own, all but what is encrypted.
  assert.equal(ofSearch[1]?.item_id, 'ws_resp_1_2');
  assert.partialDeepStrictEqual(ofSearch[2]?.item, { ...searched, id: 'ws_resp_1_2' });
  assert.deepEqual(
    frames.map(({ sequence_number }) => sequence_number),
    [...frames.keys()],
  );
  assert.equal(outputIn(said)[0]?.id, 'rs_1');
});

test('clients of another format get the rest, numbered through', () => {
  const { events, answer } = replay({ wire, framing: 'sse', bytes: streamed });
  const asked = clientRequestFrom(anthropicMessages, { model: 'm', max_tokens: 9, messages: [] });
  const said = encodeEvents(anthropicMessages.replyEncoder('sse', asked), events);
  assert.doesNotMatch(said, /foreign|phase|url_citation/);
  const { answer: read } = replay({ wire: anthropicMessages, framing: 'sse', bytes: Buffer.from(said) });
  const kinds = ['thinking', 'redacted_thinking', 'text', 'text', 'text'];
  assert.deepEqual(
    read?.content.map(({ type }) => type),
    kinds,
  );
  assert.deepEqual(
    [...said.matchAll(/block_start","index":(\d)/g)].map((found) => Number(found[1])),
    [0, 1, 2, 3, 4],
  );
  const json: unknown = JSON.parse(encodeEvents(anthropicMessages.replyEncoder('json', asked), events));
  assert.deepEqual(objectsOf(objectOf(json)?.content), read?.content);
  assert.equal(answer?.content.length, 8);
});
