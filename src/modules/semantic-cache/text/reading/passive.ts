import { wordSet } from './word-set.ts';
import type { Word } from './words.ts';

const formsOfBe = new Set(['is', 'are', 'was', 'were', 'be', 'been', 'being']);
const participles = wordSet(
  'sent read bought sold made done given taken written built paid kept held left lost won put set cut shown known seen found told taught caught brought spent lent beaten broken chosen driven eaten fed fought forgotten grown hidden hit hurt led met ridden run sung spoken stolen struck sworn thrown understood worn',
);
const questionOpening =
  /^(?:is|are|was|were|can|could|may|might|will|would|should|must|how|what|which|why|when|where|who)$/;
const activeSubjects = wordSet(
  'i you we they he she people one everyone someone have has had should can must could will would to it that make',
);
const clauseStarters = wordSet('and or but if when while because that which who');

/**
 * Reorders a passive question to active voice: "can the parcel be sent by air" to "send the parcel by air", and "is he bitten by
 * a dog" to "a dog bites him". With `ergative`, also for verbs like "open".
 */
export function toActiveOrder(words: readonly Word[], ergative: 'yes' | 'no'): Word[] {
  const [first] = words;
  if (first === undefined || !questionOpening.test(first.text)) return [...words];
  const be = words.findIndex(({ text }) => formsOfBe.has(text));
  const verb = be < 0 ? -1 : words.findIndex((word, at) => at > be && isParticiple(word, ergative));
  const last = words[verb];
  if (last === undefined) return [...words];
  const before = words.slice(0, verb);
  if (before.some(({ text }, at) => at > 0 && clauseStarters.has(text))) return [...words];
  // "The best plays you have read" has another subject.
  if (before.slice(be + 1).some(({ text }) => activeSubjects.has(text))) return [...words];
  const behind = words.slice(verb + 1);
  // "A software defined network": the participle is an adjective.
  if (behind[0]?.isContent === true && behind[0].text !== 'by') return [...words];
  const by = behind[0]?.text === 'by' ? agentLength(behind) : 0;
  const subject = before.filter((word) => word.isContent);
  const rest = before.filter((word) => !word.isContent);
  const agent = behind.slice(1, by).map((word) => (word.marker === 'by' ? { ...word, marker: '' } : word));
  return [
    ...rest,
    ...(by > 0 ? agent : []),
    { ...last, marker: '' },
    ...clearLeadingMarker(subject),
    ...(by > 0 ? behind.slice(by) : behind),
  ];
}

/** Participles of ergative verbs, whose object can also be their subject: the door is opened, the door opens. */
const ergativeParticiples = wordSet(
  'changed opened closed started stopped ended updated renewed increased decreased improved moved loaded printed synced finished',
);

export function isParticiple({ text }: Word, ergative: 'yes' | 'no'): boolean {
  if (ergativeParticiples.has(text)) return ergative === 'yes';
  return participles.has(text) || (text.length > 4 && text.endsWith('ed'));
}

/** The length of "by" with the agent, up to the next function word; 0 for "by air" and "by hand", which name no agent. */
function agentLength(behind: readonly Word[]): number {
  const next = behind.findIndex(
    (word, at) => at > 1 && !word.isContent && !['a', 'an', 'the', 'my', 'your', 'our'].includes(word.text),
  );
  const length = next < 0 ? behind.length : next;
  const hasArticle =
    ['a', 'an', 'the', 'my', 'your', 'our'].includes(behind[1]?.text ?? '') || behind[1]?.isName === true;
  return hasArticle ? length : 0;
}

/** Removes the marker of the first word, which belonged to its old position. */
function clearLeadingMarker([first, ...others]: readonly Word[]): Word[] {
  return first === undefined ? [] : [{ ...first, marker: '' }, ...others];
}
