import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/lib/json.ts';
import type { Script, SeenRequest } from '../../src/testing/fake-upstream.ts';
import { objectsOf } from '../../src/wire/json-values.ts';
import { type Call, callsOf, lastWords, levelOf, signature, toolTurns } from './agent-providers.ts';
import { converse, event } from './bedrock-dialects.ts';

/** A model behind Converse; one whose name doesn't tell what it is thinks, and takes its thoughts back as it signed them. */
export function converseAgent({ url, json }: SeenRequest): Script {
  const [question, ...messages] = objectsOf(json.messages);
  assert.equal(question?.role, 'user');
  const turn = messages.filter(({ role }) => role === 'assistant').length;
  const thinks = url.includes('arn%3A');
  const turns = Array.from({ length: turn }, (_, before) => callsOf(before, 'tooluse'));
  const isAnother = thinks && !messages.some(hasThought);
  assert.deepEqual(
    messages,
    turns.flatMap((calls) => converseTurn(calls, thinks && !isAnother)),
  );
  const isOver = turn === toolTurns;
  const content = isOver ? [{ text: lastWords }] : contentOf(callsOf(turn, 'tooluse'), thinks);
  return url.endsWith('stream') ? { chunks: frames(content, isOver) } : { body: whole(content, isOver) };
}

function hasThought({ content }: JsonObject): boolean {
  return objectsOf(content).some((part) => 'reasoningContent' in part);
}

function contentOf(calls: readonly Call[], thinks: boolean): readonly JsonObject[] {
  const { turn } = calls[0]?.input ?? {};
  return [
    ...(thinks ? [{ reasoningContent: { reasoningText: { text: `Thought ${turn}.`, signature } } }] : []),
    { text: `Turn ${turn}.` },
    ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ];
}

function converseTurn(calls: readonly Call[], thinks: boolean): readonly JsonObject[] {
  const results = calls.map(({ id, input }) => ({
    toolResult: { toolUseId: id, content: [{ text: levelOf(input) }] },
  }));
  return [
    { role: 'assistant', content: contentOf(calls, thinks) },
    { role: 'user', content: results },
  ];
}

function whole(content: readonly JsonObject[], isOver: boolean): object {
  return {
    ...converse.whole(''),
    output: { message: { role: 'assistant', content } },
    stopReason: isOver ? 'end_turn' : 'tool_use',
  };
}

function frames(content: readonly JsonObject[], isOver: boolean): readonly string[] {
  const blocks = content.map((block, contentBlockIndex) => {
    const delta = (fields: object) => event('contentBlockDelta', { contentBlockIndex, delta: fields });
    return blockFrames(block, contentBlockIndex, delta) + event('contentBlockStop', { contentBlockIndex });
  });
  return [converse.opening, ...blocks, converse.closing(isOver ? 'said' : 'called')];
}

function blockFrames(
  block: JsonObject,
  contentBlockIndex: number,
  delta: (fields: object) => string,
): string {
  const [call] = objectsOf([block.toolUse]);
  const [thought] = objectsOf([block.reasoningContent]).flatMap(({ reasoningText }) =>
    objectsOf([reasoningText]),
  );
  if (thought !== undefined)
    return (
      delta({ reasoningContent: { text: thought.text } }) +
      delta({ reasoningContent: { signature: thought.signature } })
    );
  if (call === undefined) return delta({ text: block.text });
  const { toolUseId, name } = call;
  const json = JSON.stringify(call.input);
  return (
    event('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }) +
    delta({ toolUse: { input: json.slice(0, 7) } }) +
    delta({ toolUse: { input: json.slice(7) } })
  );
}
