import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clientRequestFrom } from '../../test/support/wire/replay.ts';
import { GatewayError } from '../kernel/errors.ts';
import type { Answer, ReplyEvent, Usage } from '../kernel/message.ts';
import type { Target } from '../kernel/provider.ts';
import { answerToEvents, milestoneEvents } from '../kernel/reply/answer-events.ts';
import type { Ending } from '../kernel/reply/ending.ts';
import type { UnreadContent, WireFormat } from '../kernel/wire-format.ts';
import type { JsonObject } from '../lib/json.ts';
import { openaiCompatible } from '../providers/openai-compatible.ts';
import { anthropicMessages, openaiChat } from '../wire/index.ts';
import { Meter } from './meter.ts';

const text = 'A weir is a low wall across a river that holds its water back. '.repeat(10);
const aborted: Ending = { how: 'aborted' };
const complete: Ending = { how: 'complete' };
const nothing: UnreadContent = { tokens: 0, calls: 0 };

function answer(usage: Usage, content: Answer['content'] = [{ type: 'text', text }]): Answer {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  };
}

interface MeteredReply {
  readonly events?: Iterable<ReplyEvent>;
  readonly ending?: Ending;
  readonly wire?: WireFormat;
  readonly request?: JsonObject;
  readonly unread?: UnreadContent;
}

function metered({
  events = [],
  ending = complete,
  wire = openaiChat,
  request = {},
  unread: unreadContent = nothing,
}: MeteredReply): Meter {
  const provider = openaiCompatible({ name: 'any', title: 'any', baseUrl: '', wires: [wire] });
  const target: Target = { provider, model: 'm' };
  const meter = new Meter();
  for (const event of events) meter.observe(event);
  meter.close({
    ending,
    clientRequest: clientRequestFrom(wire, { model: 'm', messages: [], ...request }),
    target,
    unread: unreadContent,
  });
  return meter;
}

function begun(usage: Usage): ReplyEvent[] {
  return [...answerToEvents(answer(usage))].filter(
    ({ type }) => type !== 'message_delta' && type !== 'message_stop',
  );
}

function assertBetween(value: number | undefined, least: number, most: number): void {
  assert.ok(value !== undefined && value >= least && value <= most, `${value} is not in ${least}–${most}`);
}

describe('what a provider says', () => {
  test('is the usage, streamed or not', () => {
    const reported = { input_tokens: 25, output_tokens: 140, cache_read_input_tokens: 7 };
    for (const events of [answerToEvents(answer(reported)), milestoneEvents(answer(reported))]) {
      const meter = metered({ events });
      assert.deepEqual([meter.usage, meter.estimated], [reported, false]);
      assert.deepEqual([meter.model, meter.stopReason], ['claude-x', 'end_turn']);
    }
  });

  test('is nothing where it says nothing, streamed or not', () => {
    for (const events of [answerToEvents(answer({})), milestoneEvents(answer({}))]) {
      const meter = new Meter();
      for (const event of events) meter.observe(event);
      assert.deepEqual(meter.usage, {});
    }
  });

  test('stays, also where it is nothing', () => {
    const meter = metered({ events: answerToEvents(answer({ input_tokens: 0, output_tokens: 0 })) });
    assert.deepEqual([meter.usage, meter.estimated], [{ input_tokens: 0, output_tokens: 0 }, false]);
  });

  test('stays field by field, and the rest is estimated', () => {
    const meter = metered({
      events: answerToEvents(answer({ output_tokens: 3 })),
      request: { messages: [text] },
    });
    assert.equal(meter.usage.output_tokens, 3);
    assertBetween(meter.usage.input_tokens, 80, 200);
    assert.equal(meter.estimated, true);
  });

  test('about output at the start of a stream is provisional', () => {
    const meter = metered({
      events: begun({ input_tokens: 25, cache_read_input_tokens: 900, output_tokens: 2 }),
      ending: aborted,
      wire: anthropicMessages,
    });
    const { input_tokens, cache_read_input_tokens, output_tokens } = meter.usage;
    assert.deepEqual([input_tokens, cache_read_input_tokens], [25, 900]);
    assertBetween(output_tokens, 120, 260);
    assert.equal(meter.estimated, true);
  });

  test('about output in the middle of a stream that breaks stands', () => {
    const delta: ReplyEvent = { type: 'message_delta', delta: {}, usage: { output_tokens: 9 } };
    const meter = metered({ events: [...begun({ input_tokens: 25 }), delta], ending: aborted });
    assert.deepEqual([meter.usage.output_tokens, meter.estimated], [9, false]);
  });
});

describe('a refusal', () => {
  const refusal = (content: Answer['content']): Answer => ({
    ...answer({ input_tokens: 412, output_tokens: 0 }, content),
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'cyber', explanation: null },
  });

  test('before any output is told with its category, streamed or not', () => {
    for (const eventsOf of [answerToEvents, milestoneEvents])
      assert.deepEqual(metered({ events: eventsOf(refusal([])) }).refusal, { category: 'cyber' });
    const { stop_details: _, ...untold } = refusal([]);
    assert.deepEqual(metered({ events: milestoneEvents(untold) }).refusal, { category: undefined });
  });

  test('after some output is an answer', () => {
    for (const eventsOf of [answerToEvents, milestoneEvents])
      assert.equal(metered({ events: eventsOf(refusal([{ type: 'text', text }])) }).refusal, undefined);
    const unseen = metered({ events: milestoneEvents(refusal([])), unread: { tokens: 5, calls: 0 } });
    assert.equal(unseen.refusal, undefined);
    assert.equal(metered({ events: milestoneEvents(answer({})) }).refusal, undefined);
  });
});

describe('what a provider leaves out is estimated', () => {
  test('from what was seen and what passed unseen', () => {
    const seen = metered({ events: begun({}) }).usage.output_tokens;
    assertBetween(seen, 110, 190);
    const more = metered({ events: begun({}), unread: { tokens: 1000, calls: 2 } }).usage.output_tokens;
    assertBetween((more ?? 0) - (seen ?? 0), 800, 1100);
  });

  test('from an answer that came in one piece', () => {
    const calls = [1, 2].map(
      (at) => ({ type: 'tool_use', id: `${at}`, name: 'level', input: { text } }) as const,
    );
    const one = metered({ events: milestoneEvents(answer({})) }).usage.output_tokens ?? 0;
    assertBetween(one, 110, 190);
    const three = metered({ events: milestoneEvents(answer({}, [{ type: 'text', text }, ...calls])) });
    assertBetween(three.usage.output_tokens, 3 * one, 3.5 * one);
  });

  test('without counting a picture by its bytes', () => {
    const picture = (data: string) => [{ image_url: { url: `data:image/png;base64,${data}` } }];
    const small = metered({ request: { messages: picture('iVBORw0KGgo'.repeat(50)) } }).usage.input_tokens;
    const large = metered({ request: { messages: picture('iVBORw0KGgo'.repeat(50_000)) } }).usage
      .input_tokens;
    assert.equal(large, small);
    assertBetween(large, 200, 2000);
  });

  test('of an answer that never began only where its provider was working on it', () => {
    const [start] = begun({ input_tokens: 25, output_tokens: 1 });
    const refusing: Ending = { how: 'failed', error: new GatewayError('upstream_error', 'no') };
    const refused = metered({ ending: refusing });
    assert.deepEqual([refused.usage, refused.estimated], [{}, false]);
    const slow: Ending = { how: 'failed', error: new GatewayError('upstream_timeout', 'no') };
    for (const ending of [aborted, slow]) {
      const left = metered({ ending });
      assert.deepEqual([Object.keys(left.usage), left.estimated], [['input_tokens'], true]);
    }
    const started = metered({ events: start === undefined ? [] : [start], ending: aborted });
    assert.deepEqual([started.usage.input_tokens, started.estimated], [25, false]);
  });
});
