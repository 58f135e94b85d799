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

/** Headers that can't: which program the client is, who pays, and what Google's proxies say of who logged in. */
export const harmlessHeaders: readonly string[] = [
  'x-goog-api-client',
  'x-goog-api-key',
  'x-goog-iap-jwt-assertion',
  'x-goog-authenticated-user-email',
  'x-goog-authenticated-user-id',
];

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
