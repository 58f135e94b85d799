import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ReplyEvent, Usage } from '../../kernel/message.ts';
import { mergeUsage } from '../../kernel/reply/answer-events.ts';
import type { JsonObject } from '../../lib/json.ts';
import { openaiChat, openaiResponses } from '../index.ts';

function usageIn(events: readonly ReplyEvent[]): Usage {
  let usage: Usage = {};
  for (const event of events) {
    if (event.type === 'message_start') usage = mergeUsage(usage, event.message.usage);
    if (event.type === 'message_delta') usage = mergeUsage(usage, event.usage);
  }
  return usage;
}

function read(wire: typeof openaiChat, framing: 'json' | 'sse', text: string): readonly ReplyEvent[] {
  const decoder = wire.replyDecoder(framing, 'milestones');
  return [...decoder.push(Buffer.from(text)), ...decoder.end()];
}

const frames = (chunks: readonly JsonObject[]) =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
const said = { index: 0, delta: { content: 'hi' }, finish_reason: null };
const stopped = { index: 0, delta: {}, finish_reason: 'stop' };

/** The same usage, in one piece and at the end of a stream. */
function ofChat(usage: JsonObject, beside: JsonObject = {}): Usage {
  const choices = [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }];
  const whole = usageIn(read(openaiChat, 'json', JSON.stringify({ choices, usage, ...beside })));
  const chunks = [{ choices: [said] }, { choices: [stopped] }, { choices: [], usage, ...beside }];
  const streamed = usageIn(read(openaiChat, 'sse', `${frames(chunks)}data: [DONE]\n\n`));
  assert.deepEqual(streamed, whole);
  return whole;
}

function ofResponses(response: JsonObject): Usage {
  const whole = { status: 'completed', output: [], ...response };
  const usage = usageIn(read(openaiResponses, 'json', JSON.stringify(whole)));
  const event = { type: 'response.completed', response: whole };
  assert.deepEqual(
    usageIn(read(openaiResponses, 'sse', `event: response.completed\n${frames([event])}`)),
    usage,
  );
  return usage;
}

const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

describe('what was read from a cache is part of the prompt', () => {
  const places: readonly JsonObject[] = [
    { prompt_tokens_details: { cached_tokens: 64 } },
    { cache_read_input_tokens: 64 },
    { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { cached_tokens: 64 },
    { num_cached_tokens: 64 },
  ];
  for (const place of places)
    test(`as ${Object.keys(place)[0]} tells it`, () => {
      const usage = ofChat({ ...counts, ...place });
      assert.deepEqual([usage.input_tokens, usage.cache_read_input_tokens], [36, 64]);
    });

  test('unless there is more of it: then it came on top, or is no count at all', () => {
    const prompt_tokens_details = { cached_tokens: 130 };
    for (const total of [{}, { total_tokens: 250 }]) {
      const usage = ofChat({ prompt_tokens: 100, completion_tokens: 20, ...total, prompt_tokens_details });
      assert.deepEqual(
        [usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens],
        [100, 130, 20],
      );
    }
    const usage = ofChat({ ...counts, prompt_tokens_details });
    assert.deepEqual([usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens], [100, 0, 20]);
    const response = ofResponses({
      usage: { input_tokens: 100, output_tokens: 20, input_tokens_details: { cached_tokens: 130 } },
    });
    assert.deepEqual([response.input_tokens, response.cache_read_input_tokens], [100, 130]);
  });

  test('and so is what was written to it', () => {
    const usage = ofChat({ ...counts, prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 60 } });
    assert.deepEqual(
      [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens],
      [30, 10, 60],
    );
  });
});

test('what stays in a cache for twelve hours counts apart from what stays for half an hour', () => {
  const details = {
    ...{ cached_tokens: 10, cache_write_tokens: 60 },
    cache_write_tokens_details: { ttl_30m_tokens: 20, ttl_12h_tokens: 40 },
  };
  const lifetimes = { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 40 };
  assert.deepEqual(ofChat({ ...counts, prompt_tokens_details: details }).cache_creation, lifetimes);
  const usage = { input_tokens: 100, output_tokens: 20, input_tokens_details: details };
  assert.deepEqual(ofResponses({ usage }).cache_creation, lifetimes);
  const short = { ...details, cache_write_tokens_details: { ttl_30m_tokens: 60, ttl_12h_tokens: 0 } };
  assert.ok(!('cache_creation' in ofResponses({ usage: { ...usage, input_tokens_details: short } })));
  // More than was written at all is no count.
  const odd = { ...details, cache_write_tokens_details: { ttl_12h_tokens: 99 } };
  assert.deepEqual(ofChat({ ...counts, prompt_tokens_details: odd }).cache_creation, {
    ...{ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 60 },
  });
});

describe('what a model thought is part of the output', () => {
  test('where the completion includes it', () => {
    const usage = ofChat({ ...counts, completion_tokens_details: { reasoning_tokens: 15 } });
    assert.deepEqual([usage.output_tokens, usage.output_tokens_details], [20, { thinking_tokens: 15 }]);
  });

  test('where the completion leaves it out and the total has it', () => {
    const usage = ofChat({
      ...counts,
      total_tokens: 150,
      completion_tokens_details: { reasoning_tokens: 30 },
    });
    assert.deepEqual([usage.output_tokens, usage.output_tokens_details], [50, { thinking_tokens: 30 }]);
  });

  test('where only the total gives it away', () => {
    const usage = ofChat({ prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 });
    assert.deepEqual([usage.output_tokens, usage.output_tokens_details], [74, { thinking_tokens: 62 }]);
  });
});

describe('what else is billed', () => {
  test('is sound, in both directions', () => {
    const usage = ofChat({
      ...counts,
      prompt_tokens_details: { audio_tokens: 25 },
      completion_tokens_details: { audio_tokens: 5 },
    });
    assert.deepEqual([usage.input_audio_tokens, usage.output_audio_tokens], [25, 5]);
    assert.ok(!('input_audio_tokens' in ofChat({ ...counts, prompt_tokens_details: { audio_tokens: 0 } })));
  });

  test('is sound that the prompt leaves out and the total has', () => {
    const reports: readonly JsonObject[] = [
      { prompt_audio_seconds: 30 },
      { prompt_tokens_details: { audio_tokens: 375 } },
      { prompt_audio_seconds: 30, prompt_tokens_details: { audio_tokens: 375, cached_tokens: 0 } },
      { audio_tokens: 375 },
    ];
    for (const sound of reports) {
      const usage = ofChat({ prompt_tokens: 3, completion_tokens: 1, total_tokens: 379, ...sound });
      assert.deepEqual([usage.input_tokens, usage.output_tokens, usage.input_audio_tokens], [378, 1, 375]);
      assert.equal(usage.output_tokens_details, undefined);
    }
    const silent = ofChat({ ...counts, prompt_audio_seconds: {} });
    assert.deepEqual([silent.input_tokens, silent.output_tokens], [100, 20]);
    const untold = ofChat({
      prompt_tokens: 3,
      completion_tokens: 1,
      prompt_tokens_details: { audio_tokens: 9 },
    });
    assert.deepEqual([untold.input_tokens, untold.input_audio_tokens], [12, 9]);
  });

  test('is a tier that had to be asked for', () => {
    assert.equal(ofChat(counts, { service_tier: 'priority' }).service_tier, 'priority');
    for (const usual of ['default', 'auto', 'on_demand', '', null])
      assert.ok(!('service_tier' in ofChat(counts, { service_tier: usual })));
    assert.ok(!('service_tier' in ofChat({ ...counts, service_tier: 'standard' })));
    const usage = { input_tokens: 1, output_tokens: 1 };
    assert.equal(ofResponses({ usage, service_tier: 'flex' }).service_tier, 'flex');
  });

  test('is each search, but not each page that was opened', () => {
    const output = [
      { type: 'web_search_call', action: { type: 'search' } },
      { type: 'web_search_call', action: { type: 'open_page' } },
      { type: 'web_search_call' },
      { type: 'file_search_call' },
    ];
    const usage = { input_tokens: 1, output_tokens: 1 };
    assert.deepEqual(ofResponses({ usage, output }).server_tool_use, {
      web_search_requests: 2,
      file_search_requests: 1,
    });
    assert.ok(!('server_tool_use' in ofResponses({ usage })));
    // What the provider counts itself is believed.
    const tool_usage = { web_search: { num_requests: 1 } };
    assert.equal(ofResponses({ usage, output, tool_usage }).server_tool_use?.web_search_requests, 1);
  });

  test('is a search with the preview, which has its own price, and a tool without a known price', () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const tools = [{ type: 'web_search_preview_2025_03_11' }, { type: 'code_interpreter' }];
    const output = [{ type: 'web_search_call' }, { type: 'code_interpreter_call' }];
    assert.deepEqual(ofResponses({ usage, tools, output }).server_tool_use, {
      ...{ preview_search_requests: 1, file_search_requests: 0, unpriced_requests: 1 },
    });
  });
});

describe('what a provider says that a call cost', () => {
  test('is kept in dollars', () => {
    assert.equal(ofChat({ ...counts, cost: 0.0125, is_byok: false }).cost, 0.0125);
    const usage = { input_tokens: 1, output_tokens: 1, cost_in_usd_ticks: 6_881_000 };
    assert.equal(ofResponses({ usage }).cost, 0.0006881);
  });

  test("includes what the caller's own key pays at the vendor", () => {
    const usage = { ...counts, cost: 0.001, is_byok: true, cost_details: { upstream_inference_cost: 0.02 } };
    assert.equal(ofChat(usage).cost, 0.021);
  });

  test('is left out where it is no amount', () => {
    assert.ok(!('cost' in ofChat({ ...counts, cost: { total_cost: 1 } })));
  });
});

describe('an answer that breaks off', () => {
  test('costs what its error says that it cost', () => {
    const failed = { choices: [said], error: { code: 400, message: 'limit' }, usage: counts };
    const events = read(openaiChat, 'sse', frames([{ choices: [said] }, failed]));
    assert.equal(usageIn(events).output_tokens, 20);
    assert.equal(events.at(-1)?.type, 'error');
  });

  test('costs what was said before, where that is said as it goes', () => {
    const events = read(openaiChat, 'sse', frames([{ choices: [said], usage: counts }]));
    assert.equal(usageIn(events).output_tokens, 20);
    assert.ok(!events.some(({ type }) => type === 'message_stop'));
  });

  test('says nothing of usage before it has begun, so that the error can still be handled', () => {
    const failed = { error: { code: 500, message: 'no' }, usage: counts };
    assert.deepEqual(
      read(openaiChat, 'sse', frames([failed])).map(({ type }) => type),
      ['error'],
    );
  });

  test('costs what a failed response says', () => {
    const item = { type: 'message', id: 'm', content: [] };
    const part = {
      type: 'response.output_text.delta',
      item_id: 'm',
      output_index: 0,
      content_index: 0,
      delta: 'hi',
    };
    const failed = { status: 'failed', error: { code: 'server_error', message: 'no' } };
    const text = [
      { type: 'response.created', response: { id: 'r', status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item },
      part,
      { type: 'response.failed', response: { ...failed, usage: { input_tokens: 5, output_tokens: 7 } } },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');
    const events = read(openaiResponses, 'sse', text);
    assert.equal(usageIn(events).output_tokens, 7);
    assert.equal(events.at(-1)?.type, 'error');
  });
});
