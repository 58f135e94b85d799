import {
  alternatingTurns,
  type Check,
  either,
  ignoredFields,
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

const textPart = objectWith({ text });
const userTurn = objectWith({ role: oneOf('user'), parts: listOf(textPart) });
// Pieces of an answer are put together when they are read.
const modelTurn = objectWith({
  role: oneOf('model'),
  parts: (value) => Array.isArray(value) && value.length === 1 && textPart(value[0]),
});

/** Text and the usual settings: the same call in every format. */
export const isPlain: Check = objectWith(
  { contents: alternatingTurns(either(userTurn, modelTurn), 'model') },
  {
    systemInstruction: objectWith({ parts: listOf(textPart) }),
    generationConfig: objectWith(
      {},
      { maxOutputTokens: number, temperature: number, topP: number, stopSequences: listOf(text) },
    ),
    ...ignoredFields(bookkeeping),
  },
);
