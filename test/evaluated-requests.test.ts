import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { lossesOf } from '../measure/eval/wire/asked/compare.ts';
import { chat } from '../measure/eval/wire/chat.ts';
import { exclusionOf } from '../measure/eval/wire/exclusions.ts';
import { messages } from '../measure/eval/wire/messages.ts';
import { recordingsOf } from '../measure/eval/wire/recordings.ts';
import { anthropicRefusals } from '../measure/eval/wire/refusals/anthropic.ts';
import { mistralRefusals } from '../measure/eval/wire/refusals/compatible.ts';
import { openaiChatRefusals } from '../measure/eval/wire/refusals/openai.ts';
import { type Refusal, refusalsOf } from '../measure/eval/wire/refusals/refusal.ts';
import type { JsonObject } from '../src/lib/json.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const asked: JsonObject = {
  model: 'any',
  max_tokens: 100,
  temperature: 0.5,
  stop_sequences: ['END'],
  system: [{ type: 'text', text: 'Be brief.' }],
  tools: [{ name: 'weather', description: 'Tells the weather.', input_schema: schema }],
  tool_choice: { type: 'any' },
  messages: [
    { role: 'user', content: 'How is it in Rome?' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Rome, Italy.', signature: 'c2ln' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Rome' } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'call_1',
          content: [
            { type: 'text', text: 'Sunny' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aWNvbg==' } },
          ],
        },
      ],
    },
  ],
};

const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,aWNvbg==' } };
const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } };
const faithful: JsonObject = {
  model: 'any',
  max_tokens: 100,
  temperature: 0.5,
  stop: ['END'],
  tools: [
    {
      type: 'function',
      function: { name: 'weather', description: 'Tells the weather.', parameters: schema },
    },
  ],
  tool_choice: 'required',
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How is it in Rome?' },
    { role: 'assistant', content: 'Let me look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
    { role: 'user', content: [{ type: 'text', text: 'Returned by tool call call_1:' }, picture] },
  ],
};

function losses(got: JsonObject, dropped: readonly string[]): readonly string[] {
  return lossesOf(
    { asked: messages.asked(asked), body: asked },
    { asked: chat.asked(got), body: got },
    dropped,
  );
}

/** The faithful translation with one message replaced, or left out. */
function withMessage(at: number, message?: JsonObject): JsonObject {
  const all = Array.isArray(faithful.messages) ? faithful.messages : [];
  return { ...faithful, messages: all.toSpliced(at, 1, ...(message === undefined ? [] : [message])) };
}

const listed = ['messages[].content[].thinking'];

test('a faithful translation has lost nothing but what is listed', () => {
  assert.deepEqual(losses(faithful, listed), []);
  assert.match(losses(faithful, []).join(), /^thoughts/);
});

const mistakes: readonly (readonly [string, JsonObject, RegExp])[] = [
  ['an instruction is lost', withMessage(0), /system text is missing/],
  [
    'a text is another',
    withMessage(1, { role: 'user', content: 'How is it in Bari?' }),
    /text of the user is missing/,
  ],
  [
    'a text is there twice',
    withMessage(1, { role: 'user', content: 'How is it in Rome? How is it in Rome?' }),
    /that nobody wrote/,
  ],
  [
    'thoughts become words',
    withMessage(2, { role: 'assistant', content: 'Rome, Italy. Let me look.', tool_calls: [call] }),
    /text of the assistant that nobody wrote/,
  ],
  [
    'arguments change',
    withMessage(2, {
      role: 'assistant',
      content: 'Let me look.',
      tool_calls: [{ ...call, function: { name: 'weather', arguments: '{}' } }],
    }),
    /calls/,
  ],
  [
    'a result goes to another call',
    withMessage(3, { role: 'tool', tool_call_id: 'call_2', content: 'Sunny' }),
    /pairing/,
  ],
  ['a result is lost', withMessage(3), /number of results/],
  ['a picture is lost', withMessage(4), /media/],
  ['a tool is lost', { ...faithful, tools: undefined }, /names of tools/],
  ['a limit is lost', { ...faithful, max_tokens: undefined }, /limit of the answer/],
  ['a stop sequence is lost', { ...faithful, stop: undefined }, /stop sequences/],
  ['the temperature is lost', { ...faithful, temperature: undefined }, /temperature/],
  ['the choice of a tool is lost', { ...faithful, tool_choice: 'auto' }, /choice of a tool/],
];

for (const [what, got, fault] of mistakes)
  test(`the evaluation sees when ${what}`, () => {
    assert.match(losses(JSON.parse(JSON.stringify(got)), listed).join('\n'), fault);
  });

test('what the header lists is no loss', () => {
  assert.deepEqual(losses({ ...faithful, stop: undefined }, [...listed, 'stop_sequences']), []);
});

function refused(rules: readonly Refusal[], model: string, body: JsonObject): string {
  const { asked: read } = rules === anthropicRefusals ? messages : chat;
  const sent = { body, asked: read(body) };
  return refusalsOf(rules, { provider: 'it', model, speaks: [], refusals: rules }, sent, read(body)).join(
    '\n',
  );
}

test('what providers are known to refuse is seen, and what they take is not', () => {
  assert.equal(refused(openaiChatRefusals, 'gpt-4o', { ...faithful, max_tokens: 100 }), '');
  assert.match(refused(openaiChatRefusals, 'gpt-5-mini', faithful), /stop with a model that reasons/);
  assert.match(refused(mistralRefusals, 'mistral-large-2512', faithful), /nine letters and digits/);
  assert.equal(refused(anthropicRefusals, 'claude-sonnet-4-5', asked), '');
  assert.match(
    refused(anthropicRefusals, 'claude-sonnet-4-5', { ...asked, top_p: 0.9 }),
    /together with top_p/,
  );
  assert.match(refused(anthropicRefusals, 'claude-opus-4-8', asked), /temperature, top_p or top_k at all/);
});

test('recordings that can not be used are told apart, and a placeholder for the host is none of them', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-recordings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'some'));
  const url = 'https://{placeholder host}/v1/messages';
  const content = [{ type: 'text', text: 'Yes.' }];
  const usage = { input_tokens: 1, output_tokens: 1 };
  const body = {
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content,
    stop_reason: 'end_turn',
    usage,
  };
  const recorded = (request: unknown, response: object) =>
    JSON.stringify({
      id: 'one',
      provider: 'anthropic',
      request: { method: 'POST', url, body: request },
      response,
    });
  const right = { status: 200, headers: {}, kind: 'json', body };
  const question = { model: 'claude-sonnet-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] };
  const lines = [
    recorded(question, right),
    recorded('no JSON at all', right),
    recorded(question, { ...right, kind: 'sse', body: 'data: {half a docum\n\n' }),
  ];
  writeFileSync(join(folder, 'some', 'anthropic.messages.jsonl'), lines.join('\n'));
  const reasons = recordingsOf(folder, messages).map((recording) => exclusionOf(recording)?.what);
  assert.deepEqual(reasons, [
    undefined,
    'requests whose body is no JSON',
    'answers that are not what their type says',
  ]);
});
