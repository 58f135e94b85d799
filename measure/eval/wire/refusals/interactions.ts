import type { JsonObject } from '../../../../src/lib/json.ts';
import { objectOf, objectsOf, stringOf } from '../../../../src/wire/json-values.ts';
import { stepsOf } from '../asked/interactions.ts';
import { hasFieldsBeyond, isPaired, type Refusal, unpaired } from './refusal.ts';

/** Gemini Interactions: API reference, and the types of Google's SDK. */
export const interactionsRefusals: readonly Refusal[] = [
  { what: unpaired, refused: (_, asked) => !isPaired(asked) },
  {
    what: 'fields it does not know',
    refused: (body) =>
      hasFieldsBeyond(body, known) || hasFieldsBeyond(objectOf(body.generation_config) ?? {}, knownInConfig),
  },
  { what: 'no input', refused: ({ input }) => stepsOf(input).length === 0 },
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

function isGoogles({ signature }: JsonObject): boolean {
  const text = stringOf(signature) ?? '';
  return text !== '' && !Buffer.from(text, 'base64').toString('utf8').startsWith('weir.');
}

const known: ReadonlySet<string> = new Set([
  ...[
    'model',
    'input',
    'system_instruction',
    'stream',
    'store',
    'tools',
    'response_format',
    'generation_config',
  ],
]);
const knownInConfig: ReadonlySet<string> = new Set([
  ...['max_output_tokens', 'temperature', 'top_p', 'stop_sequences', 'tool_choice'],
  ...['thinking_level', 'thinking_summaries', 'seed'],
]);
