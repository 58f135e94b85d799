import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientRequestFrom } from '../../../test/support/wire/replay.ts';
import type { ChatRequest, Message } from '../../kernel/message.ts';
import type { WireFormat } from '../../kernel/wire-format.ts';
import type { JsonObject } from '../../lib/json.ts';
import { openaiResponsesCompact } from './compact-format.ts';
import { openaiResponses } from './openai-responses.ts';

const question = { role: 'user', content: 'How high is the Isar?' };
const trigger = { type: 'compaction_trigger' };
const compaction = { type: 'compaction', encrypted_content: 'gAAAA' };

/** The input that is sent after a module has added a text to the last message. */
function inputWithHint(wire: WireFormat, input: readonly JsonObject[]): unknown {
  const clientRequest = clientRequestFrom(wire, { model: 'gpt-5', input });
  const { request } = clientRequest;
  const messages = request.messages.map((message, at): Message => {
    if (at < request.messages.length - 1 || typeof message.content === 'string') return message;
    return { ...message, content: [...message.content, { type: 'text', text: 'A hint.' }] };
  });
  const { body } = wire.encodeRequest({ ...request, messages }, clientRequest);
  return JSON.parse(Buffer.from(body).toString()).input;
}

const hinted = {
  type: 'message',
  role: 'user',
  content: [
    { type: 'input_text', text: 'How high is the Isar?' },
    { type: 'input_text', text: 'A hint.' },
  ],
};

test('a trigger stays the last item when a module adds a text', () => {
  assert.deepEqual(inputWithHint(openaiResponses, [question, trigger]), [hinted, trigger]);
});

test('the endpoint gets no trigger when a module adds a text', () => {
  assert.deepEqual(inputWithHint(openaiResponsesCompact, [question]), [hinted]);
});

test('items before an answered trigger are left out, except for instructions', () => {
  const system = { role: 'developer', content: 'Answer in metres.' };
  const newest = { role: 'user', content: 'Does it rise?' };
  const input = [system, question, trigger, compaction, newest];
  const { system: instructions, messages }: ChatRequest = openaiResponses.decodeRequest({
    model: 'gpt-5',
    input,
  });
  assert.equal(instructions, 'Answer in metres.');
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['assistant', 'user'],
  );
});

test('items before a compaction without a trigger stay', () => {
  const { messages } = openaiResponses.decodeRequest({ model: 'gpt-5', input: [question, compaction] });
  assert.equal(messages.length, 2);
});
