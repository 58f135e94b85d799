import type { ParsedPrompt } from './text/reading/prompt.ts';
import { wordSet } from './text/reading/word-set.ts';
import { functionWords } from './text/reading/words.ts';

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
/** "What should I do now": what comes next, and not what is so at this moment. */
const notNext = String.raw`(?<!\b(?:should|can|could|do|must|shall) (?:i|we) (?:do|try|say) )`;
/** Words that mean another thing tomorrow; who tells what happened and asks what to do now means after that. */
const currentInfoPattern = new RegExp(
  String.raw`\b(?:${timeExpressions.join('|')})\b|${notNext}\b(?:now|yet)\s*[?.!]*$`,
  'i',
);

/** Requests that want something else each time. */
const variationPatterns: readonly RegExp[] = [
  /\b(?:another one|surprise me|once more|something (?:else|different)|a different one)\b/i,
  /\b(?:(?:try|do it|tell me|say it|generate) again|more (?:examples|ideas|of (?:these|those|them)))\b/i,
];
/** The same in two parts, the second behind the first in one sentence. */
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

/** Letters and digits that the models haven't learnt: of other scripts, and our own in other dress. */
const otherScript = /(?!\p{Script=Latin})\p{L}|[\u{ff21}-\u{ff5a}]|(?![\d⁰¹²³⁴-⁹₀-₉¼-¾⅐-⅞])\p{N}/u;

/** Small words by which English is known, and those of languages that are written with the same letters. */
const english = new Set([
  ...functionWords,
  ...wordSet(
    'said each time use long many see come other all go find write list explain before after without under between during using vs free cost number',
  ),
]);
/** Small words elsewhere that stand in English texts as well: in names, addresses and terms. */
const shared = wordSet('die com non per la el los las es en se sam var di da de des se');
const foreign = wordSet(
  'der die das und ist nicht ein eine mit für auf von zu wie warum kann ich mir bitte wo wann welche schreibe erkläre le la les des une est et que qui dans pour sur avec pas je comment pourquoi quel quelle où peux vous nous el los las una por para con no qué como cómo dónde cuál cuando es en mi puedo explica escribe il gli che non per come perché di sono mio quale dove o os uma não com para porque eu meu onde qual het een niet van hoe waarom ik op te och att det som inte hur jag är på nie się jak czy jest na co ve bir bu için nasıl nedir ne apa siapa bagaimana berapa kenapa mengapa dimana yang dan untuk dengan dari saya adalah tidak cara ano ang ng mga sino paano bakit saan ako ko nani gani kwa wapi vipi kwanini katika yangu ja ei mika mikä kuka kuinka miten miksi missa onko minun hogyan miert hol mikor egy hogy nem vagy kako zasto gdje kada koji sam se ili cum unde cand este sunt pentru cu din care pot hai kya kaise kaun kahan mera mujhe aap ka ki ke jak proc kde kdy jsem hur var nar vad hvordan hvorfor hvor hvad ikke eg',
);

/** Why a prompt isn't looked up by its meaning; undefined where it is. */
export function bypassReasonOf(
  parsedPrompt: ParsedPrompt,
  options: { readonly current: 'bypass' | 'allow' },
): string | undefined {
  const { original, text, words, content } = parsedPrompt;
  if (otherScript.test(original)) return 'language';
  if (!/\p{L}/u.test(text)) return words.length < 3 ? 'short' : undefined;
  if (content.length === 0 || (words.length < 3 && content.length < 2)) return 'short';
  if (isForeign(parsedPrompt)) return 'language';
  if (asksForVariation(text)) return 'varied';
  if (options.current === 'bypass' && currentInfoPattern.test(text)) return 'current';
  return undefined;
}

/** Of so many words one is small, in English. */
const sentenceWordsMin = 4;

/** By small words outside of quotes, or by marks on letters where there are no small words. */
function isForeign({ text }: ParsedPrompt): boolean {
  const own = text
    .replaceAll(/"[^"]*"/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}']+/u)
    .filter((word) => word !== '');
  const known = own.filter((word) => english.has(word)).length;
  const strange = own.filter((word) => foreign.has(word) && !english.has(word));
  if (strange.length > known) return true;
  if (strange.length === known && strange.some((word) => !shared.has(word))) return true;
  if (known === 0 && own.length >= sentenceWordsMin) return true;
  const marked = own.filter((word) => /[^\p{ASCII}]/u.test(word)).length;
  return known === 0 && marked > own.length / 4;
}
