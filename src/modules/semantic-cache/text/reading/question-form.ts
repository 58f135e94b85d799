import { stemOf } from './stems.ts';

/** The form of a question: an answer to "when" doesn't answer "why". */
export interface QuestionForm {
  readonly asks: QuestionKind;
  /** The modal verb of a yes-or-no question: "can", "should". */
  readonly modal: string;
  /** "How can I", "where do I". */
  readonly isPersonal: boolean;
  /** About hours and dates. */
  readonly isOfTime: boolean;
}

export type QuestionKind =
  | 'who'
  | 'when'
  | 'where'
  | 'why'
  | 'quantity'
  | 'manner'
  | 'what'
  | 'possible'
  | 'degree'
  | 'existence'
  | 'yes or no'
  | 'none';

const openings: readonly (readonly [RegExp, QuestionKind])[] = [
  [/^how much\b/, 'what'],
  [
    /^how come\b|^why\b|^for what reason|^(?:what|which) (?:is|are|was|were) (?:the |some )?(?:reasons?|causes?|need|purpose|point)\b/,
    'why',
  ],
  [
    /^how (?:many|long|far|old|tall|big|large|high|deep|fast|often|heavy|wide|expensive|soon|late|early|hot|cold)\b/,
    'quantity',
  ],
  [
    /^(?:what|which) (?:is|are) (?:the |a |some )?(?:\w+ )?(?:ways?|methods?|steps|procedures?|process)\b/,
    'manner',
  ],
  [
    /^(?:in what way|what (?:should|can|could|do|must) (?:i|we|you|one) (?:need to )?do to|(?:what|which) (?:\w+ )?steps (?:should|can|could|do|must)|show me how|explain how)\b/,
    'manner',
  ],
  [/^(?:is it possible|(?:is|are) there (?:a|any|some) ways?)\b/, 'possible'],
  [/^(?:is|are) there (?:a|an|any|some)\b/, 'existence'],
  [
    /^how (?!(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might|must|shall|to|i|you|we|one|and|the|a|an|my|your)\b)\w+ (?:is|are|was|were|do|does|did|can|should|would|will)\b/,
    'degree',
  ],
  [/^how\b/, 'manner'],
  [/^(?:when|what time|what year|what date|in (?:what|which) year|on (?:what|which) (?:day|date))\b/, 'when'],
  [/^(?:where|in (?:what|which) (?:city|country|place))\b/, 'where'],
  [/^(?:who|whom|whose)\b/, 'who'],
  [/^(?:what|which)\b/, 'what'],
];
const questionWordPattern = /\b(?:what|which|who|whom|whose|when|where|why|how)\b/;
const auxiliary =
  /^(is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|may|might|must|shall|need)\b/;

/** Phrases that ask for permission and for advice. */
const advisable =
  /^is it (?:ok|okay|fine|safe|bad|good|wise|worth|worthwhile|advisable|legal|allowed|right|wrong|a (?:good|bad) idea)\b/;

const modals: ReadonlyMap<string, string> = new Map([
  ...['can', 'could', 'may', 'might'].map((word) => [word, 'can'] as const),
  ...['should', 'shall'].map((word) => [word, 'should'] as const),
  ...['must', 'need'].map((word) => [word, 'must'] as const),
  ...['will', 'would'].map((word) => [word, 'is'] as const),
]);

/** Phrases for permission and obligation. */
const permissionPattern =
  /^(?:am|is|are) .*\b(?:allowed|permitted|eligible|entitled)\b|^(?:am|is|are) (?:\w+ ){1,3}?(?:able|free) to\b/;
const obligationPattern =
  /^(?:do|does|did) (?:\w+ ){1,3}?(?:have|need) to\b|^(?:am|is|are) (?:\w+ ){1,3}?(?:required|obliged|obligated|supposed|expected|forced) to\b/;
/** Stems that only express modality. */
export const modalStems: ReadonlySet<string> = new Set(
  'allowed permitted free eligible entitled required obliged obligated supposed expected forced'
    .split(' ')
    .map(stemOf),
);

function modalOf(first: string, sentence: string): string {
  if (permissionPattern.test(sentence)) return 'can';
  return obligationPattern.test(sentence) ? 'must' : (modals.get(first) ?? 'is');
}

export function parseQuestionForm(lower: string): QuestionForm {
  const sentence = findMainQuestion(lower);
  return {
    ...formOf(sentence),
    isPersonal: /^(?:how|where) (?:can|do|could|should|would) (?:i|we|you|one)\b/.test(sentence),
    isOfTime: /\b(?:hours?|times?|dates?|deadlines?|days?)\b/.test(sentence),
  };
}

function formOf(sentence: string): Pick<QuestionForm, 'asks' | 'modal'> {
  const modal = auxiliary.exec(sentence)?.[1];
  if (advisable.test(sentence)) return { asks: 'yes or no', modal: 'any' };
  for (const [opening, questionKind] of openings)
    if (opening.test(sentence)) return { asks: questionKind, modal: modalWithin(sentence, questionKind) };
  if (modal !== undefined) return { asks: 'yes or no', modal: modalOf(modal, sentence) };
  const later = questionWordPattern.exec(sentence);
  if (later !== null && later.index > 0) {
    const rest = sentence.slice(later.index);
    for (const [opening, asks] of openings) if (opening.test(rest)) return { asks, modal: '' };
  }
  return { asks: 'none', modal: '' };
}

/** Whether an answer to one form can't answer the other, for prompts with the same or with different words. */
export function areDifferentQuestions(
  one: QuestionForm,
  other: QuestionForm,
  about: 'same' | 'others',
): boolean {
  const isSame = about === 'same';
  if (one.asks === 'none' || other.asks === 'none') return false;
  if (one.asks === other.asks) return isSame && areDifferentModals(one.modal, other.modal);
  const both = new Set([one.asks, other.asks]);
  if (both.has('possible')) return !(both.has('manner') || one.modal === 'can' || other.modal === 'can');
  if (both.has('existence')) return !(both.has('what') || both.has('yes or no'));
  if (both.has('degree') && (both.has('yes or no') || both.has('quantity'))) return false;
  if (both.has('manner') && both.has('where')) return !(one.isPersonal && other.isPersonal);
  if (!both.has('what')) return true;
  if (both.has('why') && [one.modal, other.modal].includes('needed')) return true;
  if (both.has('when') && (one.isOfTime || other.isOfTime)) return false;
  return isSame && !both.has('why') && !both.has('manner');
}

function areDifferentModals(one: string, other: string): boolean {
  return one !== other && ![one, other].includes('any') && ![one, other].includes('');
}

/** Whether one asks about permission and the other about obligation. */
export function differInObligation(one: QuestionForm, other: QuestionForm): boolean {
  const [first, second] = [one.modal, other.modal].sort();
  return one.asks === other.asks && first === 'can' && (second === 'must' || second === 'should');
}

function modalWithin(sentence: string, questionKind: QuestionKind): string {
  if (questionKind === 'what') return needPattern.test(sentence) ? 'needed' : '';
  return questionKind === 'quantity' ? laterModal(sentence) : '';
}

/** "What do I need for it", and not "what do I need it for". */
const needPattern =
  /^what (?:\w+ )?(?:do|does|did|will|would|should) (?:\w+ ){1,3}?need(?: (?:to|for|in|if|when|before|so)\b|\W*$)/;

/** "How often should I" and "how often can I". */
function laterModal(sentence: string): string {
  const found = /^(?:\w+ ){1,4}?(can|could|may|should|must)\b/.exec(sentence)?.[1];
  return found === undefined ? '' : (modals.get(found) ?? '');
}

/** The longest question, or else the first sentence, without an introduction such as "in Python,". */
function findMainQuestion(lower: string): string {
  const sentences = lower.split(/(?<=[.!?])\s+|:\s+/).map((one) => one.trim());
  const asking = sentences.filter(
    (one) => one.endsWith('?') || /^(?:what|which|who|when|where|why|how)\b/.test(one),
  );
  const [longest] = asking.sort((one, two) => two.length - one.length);
  return (longest ?? sentences[0] ?? '').replace(
    /^(?:(?:and|but|so|then)|(?:in|if|for|on|after|as|when|while|with|at) [^,]+,)\s+(?=(?:what|which|who|when|where|why|how|is|are|can|do|does|should)\b)/,
    '',
  );
}
