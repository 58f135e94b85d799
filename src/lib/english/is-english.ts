import { tellingWords, visitFeatures } from './features.ts';
import { scale, weightsInBase64 } from './weights.ts';

/** A text scores this much or more if it is English; a little below zero, because names look foreign. */
const scoreMin = -1;
/** A text with a larger share of letters in other scripts is English only if most letters are of English words, as in a request to translate. */
const otherScriptsMax = 0.2;

const weights = new Int8Array(Buffer.from(weightsInBase64, 'base64'));

/** Whether a text is English, as far as its first 2,000 characters tell; a text without words is. */
export function isEnglish(text: string): boolean {
  const start = text.slice(0, 2000);
  const words = tellingWords(start);
  const letters = start.match(/\p{L}/gu)?.length ?? 0;
  const others = letters - (start.match(/\p{Script=Latin}/gu)?.length ?? 0);
  if (others > letters * otherScriptsMax && words.join('').length <= others) return false;
  return scoreOf(words) >= scoreMin;
}

function scoreOf(words: readonly string[]): number {
  let [sum, count] = [0, 0];
  for (const word of words)
    visitFeatures(word, (index) => {
      sum += weights[index] ?? 0;
      count++;
    });
  return count === 0 ? 0 : (sum * scale) / Math.sqrt(count);
}
