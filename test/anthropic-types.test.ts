import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { GatewayError } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { bedrockConverse } from '../src/wire/bedrock-converse/bedrock-converse.ts';
import { anthropicMessages, gemini, openaiChat, openaiResponses } from '../src/wire/index.ts';
import {
  answerBlocks,
  assistantBlocks,
  deltas,
  providerTools,
  requestFields,
  resultBlocks,
  stopReasons,
  systemMessages,
  thinkingSettings,
  usage,
  userBlocks,
  wholeAnswer,
} from './support/anthropic-samples.ts';
import { at } from './support/at.ts';
import { call } from './support/call.ts';
import { shareScriptedGateways } from './support/scripted-gateway.ts';

const gateway = shareScriptedGateways();
const WEIR_MODULES = fileURLToPath(import.meta.resolve('./support/editing-modules.ts'));
const hello = { role: 'user', content: 'Hello' };
const tools = [...requestFields.tools, ...Object.values(providerTools)];
const messages = [
  { role: 'user', content: Object.values(userBlocks) },
  { role: 'assistant', content: Object.values(assistantBlocks) },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: Object.values(resultBlocks) }],
  },
  ...systemMessages,
  hello,
];
const whole = { ...requestFields, messages, tools };

async function post(pipeline: string, body: object, answer: object = wholeAnswer) {
  const { weir, fake } = await gateway({ WEIR_MODULES });
  fake.answerWith({ body: answer });
  const headers = ['x-weir-pipeline', pipeline, 'anthropic-version', '2026-10-21'];
  const answered = await call(weir.url, { path: '/v1/messages', headers, body });
  assert.equal(answered.status, 200, answered.text);
  return { answered, sent: fake.last };
}

describe('to Anthropic, every field, block and tool of its SDK', () => {
  test('arrives byte for byte', async () => {
    const { answered, sent } = await post('none', whole);
    assert.equal(sent.bytes.toString(), JSON.stringify(whole));
    assert.equal(answered.text, JSON.stringify(wholeAnswer));
  });

  test('arrives unchanged beside the edit of a module', async () => {
    const { answered, sent } = await post('hinter', whole);
    assert.equal(answered.status, 200, answered.text);
    const { messages: edited, ...fields } = sent.json;
    const { messages: _, ...sentFields } = whole;
    assert.deepEqual(fields, sentFields);
    assert.ok(Array.isArray(edited));
    assert.deepEqual(edited.slice(0, -1), messages.slice(0, -1).map(withHint(edited)));
    assert.match(JSON.stringify(edited.at(-1)), /Hint \d+\./);
    assert.equal(answered.headers['x-weir-dropped'], undefined);
  });

  test('comes back unchanged through a module that reads the answer', async () => {
    const { answered } = await post('teller', whole);
    assert.equal(answered.status, 200, answered.text);
    assert.deepEqual(answered.json, wholeAnswer);
  });

  test('is accepted with max_tokens 0, which fills the cache only', async () => {
    const { answered, sent } = await post('hinter', { ...whole, max_tokens: 0 });
    assert.deepEqual([answered.status, sent.json.max_tokens], [200, 0], answered.text);
  });
});

/** The hint that a first turn got, which is the module's edit. */
function withHint(edited: readonly unknown[]) {
  return (message: object, index: number) => (index === 0 ? edited[0] : message);
}

describe('to other formats, every field, block and tool of its SDK', () => {
  const formats = [openaiChat, openaiResponses, gemini, bedrockConverse];

  function translate(body: JsonObject): readonly { readonly json: JsonObject; readonly dropped: string }[] {
    return formats.map((format) => {
      const request = anthropicMessages.decodeRequest({
        model: 'a',
        max_tokens: 99,
        messages: [hello],
        ...body,
      });
      const { body: encoded, dropped } = format.encodeRequest(request);
      return { json: JSON.parse(Buffer.from(encoded).toString()), dropped: dropped.join(' ') };
    });
  }

  function assertDropped(body: JsonObject, expected: string): void {
    for (const { dropped } of translate(body)) assert.equal(dropped, expected, JSON.stringify(body));
  }

  function assertRefused(body: JsonObject, param: string): void {
    assert.throws(
      () => translate(body),
      (error) =>
        GatewayError.is(error) && error.code === 'format_not_supported' && error.details.param === param,
    );
  }

  test('is dropped and told, if it is a field', () => {
    for (const field of [
      ...([
        'cache_control',
        'container',
        'context_management',
        'diagnostics',
        'fallback_credit_token',
      ] as const),
      ...(['fallbacks', 'inference_geo', 'mcp_servers', 'service_tier', 'speed'] as const),
    ])
      assertDropped({ [field]: requestFields[field] }, field);
    assertDropped({ output_config: requestFields.output_config }, 'output_config.task_budget');
    assertDropped({ thinking: thinkingSettings.between_tools }, 'thinking.between_tools');
    for (const { dropped } of translate({ thinking: thinkingSettings.adaptive }).with(2, {
      json: {},
      dropped: 'thinking.display',
    }))
      assert.equal(dropped, 'thinking.display');
    assertDropped({ thinking: thinkingSettings.enabled }, '');
    assertDropped({ thinking: thinkingSettings.disabled }, '');
    assertRefused({ compaction: requestFields.compaction }, 'compaction');
    assertRefused({ max_tokens: 0 }, 'max_tokens');
  });

  test('is dropped and told, if it is a tool of the provider', () => {
    for (const tool of Object.values(providerTools)) assertDropped({ tools: [tool] }, `tools[].${tool.type}`);
  });

  test('is dropped and told, if it is a block of a server tool', () => {
    const {
      text: _,
      thinking,
      redacted_thinking,
      tool_use,
      compaction,
      fallback,
      tool_addition,
      tool_removal,
      ...rest
    } = assistantBlocks;
    for (const block of Object.values(rest))
      assertDropped(
        { messages: [hello, { role: 'assistant', content: [block, { type: 'text', text: 'Hi.' }] }, hello] },
        `messages[].content[].${block.type}`,
      );
    assertDropped(
      {
        messages: [
          hello,
          { role: 'assistant', content: [tool_use, fallback, tool_addition, tool_removal] },
          hello,
        ],
      },
      '',
    );
    assert.ok(thinking && redacted_thinking && compaction);
  });

  test('is refused, if it is content that only Anthropic can read', () => {
    assertRefused(
      { messages: [{ role: 'user', content: [userBlocks.container_upload] }] },
      'messages[].content[].container_upload',
    );
    const content = [{ type: 'tool_result', tool_use_id: 'a', content: [resultBlocks.browser_state] }];
    assertRefused({ messages: [{ role: 'user', content }] }, 'messages[].content[].browser_state');
  });

  test('a compaction replaces the messages before it', () => {
    const compacted = { role: 'assistant', content: [assistantBlocks.compaction] };
    const failed = { role: 'assistant', content: [{ type: 'compaction', content: null }] };
    const before = { role: 'user', content: 'Forgotten' };
    for (const { json, dropped } of translate({ messages: [before, compacted, failed, hello] })) {
      assert.match(JSON.stringify(json), /Ann asked about the Isar/);
      assert.doesNotMatch(JSON.stringify(json), /Forgotten|compaction|opaque/);
      assert.equal(dropped, '');
    }
  });

  test('tools come and go with the blocks of the conversation', () => {
    const level = { name: 'level', input_schema: { type: 'object' } };
    const byName = { type: 'tool_reference', name: 'level' };
    const change = (type: string, tool: object) => ({ role: 'system', content: [{ type, tool }] });
    const namesIn = (json: JsonObject) =>
      [...JSON.stringify(json).matchAll(/"name":"(level|added)"/g)].map(([, name]) => name);
    const removed = change('tool_removal', byName);
    const added = { role: 'system', content: [assistantBlocks.tool_addition] };
    const namesAfter = (...changes: readonly object[]) =>
      translate({ tools: [level], messages: [hello, ...changes, hello] }).map(({ json }) => namesIn(json));
    assert.deepEqual(namesAfter(removed), [[], [], [], []]);
    assert.deepEqual(namesAfter(removed, change('tool_addition', byName))[0], ['level']);
    assert.deepEqual(namesAfter(added)[0], ['level', 'added']);
  });

  test('a system message sets the effort from there on', () => {
    const [, settings] = systemMessages;
    const [chat, responses, google] = translate({
      output_config: { effort: 'low' },
      messages: [hello, settings, hello],
    });
    assert.equal(chat?.json.reasoning_effort, 'xhigh');
    assert.equal(at(responses?.json, 'reasoning', 'effort'), 'xhigh');
    assert.equal(at(google?.json, 'contents', '0', 'parts', '1', 'text'), 'Hello');
  });
});

describe('from Anthropic, every block, stop reason and usage of its SDK', () => {
  const paths = {
    chat: '/v1/chat/completions',
    responses: '/v1/responses',
    gemini: '/v1beta/models/claude-sonnet-5-5:generateContent',
  };
  const questions = {
    chat: { model: 'claude-sonnet-5-5', messages: [hello] },
    responses: { model: 'claude-sonnet-5-5', input: 'Hello' },
    gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  };
  const frames = (answer: object) =>
    eventsOf(answer).map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

  for (const name of ['chat', 'responses', 'gemini'] as const)
    test(`is read by a ${name} client`, async () => {
      const { weir, fake } = await gateway({ WEIR_MODULES });
      for (const stop_reason of Object.keys(stopReasons)) {
        fake.answerWith({ body: { ...wholeAnswer, stop_reason } });
        const answered = await call(weir.url, { path: paths[name], body: questions[name] });
        assert.equal(answered.status, 200, answered.text);
        assert.match(answered.text, /It is high\./);
        if (stop_reason === 'refusal')
          assert.match(answered.text, /content_filter|SAFETY|This may help to build a model/);
      }
    });

  test('is collected from a stream by the SDK', async () => {
    const { weir, fake } = await gateway({ WEIR_MODULES });
    fake.answerWith({ headers: { 'content-type': 'text/event-stream' }, chunks: frames(wholeAnswer) });
    const client = new Anthropic({ baseURL: weir.url, apiKey: 'any', maxRetries: 0 });
    for (const pipeline of ['none', 'teller']) {
      const message = await client.beta.messages
        .stream(
          { ...requestFields, messages: [{ role: 'user', content: 'Hello' }] },
          { headers: { 'x-weir-pipeline': pipeline } },
        )
        .finalMessage();
      assert.deepEqual(
        message.content.map(({ type }) => type),
        Object.keys(answerBlocks),
      );
      assert.deepEqual(
        message.content.find(({ type }) => type === 'compaction'),
        answerBlocks.compaction,
      );
      assert.deepEqual(message.usage.iterations, usage.iterations);
      assert.equal(message.stop_details?.category, 'frontier_llm');
    }
  });

  test('is decoded with every delta', () => {
    const decoder = anthropicMessages.replyDecoder('sse', 'everything');
    for (const delta of Object.values(deltas)) {
      const event = { type: 'content_block_delta', index: 0, delta };
      const frame = `event: content_block_delta\ndata: ${JSON.stringify(event)}\n\n`;
      assert.deepEqual(decoder.push(Buffer.from(frame)), [event]);
    }
  });

  test('is metered with its iterations, speed and place', async () => {
    const { answered } = await post('none', whole);
    assert.equal(answered.status, 200);
    const decoded = anthropicMessages.replyDecoder('json', 'everything');
    const events = [...decoded.push(Buffer.from(JSON.stringify(wholeAnswer))), ...decoded.end()];
    const [start] = events;
    assert.ok(start?.type === 'message_start');
    const { output_tokens: _, ...counted } = start.message.usage;
    const { output_tokens: __, ...expected } = usage;
    assert.deepEqual(counted, expected);
  });
});

/** The events of a stream with this answer: a compaction comes in a delta. */
function eventsOf(answer: typeof wholeAnswer | object): readonly (JsonObject & { readonly type: string })[] {
  const { content, stop_reason, stop_details, usage: counts, ...head } = { ...wholeAnswer, ...answer };
  return [
    {
      type: 'message_start',
      message: {
        ...head,
        content: [],
        stop_reason: null,
        stop_details: null,
        usage: { ...counts, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index) => [
      {
        type: 'content_block_start',
        index,
        content_block:
          block.type === 'compaction' ? { ...block, content: null, encrypted_content: null } : block,
      },
      ...(block.type === 'compaction'
        ? [
            {
              type: 'content_block_delta',
              index,
              delta: {
                type: 'compaction_delta',
                content: block.content,
                encrypted_content: block.encrypted_content,
              },
            },
          ]
        : []),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null, stop_details }, usage: counts },
    { type: 'message_stop' },
  ];
}
