import type { ParsedPrompt } from '../reading/prompt.ts';
import { wordSet } from '../reading/word-set.ts';
import type { Word } from '../reading/words.ts';

const narrowing = wordSet(
  'both least another other alternative else again until since unless except despite although',
);

/** Whether words narrow the request and the other has none of their kind. */
export function isNarrower(rest: readonly Word[], other: ParsedPrompt): boolean {
  if (rest.some(({ text }) => narrowing.has(text)))
    return !other.words.some(({ text }) => narrowing.has(text));
  return (
    rest.some(({ text }) => ['only', 'solely', 'exclusively'].includes(text)) &&
    !other.words.some(({ text }) => ['just', 'only'].includes(text))
  );
}
