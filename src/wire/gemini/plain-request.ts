import {
  alternating,
  type Check,
  either,
  harmless,
  listOf,
  number,
  objectWith,
  oneOf,
  text,
} from '../plain-request.ts';

/** Fields that can't change an answer: what a call is counted under. */
export const bookkeeping: readonly string[] = ['labels'];

const part = objectWith({ text });
const asked = objectWith({ role: oneOf('user'), parts: listOf(part) });
// Pieces of an answer are put together when they are read.
const answered = objectWith({
  role: oneOf('model'),
  parts: (value) => Array.isArray(value) && value.length === 1 && part(value[0]),
});

/** Text and the usual settings: the same call in every format. */
export const isPlain: Check = objectWith(
  { contents: alternating(either(asked, answered), 'model') },
  {
    systemInstruction: objectWith({ parts: listOf(part) }),
    generationConfig: objectWith(
      {},
      { maxOutputTokens: number, temperature: number, topP: number, stopSequences: listOf(text) },
    ),
    ...harmless(bookkeeping),
  },
);
