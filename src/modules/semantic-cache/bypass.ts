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

/** Function words of English, and of other languages in Latin script. */
const english = new Set([
  ...functionWords,
  ...wordSet(
    'said each time use long many see come other all go find write list explain before after without under between during using vs free cost number',
  ),
]);
/** Function words of other languages that also occur in English texts: in names, addresses and terms. */
const shared = wordSet('die com non per la el los las es en se sam var di da de des se');
const foreign = wordSet(
  'der die das und ist nicht ein eine mit für auf von zu wie warum kann ich mir bitte wo wann welche schreibe erkläre le la les des une est et que qui dans pour sur avec pas je comment pourquoi quel quelle où peux vous nous el los las una por para con no qué como cómo dónde cuál cuando es en mi puedo explica escribe il gli che non per come perché di sono mio quale dove o os uma não com para porque eu meu onde qual het een niet van hoe waarom ik op te och att det som inte hur jag är på nie się jak czy jest na co ve bir bu için nasıl nedir ne apa siapa bagaimana berapa kenapa mengapa dimana yang dan untuk dengan dari saya adalah tidak cara ano ang ng mga sino paano bakit saan ako ko nani gani kwa wapi vipi kwanini katika yangu ja ei mika mikä kuka kuinka miten miksi missa onko minun hogyan miert hol mikor egy hogy nem vagy kako zasto gdje kada koji sam se ili cum unde cand este sunt pentru cu din care pot hai kya kaise kaun kahan mera mujhe aap ka ki ke jak proc kde kdy jsem hur var nar vad hvordan hvorfor hvor hvad ikke eg',
);

/** Why a prompt must not be matched by meaning; undefined if it may. */
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

/** An English text of this many words has a function word. */
const sentenceWordsMin = 4;

/** Judged by function words outside quotes, or by accents if there are none. */
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
