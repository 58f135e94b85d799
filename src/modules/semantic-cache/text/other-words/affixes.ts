import { wordSet } from '../reading/word-set.ts';

/** Prefixes that reverse or shift a meaning: realized and unrealized, inbound and outbound. */
const prefixes = [
  '',
  ...wordSet(
    'un non in im ir il dis mis de re pre post anti counter over under sub super inter intra hyper hypo hyp extra infra ultra an ant micro macro mono bi tri multi poly semi co ex en em fore mid out up down pro con trans para iso homo hetero after before endo exo peri meta neo ante retro circum contra equi omni pan proto pseudo quasi tele auto self be ob ab ad af ap as at per se di e',
  ),
];

/** Common derivational endings. */
export const derivation =
  /(?:ation|ition|tion|sion|ement|ment|ology|ality|ility|ity|ically|ally|ly|iness|ness|ional|ious|eous|ous|able|ible|ance|ence|ship|hood|ative|ive|ate|ing|er|or|al|ism|ist|ize)$/;

/** Whether two words differ by a prefix or an ending that changes the meaning. */
export function differByAffix(one: string, other: string): boolean {
  if (one === other || !/^[a-z]+$/.test(one) || !/^[a-z]+$/.test(other)) return false;
  const shared = sharedEnd(one, other);
  const [front, back] = [one.slice(0, one.length - shared), other.slice(0, other.length - shared)];
  const end = one.slice(one.length - shared);
  for (let length = shared; length >= 3; length--) {
    const [first, second] = [one.slice(0, one.length - length), other.slice(0, other.length - length)];
    if ((length >= 4 || (first.length > 1 && second.length > 1)) && isPrefix(first) && isPrefix(second))
      return true;
  }
  // Typical and atypical.
  if (shared >= 6 && [front, back].sort().join() === ',a') return true;
  // Ethanol and methanol: an added first letter makes a different word.
  if (shared >= 5 && front.length + back.length === 1) return true;
  // With equal first letters, one may be a typo.
  const mayBeTypo = front[0] === back[0];
  // One word may be the end of the other, or they may share only a derivational ending.
  const isInconclusive = front === '' || back === '' || end.replace(derivation, '').length < 4;
  if (!mayBeTypo && !isInconclusive && shared >= 0.6 * Math.max(one.length, other.length)) return true;
  return (
    isComparativePair(one, other) ||
    isComparativePair(other, one) ||
    hasOppositeEnding(one, other) ||
    hasOppositeEnding(other, one) ||
    areDifferentCompounds(one, other)
  );
}

export function isPrefix(front: string): boolean {
  return prefixes.includes(front);
}

function sharedEnd(one: string, other: string): number {
  let shared = 0;
  const most = Math.min(one.length, other.length);
  while (shared < most && one[one.length - 1 - shared] === other[other.length - 1 - shared]) shared++;
  return shared;
}

/** Comparative and superlative: taller and tallest. */
function isComparativePair(one: string, other: string): boolean {
  return /^\w{3,}er$/.test(one) && other === one.replace(/er$/, 'est');
}

/** Endings that name a different thing: meteor and meteorite. */
const nounEndings = ['ite', 'oid', 'ase', 'ose', 'osis', 'emia', 'ectomy', 'arium'];

/** Payer and payee, careful and careless, wire and wireless. */
function hasOppositeEnding(one: string, other: string): boolean {
  const begin = (word: string, end: string) =>
    word.endsWith(end) && word.length > end.length + 2 ? word.slice(0, -end.length) : undefined;
  const agent = begin(one, 'er') ?? begin(one, 'or');
  if (agent !== undefined && begin(other, 'ee') === agent) return true;
  if (nounEndings.some((end) => other === one + end && one.length > 4)) return true;
  const bare = begin(one, 'less');
  return bare !== undefined && (bare === begin(other, 'ful') || bare === other);
}

const compounds = /^(.{4,})(ite|ide|ate|ane|ene|yne|ine|anol|anal)s?$/;

/** Chemical names that differ by an ending: sulfite and sulfide, ethane and ethene. */
function areDifferentCompounds(one: string, other: string): boolean {
  const [, root, end] = compounds.exec(one) ?? [];
  const [, there, endThere] = compounds.exec(other) ?? [];
  return root !== undefined && root === there && end !== endThere;
}
