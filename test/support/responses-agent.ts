import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { type Call, callsOf, lastWords, levelOf, toolTurns } from './agent-providers.ts';
import { frame } from './recorded-messages.ts';

/** A model behind Responses that keeps nothing, and gives out its thoughts encrypted to who asks for that. */
export function responsesAgent({ json }: SeenRequest): Script {
  const items = objectsOf(json.input).slice(1);
  const turn = items.filter(({ type }) => type === 'function_call').length / 2;
  const turns = Array.from({ length: turn }, (_, before) => callsOf(before, 'call'));
  assert.deepEqual(items.filter(({ type }) => type !== 'reasoning').map(seen), turns.flatMap(expected));
  const thoughts = items.filter(({ type }) => type === 'reasoning');
  if (thoughts.length > 0)
    assert.deepEqual(
      thoughts.map(({ encrypted_content }) => encrypted_content),
      turns.map((_, before) => encrypted(before)),
    );
  assert.equal(json.store, false);
  const isOver = turn === toolTurns;
  const output = isOver ? [message(lastWords, turn)] : outputOf(turn);
  return json.stream === true ? { chunks: frames(output) } : { body: response(output, 'completed') };
}

export function encrypted(turn: number): string {
  return `gAAAAB-thought-${turn}==`;
}

function outputOf(turn: number): readonly JsonObject[] {
  return [
    { id: `rs_${turn}`, type: 'reasoning', summary: [], encrypted_content: encrypted(turn) },
    message(`Turn ${turn}.`, turn),
    ...callsOf(turn, 'call').map(({ id, name, input }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    })),
  ];
}

function message(text: string, turn: number): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  return { id: `msg_${turn}`, type: 'message', status: 'completed', role: 'assistant', content };
}

/** What an item says, however it is written. */
function seen({ type, role, content, call_id, name, arguments: json, output }: JsonObject): unknown {
  if (type === 'function_call') return [call_id, name, JSON.parse(String(json))];
  if (type === 'function_call_output') return [call_id, output];
  return [
    role,
    typeof content === 'string'
      ? content
      : objectsOf(content)
          .map(({ text }) => text)
          .join(''),
  ];
}

function expected(calls: readonly Call[]): readonly unknown[] {
  return [
    ['assistant', `Turn ${calls[0]?.input.turn}.`],
    ...calls.map(({ id, name, input }) => [id, name, input]),
    ...calls.map(({ id, input }) => [id, levelOf(input)]),
  ];
}

function response(output: readonly JsonObject[], status: string): JsonObject {
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5-codex', status, output },
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
}

function frames(output: readonly JsonObject[]): readonly string[] {
  const items = output.flatMap((item, output_index) => {
    const place = { output_index, item_id: item.id };
    const at = { ...place, content_index: 0 };
    return [
      frame('response.output_item.added', { output_index, item: { ...item, ...emptied(item) } }),
      ...objectsOf(item.content).flatMap((part) => [
        frame('response.content_part.added', { ...at, part: { ...part, text: '' } }),
        frame('response.output_text.delta', { ...at, delta: part.text }),
        frame('response.content_part.done', { ...at, part }),
      ]),
      ...(item.arguments === undefined
        ? []
        : [frame('response.function_call_arguments.delta', { ...place, delta: item.arguments })]),
      frame('response.output_item.done', { output_index, item }),
    ];
  });
  return [
    frame('response.created', { response: response([], 'in_progress') }),
    ...items,
    frame('response.completed', { response: response(output, 'completed') }),
  ];
}

function emptied({ type }: JsonObject): JsonObject {
  if (type === 'message') return { content: [], status: 'in_progress' };
  return type === 'function_call' ? { arguments: '', status: 'in_progress' } : {};
}
