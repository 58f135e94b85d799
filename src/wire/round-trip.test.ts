import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  conversations,
  plainThinking,
  signedThinking,
  toolInput,
} from '../../test/support/wire/conversations.ts';
import { clientRequestFrom, encodeEvents, replay } from '../../test/support/wire/replay.ts';
import { parseBody } from '../kernel/json/parse-body.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import { answerToEvents } from '../kernel/reply/answer-events.ts';
import type { WireFormat } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';
import {
  anthropicMessages,
  gemini,
  geminiInteractions,
  openaiChat,
  openaiResponses,
  wireFormats,
} from './index.ts';
import { limits } from './limits.ts';

const trips = [
  { wire: anthropicMessages, model: 'claude-sonnet-4-5', thinking: signedThinking },
  { wire: openaiChat, model: 'some-model', thinking: plainThinking },
  { wire: openaiChat, model: 'anthropic/claude-opus-4.8', thinking: signedThinking },
  { wire: openaiResponses, model: 'some-model', thinking: plainThinking },
];

function encode(wire: WireFormat, request: ChatRequest): JsonObject {
  return parseBody(wire.encodeRequest(request).body);
}

/** One format needs a limit, another knows no stop sequences and has a least limit. */
function expressibleIn(wire: WireFormat, request: ChatRequest): ChatRequest {
  const { stop_sequences: _, ...rest } = request;
  if (wire === openaiResponses)
    return { ...rest, ...(rest.max_tokens !== undefined && { max_tokens: Math.max(16, rest.max_tokens) }) };
  return wire === anthropicMessages ? { max_tokens: 8192, ...request } : request;
}

function conversationIn(body: JsonObject): readonly unknown[] {
  const said = body.messages ?? body.input ?? body.contents;
  return Array.isArray(said) ? said : [];
}

for (const { wire, model, thinking } of trips)
  test(`a conversation for ${model} written in ${wire.name} reads back as it was`, () => {
    fc.assert(
      fc.property(conversations({ model, thinking, turnsMax: 6 }), (request) => {
        assert.deepEqual(wire.decodeRequest(encode(wire, request)), expressibleIn(wire, request));
      }),
      { numRuns: 200 },
    );
  });

for (const { wire, model, thinking } of [
  ...trips,
  { wire: gemini, model: 'gemini-3-pro-preview', thinking: plainThinking },
  { wire: geminiInteractions, model: 'gemini-3-pro-preview', thinking: plainThinking },
])
  test(`for ${model} in ${wire.name}, what was said stays as it was sent while the conversation grows`, () => {
    fc.assert(
      fc.property(conversations({ model, thinking, turnsMax: 20 }), (request) => {
        const whole = JSON.stringify(conversationIn(encode(wire, request))).slice(0, -1);
        for (let length = 1; length < request.messages.length; length += 2) {
          const earlier = JSON.stringify(
            conversationIn(encode(wire, { ...request, messages: request.messages.slice(0, length) })),
          );
          assert.ok(whole.startsWith(earlier.slice(0, -1)));
        }
      }),
      { numRuns: 50 },
    );
  });

test('a conversation carried through every format in turn keeps its tool calls and their results', () => {
  const path = [
    anthropicMessages,
    openaiChat,
    openaiResponses,
    gemini,
    geminiInteractions,
    anthropicMessages,
    geminiInteractions,
    openaiResponses,
    gemini,
    openaiChat,
  ];
  const asked = { model: 'm', stream: false };
  fc.assert(
    fc.property(conversations({ model: 'm', thinking: plainThinking, turnsMax: 20 }), (request) => {
      const end = path.reduce((carried, wire) => wire.decodeRequest(encode(wire, carried), asked), request);
      assert.deepEqual(toolsIn(end), toolsIn(request));
    }),
    { numRuns: 100 },
  );
});

function toolsIn({ messages }: ChatRequest) {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return blocks.filter((block) => block.type === 'tool_use' || block.type === 'tool_result');
}

/** Two of them together are still a count that is believed. */
const tokens = fc.nat(limits.reportedCountMax / 4);
const word = fc.string({ minLength: 1, unit: 'grapheme' });

const answers: fc.Arbitrary<Answer> = fc
  .record({
    thinking: fc.option(signedThinking),
    text: fc.option(word),
    tools: fc.array(fc.tuple(word, toolInput), { maxLength: 3 }),
    stop: fc.constantFrom('end_turn', 'max_tokens'),
    usage: fc.record({ input_tokens: tokens, output_tokens: tokens, cache_read_input_tokens: tokens }),
  })
  .map(({ thinking, text, tools, stop, usage }) => ({
    id: 'resp_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      ...(thinking === null ? [] : [thinking]),
      ...(text === null ? [] : [{ type: 'text', text } as const]),
      ...tools.map(([name, input], at) => ({ type: 'tool_use', id: `call_${at}`, name, input }) as const),
    ],
    stop_reason: tools.length > 0 ? 'tool_use' : stop,
    stop_sequence: null,
    usage: { ...usage, output_tokens_details: { thinking_tokens: 0 } },
  }));

for (const wire of wireFormats)
  for (const framing of ['json', 'sse'] as const)
    test(`an answer written in ${wire.name} as ${framing} reads back as it was, whatever the cuts`, () => {
      const asked = clientRequestFrom(wire, { model: 'm', stream_options: { include_usage: true } });
      fc.assert(
        fc.property(answers, fc.array(fc.nat(2000)), (answer, cuts) => {
          const bytes = Buffer.from(encodeEvents(wire.replyEncoder(framing, asked), answerToEvents(answer)));
          const inside = [...new Set(cuts)].filter((cut) => cut < bytes.length).sort((a, b) => a - b);
          const { answer: read, finished } = replay({ wire, framing, bytes }, inside);
          assert.deepEqual([read, finished], [answer, true]);
        }),
      );
    });
