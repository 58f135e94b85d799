import type { JsonObject } from '../../lib/json.ts';
import { openaiBookkeeping } from '../openai/bookkeeping.ts';
import {
  alternatingTurns,
  anything,
  type Check,
  either,
  ignoredFields,
  listOf,
  number,
  objectWith,
  oneOf,
  text,
} from '../plain-request.ts';

/** Fields that can't change an answer: user, storage, prompt caching and stream layout. */
export const bookkeeping: readonly string[] = [...openaiBookkeeping, 'store'];

const textContent = either(
  text,
  listOf(objectWith({ type: oneOf('text'), text }, { cache_control: anything })),
);
const instructions = objectWith({ role: oneOf('system'), content: textContent });
const turns = alternatingTurns(
  objectWith({ role: oneOf('user', 'assistant'), content: textContent }),
  'assistant',
);

const messages: Check = (value) => {
  if (!Array.isArray(value)) return false;
  return turns(instructions(value[0]) ? value.slice(1) : value);
};

const functionDefinition = objectWith(
  {
    name: text,
    parameters: objectWith({ type: oneOf('object') }, { properties: anything, required: anything }),
  },
  { description: text },
);

const plainFields = objectWith(
  { model: text, messages },
  {
    max_tokens: number,
    max_completion_tokens: number,
    temperature: number,
    top_p: number,
    stop: either(text, listOf(text)),
    tools: listOf(objectWith({ type: oneOf('function'), function: functionDefinition })),
    tool_choice: either(
      oneOf('auto', 'none', 'required'),
      objectWith({ type: oneOf('function'), function: objectWith({ name: text }) }),
    ),
    stream: anything,
    ...ignoredFields(bookkeeping),
  },
);

/** Only text, functions and common settings: means the same in every format. */
export function isPlain(body: JsonObject): boolean {
  return plainFields(body) && !('max_tokens' in body && 'max_completion_tokens' in body);
}
