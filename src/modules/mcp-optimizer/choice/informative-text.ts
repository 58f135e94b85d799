import { commonWords, termsOf } from './words.ts';

/** Words that say something: without any, nobody can tell what will be needed. */
const informativeWordsMin = 1;
/** A sentence of so many words has some of those that are in every English one. */
const sentenceWords = 8;
/** Letters of other scripts beyond which a text is not for a model that reads English. */
const foreignLettersMax = 0.2;
/** English has hardly any letters with accents; Vietnamese has one in four. */
const accentedLettersMax = 0.1;
/** Foreign words in an English sentence, as in what is to be translated: so many words of it are of any English one. */
const framing = { words: 3, commonShare: 0.25 };

/** Whether a text tells what its writer wants, to somebody who knows nothing of the circumstances and reads English. */
export function isInformative(text: string): boolean {
  if (!isEnglish(text)) return false;
  if (arithmetic.test(text)) return true;
  const telling = new Set(termsOf(text).filter((term) => !vagueTerms.has(term)));
  return telling.size >= informativeWordsMin;
}

/** What there is to be reckoned says all, without any word. */
const arithmetic = /\d\s*[+*×÷^]\s*\d/;

function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  const plain = text.match(/[a-z]/gi)?.length ?? 0;
  const words = text.toLowerCase().match(/\p{Script=Latin}+/gu) ?? [];
  const common = words.filter((word) => word.length > 1 && isCommon(word)).length;
  if (letters - latin > letters * foreignLettersMax || latin - plain > letters * accentedLettersMax)
    return words.length >= framing.words && common >= words.length * framing.commonShare;
  return words.length < sentenceWords || common > 0;
}

function isCommon(word: string): boolean {
  return commonWords.has(word) || prepositions.has(word);
}

const prepositions: ReadonlySet<string> = new Set(
  'after against around before behind below between during except near off per since through under until via within without'.split(
    ' ',
  ),
);

/** What people say of anything: `fix this issue`, `go on with the next step`. */
const vagueTerms: ReadonlySet<string> = new Set(
  termsOf(
    'again anything ask begin bye evening hello hey hi morning better bit bug carry change check complete continue deal discuss discussed done earlier error everything ' +
      'finish first fix good go going great handle issue issues job keep know later look looking make mentioned next nice ok okay point ' +
      'previous problem proceed project question really redo right run same see show solve something sort start step still stuff ' +
      'suggest sure take task tasks thank thanks thing things think today todo together try understand work works working wrong yet',
  ),
);
