import { commonWords, termsOf } from './words.ts';

/** Minimum informative words to predict the needed tools. */
const informativeWordsMin = 1;
/** An English sentence of this many words contains common words. */
const sentenceWords = 8;
/** Maximum share of letters in other scripts, because the model reads English. */
const foreignLettersMax = 0.2;
/** Maximum share of accented letters: English has hardly any, Vietnamese one in four. */
const accentedLettersMax = 0.1;
/** Minimum common English words in a sentence with foreign words, such as a text to translate. */
const framing = { words: 3, commonShare: 0.25 };

/** Whether a text states in English what its author wants, without further context. */
export function isInformative(text: string): boolean {
  if (!isEnglish(text)) return false;
  if (arithmetic.test(text)) return true;
  const telling = new Set(termsOf(text).filter((term) => !vagueTerms.has(term)));
  return telling.size >= informativeWordsMin;
}

/** An arithmetic expression is informative without words. */
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

/** Terms without specific meaning, as in `fix this issue` and `go on with the next step`. */
const vagueTerms: ReadonlySet<string> = new Set(
  termsOf(
    'again anything ask begin bye evening hello hey hi morning better bit bug carry change check complete continue deal discuss discussed done earlier error everything ' +
      'finish first fix good go going great handle issue issues job keep know later look looking make mentioned next nice ok okay point ' +
      'previous problem proceed project question really redo right run same see show solve something sort start step still stuff ' +
      'suggest sure take task tasks thank thanks thing things think today todo together try understand work works working wrong yet',
  ),
);
