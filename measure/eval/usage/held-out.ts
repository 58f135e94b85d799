import { createHash } from 'node:crypto';
import { objectOf, objectsOf, stringOf } from '../../../src/wire/json-values.ts';

/** Which calls to judge by: those that estimates were fitted to, those that were kept from them, or all. */
const shares = ['held-out', 'fitted', 'all'] as const;
export type Share = (typeof shares)[number];

export function shareOf(named: string | undefined): Share {
  const share = shares.find((each) => each === (named ?? 'held-out'));
  if (share === undefined) throw new Error(`--calls is one of ${shares.join(', ')}`);
  return share;
}

/**
 * Half of the conversations, by how the user begins: the turns of one, and what was asked again of another model, streamed
 * or in another format, are all on one side.
 */
export function isIn(share: Share, body: unknown): boolean {
  if (share === 'all') return true;
  const opening = openingOf(body)
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .slice(0, openingChars);
  const [first = 0] = createHash('sha256').update(opening).digest();
  return (first % 2 === 0) === (share === 'held-out');
}

/** Enough to tell conversations apart; what differs behind it is often a number or a name. */
const openingChars = 60;

function openingOf(body: unknown): string {
  const { messages, input } = objectOf(body) ?? {};
  if (typeof input === 'string') return input;
  const first = objectsOf(messages ?? input).find(({ role }) => role === 'user');
  return (
    stringOf(first?.content) ??
    objectsOf(first?.content)
      .map(({ text }) => stringOf(text) ?? '')
      .join(' ')
  );
}
