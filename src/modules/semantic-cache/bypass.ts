import { isEnglish } from '../../module-api.ts';
import type { ParsedPrompt } from './text/reading/prompt.ts';

const timeExpressions = [
  'today|tonight|tomorrow|yesterday|right now|at the moment|at present|presently|currently|nowadays|these days|so far|as of now',
  'up to date|up-to-date|latest|newest|recent|recently|current',
  'live (?:scores?|streams?|results?|updates?|traffic|status|prices?|data)|breaking|ongoing|upcoming',
  'this (?:morning|afternoon|evening|week|weekend|month|quarter|year)',
  '(?:next|last) (?:week|weekend|month|quarter|year|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday)',
  String.raw`what time is it|what day is it|what(?:'s| is) the (?:time|date)(?: now| today)?\s*\??$`,
  'weather|forecast|news|headlines|(?:stock|share) price|exchange rate',
  'just (?:released|announced|happened)|still (?:open|alive|available|down)|trending|this season|to date|raining|snowing',
  '(?:next|last) (?:bus|train|flight|ferry|game|match|race|election|episode|meeting|release)',
  '(?:price|value|rate) of (?:gold|silver|oil|gas|petrol|bitcoin|ethereum|the (?:dollar|euro|pound|yen))|going on',
];
/** "What should I do now" asks for the next step, not for current data. */
const notNext = String.raw`(?<!\b(?:should|can|could|do|must|shall) (?:i|we) (?:do|try|say) )`;
/** Words whose meaning depends on the current time, except "now" in a question for the next step. */
const currentInfoPattern = new RegExp(
  String.raw`\b(?:${timeExpressions.join('|')})\b|${notNext}\b(?:now|yet)\s*[?.!]*$`,
  'i',
);

/** Requests for a different answer each time. */
const variationPatterns: readonly RegExp[] = [
  /\b(?:another one|surprise me|once more|something (?:else|different)|a different one)\b/i,
  /\b(?:(?:try|do it|tell me|say it|generate) again|more (?:examples|ideas|of (?:these|those|them)))\b/i,
];
/** The same in two parts of a sentence, in this order. */
const variationPairs: readonly (readonly [RegExp, RegExp])[] = [
  [/\b(?:pick|choose|give|generate|say|tell)\b/i, /\brandom(?:ly)?\b/i],
  [/\b(?:give|tell|show|write|suggest|generate|make|find)\b/i, /\banother\b/i],
];
const creationVerb = /\b(?:generate|create|make)\b/i;

function asksForVariation(text: string): boolean {
  if (variationPatterns.some((words) => words.test(text))) return true;
  if (creationVerb.test(text) && /\b(?:uuid|password|guid)\b/i.test(text)) return true;
  if (follows(text, creationVerb, /\bseed\b/i)) return true;
  return text
    .split(/[.?!]/)
    .some((sentence) => variationPairs.some(([first, second]) => follows(sentence, first, second)));
}

function follows(text: string, first: RegExp, second: RegExp): boolean {
  const at = text.search(first);
  return at >= 0 && second.test(text.slice(at));
}

/** Letters and digits that the models don't know: other scripts, and styled Latin characters. */
const otherScript = /(?!\p{Script=Latin})\p{L}|[\u{ff21}-\u{ff5a}]|(?![\d⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞])\p{N}/u;

/** Why a prompt must not be matched by meaning; undefined if it may. */
export function bypassReasonOf(
  parsedPrompt: ParsedPrompt,
  options: { readonly current: 'bypass' | 'allow' },
): string | undefined {
  const { original, text, words, content } = parsedPrompt;
  if (otherScript.test(original)) return 'language';
  if (!/\p{L}/u.test(text)) return words.length < 3 ? 'short' : undefined;
  if (content.length === 0 || (words.length < 3 && content.length < 2)) return 'short';
  if (!isEnglish(text)) return 'language';
  if (asksForVariation(text)) return 'varied';
  if (options.current === 'bypass' && currentInfoPattern.test(text)) return 'current';
  return undefined;
}
