import { commonWords, termsOf } from './words.ts';

/** Words that say something: without any, nobody can tell what will be needed. */
const tellingWordsMin = 1;
/** A sentence of so many words has some of those that are in every English one. */
const sentenceWords = 8;
/** Letters of other scripts beyond which a text is not for a model that reads English. */
const foreignLettersMax = 0.2;
/** English has hardly any letters with accents; Vietnamese has one in four. */
const accentedLettersMax = 0.1;

/** Whether a text tells what its writer wants, to somebody who knows nothing of the circumstances and reads English. */
export function isTelling(text: string): boolean {
  if (!isEnglish(text)) return false;
  const telling = new Set(termsOf(text).filter((term) => !vagueTerms.has(term)));
  return telling.size >= tellingWordsMin;
}

function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (letters - latin > letters * foreignLettersMax) return false;
  const plain = text.match(/[a-z]/gi)?.length ?? 0;
  if (latin - plain > letters * accentedLettersMax) return false;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.length < sentenceWords || words.some((word) => word.length > 1 && commonWords.has(word));
}

/** What people say of anything: `fix this issue`, `go on with the next step`. */
const vagueTerms: ReadonlySet<string> = new Set(
  termsOf(
    'again anything ask begin bye evening hello hey hi morning better bit bug carry change check complete continue deal discuss discussed done earlier error everything ' +
      'finish first fix good go going great handle issue issues job keep know later look looking make mentioned next nice ok okay point ' +
      'previous problem proceed project question really redo right run same see show solve something sort start step still stuff ' +
      'suggest sure take task tasks thank thanks thing things think today todo together try understand work works working wrong yet',
  ),
);
