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

const message = { type: oneOf('message') };
const textContent = either(text, listOf(objectWith({ type: oneOf('input_text'), text })));
const userMessage = objectWith({ role: oneOf('user'), content: textContent }, message);
const assistantMessage = objectWith({ role: oneOf('assistant'), content: text }, message);

/**
 * Only text and common settings: means the same in every format. Excludes functions, which are strict by default here.
 * Storage decides who may receive the answer, see `Continuation.keeps`.
 */
export const isPlain: Check = objectWith(
  { model: text, input: either(text, alternatingTurns(either(userMessage, assistantMessage), 'assistant')) },
  {
    instructions: text,
    max_output_tokens: number,
    temperature: number,
    top_p: number,
    store: oneOf(false),
    stream: anything,
    ...ignoredFields(openaiBookkeeping),
  },
);
