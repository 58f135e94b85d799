import {
  type Exchange,
  type KeptAnswers,
  type Kit,
  packAnswer,
  priceFacts,
  type Recording,
  type Reply,
  whenWhole,
} from '../../module-api.ts';
import { agree, type Said, saidIn } from './agreement.ts';
import type { Asked } from './asked.ts';
import type { Ledger } from './ledger.ts';
import { unhurried } from './look-up.ts';
import type { Options } from './options.ts';

interface Keeping {
  readonly kit: Kit<Options>;
  readonly answers: KeptAnswers;
  readonly ledger: Ledger;
}

/** Keeps an answer for who asks the same, and its prompt's vector for who asks in other words. */
export function keep(
  reply: Reply,
  asked: Asked,
  exchange: Exchange,
  { kit, answers, ledger }: Keeping,
): void {
  const { key, words } = asked;
  const { ttl, max_bytes: bytesMax, tokens_max: tokensMax } = kit.options;
  whenWhole(reply, bytesMax, async ({ recording, usage, model }) => {
    const facts = { ...priceFacts({ usage, model }), from: exchange.id, text: words?.text ?? null };
    // Two that asked at once: how far their answers are apart tells what a difference means.
    const twin = await answers.find(kit.cache, key, exchange.received);
    await kit.cache.put(key, packAnswer({ recording, facts }, exchange.received), ttl);
    if (twin !== undefined) kit.later(() => compareTwins(twin.recording, recording, { kit, ledger }));
    if (words === undefined) return;
    kit.later(async () => {
      const { vector } = await kit.embed.one(words.text, { ...unhurried, tokensMax });
      if (vector !== undefined) await kit.vectors.add({ id: key, vector, part: words.part, ttlSeconds: ttl });
    });
  });
}

/** What a recorded answer says. */
export async function said(recording: Recording, kit: Kit<Options>): Promise<Said> {
  return saidIn(await kit.replay(recording).answer());
}

/** Whether two answers agree, with their cosine where it can be had. */
export async function agreed(one: Said, other: Said, kit: Kit<Options>): Promise<boolean | undefined> {
  const certain = agree(one, other, undefined);
  if (certain !== undefined) return certain;
  const { vectors } = await kit.embed.many([one.text, other.text], unhurried);
  const [first, second] = vectors ?? [];
  if (first === undefined || second === undefined) return undefined;
  return agree(one, other, cosineOf(first.values, second.values));
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

async function compareTwins(
  one: Recording,
  other: Recording,
  { kit, ledger }: Omit<Keeping, 'answers'>,
): Promise<void> {
  const isAgreed = await agreed(await said(one, kit), await said(other, kit), kit);
  if (isAgreed === undefined) return;
  await ledger.addToScope(kit.scope, kit.store, ({ twins, ...seen }) => ({
    ...seen,
    twins: { asked: twins.asked + 1, differed: twins.differed + (isAgreed ? 0 : 1) },
  }));
}
