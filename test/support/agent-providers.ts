import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { saysCompletion } from './recorded-completions.ts';
import { recordedMessage, saysMessage } from './recorded-messages.ts';

/** Providers whose model calls two tools at once, turn after turn, and checks that each result belongs to its call. */
export const toolTurns = 10;
export const lastWords = `That took ${toolTurns} turns.`;
export const signature = 'EuYBCkQYAiJAsig/nature==';

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: { readonly river: string; readonly turn: number };
}

export function callsOf(turn: number, prefix: string): readonly Call[] {
  return ['Isar', 'Lech'].map((river) => ({
    id: `${prefix}_${turn}_${river}`,
    name: 'level',
    input: { river, turn },
  }));
}

/** What a client's tool says. */
export function levelOf(input: unknown): string {
  return `level of ${JSON.stringify(input)}`;
}

export function chatAgent(request: SeenRequest): Script {
  const messages = objectsOf(request.json.messages);
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const answered = messages.filter(({ role }) => role !== 'user').map(withoutExtras);
  const expected = Array.from({ length: turn }, (_, before) => callsOf(before, 'call')).flatMap(chatTurn);
  assert.deepEqual(answered, expected);
  if (turn === toolTurns) return saysCompletion({ text: lastWords, finish: 'stop' })(request);
  const text = `Turn ${turn}.`;
  return saysCompletion({ text, calls: callsOf(turn, 'call'), finish: 'tool_calls' })(request);
}

/** A client of the same format may send an answer back with all that stood in it. */
function withoutExtras({ annotations: _, ...message }: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
}

/** What a client must send back of one turn. */
function chatTurn(calls: readonly Call[]): readonly JsonObject[] {
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  return [
    { role: 'assistant', content: `Turn ${calls[0]?.input.turn}.`, tool_calls },
    ...calls.map(({ id, input }) => ({ role: 'tool', tool_call_id: id, content: levelOf(input) })),
  ];
}

export function messagesAgent(request: SeenRequest): Script {
  const messages = objectsOf(request.json.messages);
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const expected = Array.from({ length: turn }, (_, before) => callsOf(before, 'toolu')).flatMap(
    messagesTurn,
  );
  const [first, ...answered] = messages.map(({ role, content }) => ({
    role,
    content: withoutThinking(content),
  }));
  assert.equal(first?.role, 'user');
  assert.deepEqual(answered, expected);
  if (turn === toolTurns)
    return saysMessage(recordedMessage({ content: [{ type: 'text', text: lastWords }] }))(request);
  const said = recordedMessage({
    content: [
      { type: 'thinking', thinking: `Thought ${turn}.`, signature },
      { type: 'text', text: `Turn ${turn}.` },
      ...callsOf(turn, 'toolu').map((call) => ({ type: 'tool_use' as const, ...call })),
    ],
    stop_reason: 'tool_use',
  });
  return saysMessage(said)(request);
}

function messagesTurn(calls: readonly Call[]): readonly JsonObject[] {
  const uses = calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input }));
  const results = calls.map(({ id, input }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: levelOf(input),
  }));
  return [
    { role: 'assistant', content: [{ type: 'text', text: `Turn ${calls[0]?.input.turn}.` }, ...uses] },
    { role: 'user', content: results },
  ];
}

function withoutThinking(content: unknown): unknown {
  return Array.isArray(content) ? content.filter(({ type }) => type !== 'thinking') : content;
}

/** Wants what it thought back, sealed as it was, before its calls. */
export function responsesAgent(request: SeenRequest): Script {
  const [question, ...items] = objectsOf(request.json.input);
  assert.equal(question?.role, 'user');
  const turn = items.filter(({ type }) => type === 'reasoning').length;
  const expected = Array.from({ length: turn }, (_, before) => callsOf(before, 'call')).flatMap(
    responsesTurn,
  );
  assert.deepEqual(items.map(asKept), expected.map(asKept));
  if (turn === toolTurns) return saysResponse(request, [messageItem(lastWords)]);
  return saysResponse(
    request,
    responsesTurn(callsOf(turn, 'call')).filter(({ type }) => type !== 'function_call_output'),
  );
}

function responsesTurn(calls: readonly Call[]): readonly JsonObject[] {
  const turn = calls[0]?.input.turn;
  return [
    {
      type: 'reasoning',
      id: `rs_${turn}`,
      summary: [{ type: 'summary_text', text: `Thought ${turn}.` }],
      encrypted_content: `sealed ${turn}`,
    },
    ...calls.map(({ id, name, input }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
    ...calls.map(({ id, input }) => ({ type: 'function_call_output', call_id: id, output: levelOf(input) })),
  ];
}

function messageItem(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
}

/** What was shown of a thought need not come back; what is sealed must. */
function asKept({ status: _, summary: __, id, ...item }: JsonObject): JsonObject {
  return item.type === 'reasoning' ? { ...item, id } : item;
}

function saysResponse({ json }: SeenRequest, output: readonly JsonObject[]): Script {
  const response = {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'gpt-5-codex',
    status: 'completed',
    output: output.map((item, at) => (item.type === 'function_call' ? { ...item, id: `fc_${at}` } : item)),
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  if (json.stream !== true) return { body: response };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...response.output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response },
  ];
  return { chunks: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
}

const callSignature = 'c2lnbmVkLWNhbGw=';

/** Gives its calls no ids, and takes them back only with its signature on the first, and with ids of all or of none. */
export function geminiAgent(request: SeenRequest): Script {
  const [question, ...contents] = objectsOf(request.json.contents);
  assert.equal(question?.role, 'user');
  const turn = contents.filter(({ role }) => role === 'model').length;
  const ids = new Set<unknown>();
  const seen = contents.map(({ role, parts }) => ({ role, parts: saidIn(parts).map(withoutId(ids)) }));
  const expected = Array.from({ length: turn }, (_, before) => callsOf(before, 'call')).flatMap(geminiTurn);
  assert.deepEqual(seen, expected);
  assert.ok(ids.size === 2 * turn || ids.size === 0);
  const calls = geminiTurn(callsOf(turn, 'call'))[0]?.parts ?? [];
  return saysGemini(request, turn === toolTurns ? [{ text: lastWords }] : calls, `gemini_${turn}`);
}

function geminiTurn(calls: readonly Call[]): readonly { role: string; parts: readonly JsonObject[] }[] {
  const made = calls.map(({ name, input }, at) => ({
    functionCall: { name, args: input },
    ...(at === 0 && { thoughtSignature: callSignature }),
  }));
  const answered = calls.map(({ name, input }) => ({
    functionResponse: { name, response: { output: levelOf(input) } },
  }));
  return [
    { role: 'model', parts: [{ text: `Turn ${calls[0]?.input.turn}.` }, ...made] },
    { role: 'user', parts: answered },
  ];
}

/** A stream may end in a part without words. */
function saidIn(parts: unknown): readonly JsonObject[] {
  return objectsOf(parts).filter(({ text }) => text !== '');
}

/** A call and its result have one id, which no others have. */
function withoutId(ids: Set<unknown>): (part: JsonObject) => JsonObject {
  return (part) => {
    for (const kind of ['functionCall', 'functionResponse']) {
      const [named] = objectsOf([part[kind]]);
      if (named === undefined) continue;
      const { id, ...rest } = named;
      if (id === undefined) return part;
      assert.equal(ids.has(id), kind === 'functionResponse');
      ids.add(id);
      return { ...part, [kind]: rest };
    }
    return part;
  };
}

function saysGemini({ url }: SeenRequest, parts: readonly JsonObject[], responseId: string): Script {
  const answer = (shown: readonly JsonObject[], finishReason?: string) => ({
    candidates: [
      { content: { role: 'model', parts: shown }, index: 0, ...(finishReason && { finishReason }) },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'gemini-3-flash-preview',
    responseId,
  });
  if (!url.includes(':streamGenerateContent')) return { body: answer(parts, 'STOP') };
  const frames = [...parts.map((part) => answer([part])), answer([{ text: '' }], 'STOP')];
  return { chunks: frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`) };
}
