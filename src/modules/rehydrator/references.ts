import { limits } from './limits.ts';

/** A sentence of the user that may refer to something earlier. */
export interface Reference {
  readonly text: string;
  /** Whether it says that it refers to something: "as we decided", "remind me". */
  readonly isExplicit: boolean;
  readonly asksForPast: boolean;
  /** Whether it asks for something about the speaker: "what is my", "where do we". */
  readonly asksForOwn: boolean;
  /** Whether it asks for the speaker's past: "where did I", "what was my". */
  readonly asksForOwnPast: boolean;
  /** Whether it points to what was just said: "that", "it". */
  readonly isDeictic: boolean;
  readonly addressesReader: boolean;
  /** Whether it asks for an action: "could you". */
  readonly isRequest: boolean;
  /** Capitalized words within the sentence. */
  readonly names: readonly string[];
  /** Paths, function names, codes and quoted words. */
  readonly identifiers: readonly string[];
}

const reported =
  'said|told|mentioned|wrote|recommended|suggested|showed|sent|gave|named|listed|proposed|promised';
const settled = 'said|told|mentioned|decided|agreed|discussed|talked|spoke|chose|planned';
const explicit = new RegExp(
  [
    "earlier(?! (?:this|today|in)\\b)|previously|last time|from before|as before|remind me|(?<!not |n['’]t )recall",
    '(previous|last|past) (conversation|chat|discussion|session|message)s?|like last time',
    '^remember|(do|did) you (still )?remember|remember you',
    `you (${reported})|(i|we) (${settled})`,
    '(did|have) (i|we|you) (say|said|tell|told|mention|mentioned|decide|decided|agree|agreed|discuss|discussed|talk|talked|choose|chose)',
  ]
    .map((words) => `(?:${words})`)
    .join('|')
    .replace(/^(.*)$/, '\\b(?:$1)\\b'),
  'i',
);
const question = /^(?:and |so |but )?(?:what|when|where|who|whom|whose|which|how|why)\b|[?？]["'”’)]*$/i;
const past = /\b(?:did|was|were|had|has|have)\b/i;
const ownPast = /\b(?:did|was|were|had|has|have) (?:i|we|my|our)\b/i;
const simplePast = /\b(?:did|was|were|had)\b/i;
const own = /\b(?:my|our|mine|ours|(?:am|do) i|(?:are|do) we)\b/i;
const deictic = /\b(?:it|that|this|those|these|them|they)\b/i;
const reader = /\b(?:you|your|yours)\b/i;
const request = /^(?:and |so |but )?(?:can|could|would|will|shall|should|may|might|let)\b/i;
/** A short text in backticks, or several words in quotation marks. */
const quotation = /`([^`\n]{3,60})`|["“]([^"“”\s]{1,60} [^"“”\n]{1,60})["”]/g;
/** A word with an inner sign, capital, or digit beside a letter, or a long number. */
const codeWord = /[\p{L}\p{N}][./\\:_@#]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|\p{L}-?\d|\d\p{L}|\d{5}/u;
/** What makes a reference explicit says nothing about its topic. */
const explicitWords =
  /\b(?:earlier|previous(?:ly)?|last time|remember|recall|remind(?:ed)?|mention(?:ed)?|said|told|tell|discuss(?:ed)?|decided?|agreed?|again)\b/gi;

/** The sentences of a text that may refer to something earlier. */
export function findReferences(userText: string): readonly Reference[] {
  return sentencesOf(userText)
    .map(readReference)
    .filter((reference) => reference !== undefined)
    .slice(-limits.searchedSentencesMax);
}

function readReference(sentence: string): Reference | undefined {
  const isExplicit = explicit.test(sentence);
  const isQuestion = question.test(sentence);
  const identifiers = identifiersIn(sentence);
  if (!isExplicit && !isQuestion && identifiers.length === 0) return undefined;
  return {
    text: sentence.replace(explicitWords, ' '),
    isExplicit,
    asksForOwnPast:
      isQuestion && (ownPast.test(sentence) || (simplePast.test(sentence) && own.test(sentence))),
    asksForPast: isQuestion && past.test(sentence),
    asksForOwn: isQuestion && own.test(sentence),
    isDeictic: deictic.test(sentence),
    addressesReader: reader.test(sentence),
    isRequest: request.test(sentence),
    names: namesIn(sentence),
    identifiers,
  };
}

function identifiersIn(sentence: string): readonly string[] {
  const quoted = [...sentence.matchAll(quotation)].map(([, code, text]) => code ?? text ?? '');
  const words = wordsIn(sentence).filter((word) => codeWord.test(word));
  return [...new Set([...quoted, ...words])]
    .filter(({ length }) => length >= identifierCharsMin)
    .slice(0, limits.identifiersMax);
}

/** Capitalized words but the first. */
function namesIn(sentence: string): readonly string[] {
  return wordsIn(sentence)
    .slice(1)
    .filter((word) => /^\p{Lu}[\p{L}\p{N}]/u.test(word));
}

/** The words between spaces, without signs at their ends. */
function wordsIn(sentence: string): readonly string[] {
  return sentence.split(/\s/).flatMap((word) => /[\p{L}\p{N}](?:\S*[\p{L}\p{N}])?/u.exec(word) ?? []);
}

const identifierCharsMin = 4;

/** The first and the last sentences of a long text. */
function sentencesOf(text: string): readonly string[] {
  const all = text
    .split(/(?<=[.!?。？！])["'”’)]*\s+|\n+/)
    .map((sentence) => sentence.trim().slice(0, limits.sentenceCharactersMax))
    .filter((sentence) => sentence !== '');
  if (all.length <= limits.sentencesMax) return all;
  const half = limits.sentencesMax / 2;
  return [...all.slice(0, half), ...all.slice(-half)];
}
