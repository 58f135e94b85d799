import { stemOf } from './stems.ts';
import { wordSet } from './word-set.ts';

export interface Word {
  /** As it was written. */
  readonly raw: string;
  /** In lower case, contractions written out. */
  readonly text: string;
  readonly stem: string;
  /** Whether it is a content word, not a function word. */
  readonly isContent: boolean;
  /** The preceding function word that marks its role: "from", "to", "than". */
  readonly marker: string;
  /** The stems of its possible heads: the words before its "of", or else those right after it. */
  readonly headStems: readonly string[];
  /** Whether an article or a possessive directly precedes it. */
  readonly follows: 'article' | 'another';
  /** Whether it is an acronym, or capitalized without starting a sentence; never in title case. */
  readonly isName: boolean;
}

/** Words of grammar and politeness. Separate rules handle those that change the meaning. */
const functionWords = wordSet(`
a an the this that these those some any such own same
i me my mine myself you your yours yourself we us our ours he him his she her hers they them their theirs it its one ones someone somebody anyone anybody
am is are was were be been being do does did doing done have has had having will would shall should can could may might must ought
to of in on at by for with from about as into onto upon than then so and or but if because while when where who whom whose which what why how whether
there here throughout across worldwide out up down off over please kindly thanks thank hi hello hey dear ok okay pls just really actually very quite too also even ever still yet already only
get got getting go going make making let us want wants wanted need needs needed like likes would wonder wondering know knows tell tells give gives show help helps
not no never none nothing nobody neither nor
most more less least much many
possible able best good way ways thing things something anything everything lot lots kind kinds sort sorts
im ive id ill dont doesnt didnt cant wont isnt arent wasnt couldnt shouldnt wouldnt
find found look looking trying try tried idea ideas exactly basically currently simply maybe perhaps well now question questions answer regarding concerning
`);

/** Function words that mark the roles in a request. */
const markers = wordSet(
  `from to into onto in on at by for with without than over under of as against between through via when if while after before since until during about near per using vs versus`,
);

const articles = new Set(['a', 'an', 'the', 'my', 'your', 'our', 'this']);

/** After these, "own" is no verb. */
const possessives = new Set(['my', 'your', 'his', 'her', 'its', 'our', 'their', 'whose']);

/** Whether a "to" after this word starts an infinitive. */
function isInfinitive(before: string | undefined): boolean {
  return before === undefined || infinitives.has(before);
}

const infinitives = wordSet(
  'how steps step way ways want wants need needs like have has possible try trying able do process going used allowed best time idea what where when ready wish plan order best easiest',
);

/** Words that end a phrase. */
const breaks = wordSet('i me you we us he him she her they them it who whom whose that which what then');

/**
 * The kinds of tokens, larger ones first. A kind that begins with a run of characters matches only at the start of the run:
 * trying every character of a long run would take quadratic time.
 */
const kindsOfToken: readonly RegExp[] = [
  // URLs and email addresses.
  /https?:\/\/\S+/,
  /(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/,
  // Paths: from the root, of several folders, of one with a file.
  /(?<![\p{L}\d])[~.]{0,2}\/[\w.@/*-]+/u,
  /(?<![\w.@-])(?:[\w.@-]+\/){2,}[\w.*-]*/,
  /(?<![\w@-])[\w@-]+\/[\w-]+\.[a-z]\w*/,
  // C++ and C#.
  /(?<![A-Za-z])[A-Za-z]+(?:\+\+|#)/,
  /\.?\d[\d,]*(?:\.\d+)*/,
  // File extensions.
  /\.[a-z]{2,4}\b/,
  // Words and identifiers.
  /(?:\$(?=\p{L}))?[\p{L}_][\p{L}\p{M}\d_]*(?:[.'-][\p{L}\d_]+)*(?:\(\))?/u,
  /[+*/^=<>%\p{Sc}&|!~°-]/u,
];
const token = new RegExp(kindsOfToken.map(({ source }) => source).join('|'), 'gu');

const contractions: readonly (readonly [RegExp, string])[] = [
  [/\bwon't\b/gi, 'will not'],
  [/\bcan't\b|\bcannot\b/gi, 'can not'],
  [/n't\b/gi, ' not'],
  [/\b(dont|doesnt|didnt|isnt|arent|wasnt|werent|couldnt|shouldnt|wouldnt|hasnt|havent)\b/gi, '$1 not'],
  [/\bcant\b/gi, 'can not'],
  [/\bwont\b/gi, 'will not'],
  [/'re\b/gi, ' are'],
  [/'ve\b/gi, ' have'],
  [/'ll\b/gi, ' will'],
  [/\bi'm\b/gi, 'i am'],
  [/'d\b/gi, ' would'],
  [/\b(what|who|where|how|that|there|it|he|she|when|why|here)'s\b/gi, '$1 is'],
  [/\blet's\b/gi, 'let us'],
];

/** Normalizes a text to one line with uniform spaces, quotes and dashes, and without invisible characters. */
export function normalizeText(text: string): string {
  return (
    text
      .replaceAll(/(?!\s)\p{C}/gu, '')
      // Separates superscripts, subscripts and fractions from the number before them.
      .replaceAll(/(?<=[\p{L}\d)\]])[⁰¹²³⁴-⁹⁺⁻]+/gu, '^$&')
      .replaceAll(/(?<=\d)[₀-₉]+/g, '_$&')
      .replaceAll(/(?<=\d)[¼-¾⅐-⅞]/g, ' $&')
      .normalize('NFKC')
      .replaceAll(/(?<=\d\s?)([ap])\.\s?m\b\.?/gi, '$1m')
      .replaceAll(/[‘’‛`´]/g, "'")
      .replaceAll(/[“”„«»]/g, '"')
      .replaceAll(/[‐‑‒–—−]/g, '-')
      .replaceAll('⁄', '/')
      .replaceAll('…', '...')
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}

/** Expands contractions, and unifies the spelling of some phrases and compounds. */
export function expandContractions(text: string): string {
  let plain = text;
  for (const [short, long] of contractions) plain = plain.replaceAll(short, long);
  return plain
    .replaceAll(/\bwith no\b/gi, 'without')
    .replaceAll(/\bout of\b/gi, 'from')
    .replaceAll(/\b(?:take|taking|takes) away\b|\b(?:get|getting|gets) rid of\b/gi, 'remove')
    .replaceAll(/\b(?:rent|hire|lease|loan)(?:s|ed|ing)? out\b/gi, 'sublet')
    .replaceAll(/\b(rs|inr|usd|eur)\.?(?=\d)/gi, '$1 ')
    .replaceAll(/\b(non|pre|anti|semi)[ -](?=\p{L})/giu, '$1')
    .replaceAll(
      /\b(un|re|post|co|sub|inter|intra|multi|over|under|ex|mid|bi|tri|micro|macro|de|dis|mis)-(?=\p{L})/giu,
      '$1',
    )
    .replaceAll(/(?<![\p{L}\d_/.@-])\p{L}+(?:-\p{L}+)+(?![\p{L}\d_/@-])/gu, (word) =>
      word.replaceAll('-', ' '),
    );
}

export function wordsIn(text: string): Word[] {
  const plain = expandContractions(text);
  const found = [...plain.matchAll(token)];
  const written = found.map(([raw]) => raw);
  const capitals = written.filter((raw) => /^\p{Lu}/u.test(raw)).length;
  // In title case, capitals carry no information.
  const isTitle = capitals > 2 && capitals > written.length * 0.6;
  const words: Word[] = [];
  let marker = '';
  for (const [at, match] of found.entries()) {
    const [raw] = match;
    const lower = raw.toLowerCase();
    const text = lower.replace(/'s$|'$|\(\)$/, '');
    const owns = lower.endsWith("'s");
    const before = characterBefore(plain, match.index);
    const opens = at === 0 || '.!?:"'.includes(before);
    const isLetter = raw === 'A' && !opens;
    const isVerb = text === 'own' && !possessives.has(words.at(-1)?.text ?? '');
    const isContent = (isLetter || isVerb || !functionWords.has(text)) && !/^[^\p{L}\d]+$/u.test(text);
    const isAcronym = /^\p{Lu}[\p{Lu}\d]+$/u.test(raw);
    const isName = !isTitle && /^\p{Lu}/u.test(raw) && raw !== 'I' && (!opens || isAcronym);
    if (breaks.has(text) || ',;:.!?'.includes(before)) marker = '';
    if (markers.has(text) && !(text === 'to' && isInfinitive(words.at(-1)?.text))) marker = text;
    words.push({
      raw,
      text,
      stem: stemOf(text),
      isContent,
      marker: owns ? 'of' : marker,
      isName,
      follows: articles.has(words.at(-1)?.text ?? '') ? 'article' : 'another',
      headStems: [],
    });
    if (isContent) marker = '';
  }
  return words.map((word, at) => ({ ...word, headStems: headStemsOf(words, at) }));
}

/** The last character before a position that isn't a space. */
function characterBefore(text: string, at: number): string {
  for (let back = at - 1; back >= 0; back--) {
    const character = text[back] ?? ' ';
    if (character !== ' ') return character;
  }
  return ' ';
}

/** The maximum distance of a head. */
const headWordsMax = 4;

function headStemsOf(words: readonly Word[], at: number): readonly string[] {
  const word = words[at];
  if (word?.isContent !== true) return [];
  if (word.marker !== 'of' || word.raw.endsWith("'s")) {
    const behind = words.slice(at + 1, at + 1 + headWordsMax);
    const end = behind.findIndex(({ isContent }) => !isContent);
    return (end < 0 ? behind : behind.slice(0, end)).map(({ stem }) => stem);
  }
  const near = words.slice(Math.max(0, at - 2 * headWordsMax), at);
  const before = near.slice(
    0,
    Math.max(
      0,
      near.findLastIndex(({ text }) => text === 'of'),
    ),
  );
  const start = before.findLastIndex(({ isContent }) => !isContent);
  return before.slice(start + 1).map(({ stem }) => stem);
}
