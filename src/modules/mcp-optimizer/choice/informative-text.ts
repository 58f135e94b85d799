import { isEnglish } from '../../../module-api.ts';
import { termsOf } from './words.ts';

/** Minimum informative words to predict the needed tools. */
const informativeWordsMin = 1;

/** Whether a text states in English what its author wants, without further context. */
export function isInformative(text: string): boolean {
  if (!isEnglish(text)) return false;
  if (arithmetic.test(text)) return true;
  const telling = new Set(termsOf(text).filter((term) => !vagueTerms.has(term)));
  return telling.size >= informativeWordsMin;
}

/** An arithmetic expression is informative without words. */
const arithmetic = /\d\s*[+*×÷^]\s*\d/;

/** Terms without specific meaning, as in `fix this issue` and `go on with the next step`. */
const vagueTerms: ReadonlySet<string> = new Set(
  termsOf(
    'again anything ask begin bye evening hello hey hi morning better bit bug carry change check complete continue deal discuss discussed done earlier error everything ' +
      'finish first fix good go going great handle issue issues job keep know later look looking make mentioned next nice ok okay point ' +
      'previous problem proceed project question really redo right run same see show solve something sort start step still stuff ' +
      'suggest sure take task tasks thank thanks thing things think today todo together try understand work works working wrong yet',
  ),
);
