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

/** Fields that can't change an answer, such as billing labels. */
export const bookkeeping: readonly string[] = ['labels'];

/** Headers that can't change an answer: the client program, the billed project, and identities from Google's proxies. */
export const harmlessHeaders: readonly string[] = [
  'x-goog-api-client',
  'x-goog-api-key',
  'x-goog-iap-jwt-assertion',
  'x-goog-authenticated-user-email',
  'x-goog-authenticated-user-id',
];

const textPart = objectWith({ text });
const userTurn = objectWith({ role: oneOf('user'), parts: listOf(textPart) });
// The decoder joins pieces of a reply.
const modelTurn = objectWith({
  role: oneOf('model'),
  parts: (value) => Array.isArray(value) && value.length === 1 && textPart(value[0]),
});

/** Only text and common settings: means the same in every format. */
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
