import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { bodyFields, configFields, stepsOf } from '../asked/interactions.ts';
import { hasFieldsBeyond, isPaired, isSet, type Refusal, unpaired } from './refusal.ts';

/** Gemini Interactions: API reference, and the types of Google's SDK. */
export const interactionsRefusals: readonly Refusal[] = [
  { what: unpaired, refused: (_, asked) => !isPaired(asked) },
  {
    what: 'fields it does not know',
    refused: (body) =>
      hasFieldsBeyond(body, bodyFields) ||
      hasFieldsBeyond(objectOf(body.generation_config) ?? {}, configFields),
  },
  { what: 'no input', refused: ({ input }) => stepsOf(input).length === 0 },
  {
    what: 'a call that begins a conversation',
    refused: ({ input }) => {
      const [first = {}] = stepsOf(input).filter(({ type }) => type !== 'thought' && type !== 'model_output');
      return first.type === 'function_call';
    },
  },
  {
    what: 'fields of steps, content or tools that it does not know',
    refused: ({ input, tools }) =>
      [...stepsOf(input), ...contentOf(input), ...objectsOf(tools)].some((one) =>
        hasFieldsBeyond(one, new Set(['type', ...(fieldsOf[String(one.type)] ?? [])])),
      ),
  },
  {
    what: 'names of functions that begin with neither a letter nor an underscore',
    refused: ({ input, tools }) =>
      [...stepsOf(input), ...objectsOf(tools)].some(
        ({ name }) => isSet(name) && !/^[a-z_]/i.test(String(name)),
      ),
  },
  {
    what: 'arguments that are no object',
    refused: ({ input }) =>
      stepsOf(input).some((step) => step.type === 'function_call' && objectOf(step.arguments) === undefined),
  },
  {
    what: 'media without data or a type',
    refused: ({ input }) =>
      contentOf(input).some(
        ({ type, data, uri, mime_type }) =>
          type !== 'text' && !((stringOf(data) || stringOf(uri)) && stringOf(mime_type)),
      ),
  },
  {
    what: 'a level of thinking that it does not know',
    refused: ({ generation_config }) => {
      const level = objectOf(generation_config)?.thinking_level;
      return isSet(level) && !['minimal', 'low', 'medium', 'high'].includes(String(level));
    },
  },
  {
    what: 'more than five stop sequences',
    refused: ({ generation_config }) => {
      const stops = objectOf(generation_config)?.stop_sequences;
      return Array.isArray(stops) && stops.length > 5;
    },
  },
  {
    what: 'an input or output without content',
    refused: ({ input }) =>
      stepsOf(input).some(
        ({ type, content }) =>
          (type === 'user_input' || type === 'model_output') && objectsOf(content).length === 0,
      ),
  },
  {
    what: 'a call or a result without an id or a name',
    refused: ({ input }) =>
      stepsOf(input).some(
        ({ type, id, call_id, name }) =>
          (type === 'function_call' && !(stringOf(id) && stringOf(name))) ||
          (type === 'function_result' && !stringOf(call_id)),
      ),
  },
  {
    what: 'thoughts without a signature, or with one that Google did not make',
    refused: ({ input }) => stepsOf(input).some((step) => step.type === 'thought' && !isGoogles(step)),
  },
];

/** By the types of Google's SDK. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  user_input: ['content'],
  model_output: ['content'],
  thought: ['summary', 'signature'],
  function_call: ['id', 'name', 'arguments'],
  function_result: ['call_id', 'name', 'result', 'is_error'],
  text: ['text'],
  image: ['data', 'uri', 'mime_type'],
  document: ['data', 'uri', 'mime_type'],
  function: ['name', 'description', 'parameters'],
};

function contentOf(input: unknown): readonly JsonObject[] {
  return stepsOf(input).flatMap(({ content, result }) => [...objectsOf(content), ...objectsOf(result)]);
}

function isGoogles({ signature }: JsonObject): boolean {
  const text = stringOf(signature) ?? '';
  return text !== '' && !Buffer.from(text, 'base64').toString('utf8').startsWith('weir.');
}
