import type { JsonObject } from '../../../src/lib/json.ts';
import { objectOf, objectsOf } from '../../../src/wire/json-values.ts';
import { stepsOf } from './asked/interactions.ts';

const goOn = 'Thank you. Go on, please.';

/** What the tools return, or what the user says where none was called. */
export function continuedInMessages(body: JsonObject, answer: JsonObject): JsonObject {
  const content = objectsOf(answer.content);
  const uses = content.filter(({ type }) => type === 'tool_use');
  const results = uses.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: returned(id) }));
  const messages = [
    ...objectsOf(body.messages),
    ...(content.length > 0 ? [{ role: 'assistant', content }] : []),
    { role: 'user', content: results.length > 0 ? results : goOn },
  ];
  return { ...body, messages };
}

export function continuedInChat(body: JsonObject, answer: JsonObject): JsonObject {
  const [choice = {}] = objectsOf(answer.choices);
  const message = objectOf(choice.message) ?? {};
  const calls = objectsOf(message.tool_calls);
  const results = calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: returned(id) }));
  const next = results.length > 0 ? results : [{ role: 'user', content: goOn }];
  return { ...body, messages: [...objectsOf(body.messages), message, ...next] };
}

export function continuedInResponses(body: JsonObject, answer: JsonObject): JsonObject {
  const { input } = body;
  const before = typeof input === 'string' ? [{ role: 'user', content: input }] : objectsOf(input);
  const output = objectsOf(answer.output);
  const results = output.flatMap(({ type, call_id }) => {
    const kind = outputs[String(type)];
    return kind === undefined ? [] : [{ type: kind, call_id, output: returned(call_id) }];
  });
  const next = results.length > 0 ? results : [{ role: 'user', content: goOn }];
  return { ...body, input: [...before, ...output, ...next] };
}

export function continuedInGemini(body: JsonObject, answer: JsonObject): JsonObject {
  const [candidate = {}] = objectsOf(answer.candidates);
  const parts = objectsOf(objectOf(candidate.content)?.parts);
  const calls = parts.flatMap(({ functionCall }) => objectsOf([functionCall]));
  const results = calls.map(({ id, name }) => ({
    functionResponse: { id, name, response: { output: returned(id) } },
  }));
  const contents = [
    ...objectsOf(body.contents),
    ...(parts.length > 0 ? [{ role: 'model', parts }] : []),
    { role: 'user', parts: results.length > 0 ? results : [{ text: goOn }] },
  ];
  return { ...body, contents };
}

export function continuedInInteractions(body: JsonObject, answer: JsonObject): JsonObject {
  const steps = objectsOf(answer.steps);
  const results = steps.flatMap(({ type, id, name }) =>
    type === 'function_call' ? [{ type: 'function_result', call_id: id, name, result: returned(id) }] : [],
  );
  const said = { type: 'user_input', content: [{ type: 'text', text: goOn }] };
  return {
    ...body,
    input: [...stepsOf(body.input), ...steps, ...(results.length > 0 ? results : [said])],
  };
}

const outputs: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
};

/** Different for each call, so that none can be taken for another. */
function returned(id: unknown): string {
  return `Done, ${id}.`;
}
