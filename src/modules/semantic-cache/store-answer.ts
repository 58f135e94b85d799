import {
  type CachedAnswers,
  type Exchange,
  type Kit,
  onCompleteAnswer,
  packAnswer,
  pricingMetadata,
  type Recording,
  type Reply,
} from '../../module-api.ts';
import { type ComparableAnswer, comparableAnswerOf, compareAnswers } from './agreement.ts';
import type { CacheQuery } from './cache-query.ts';
import type { EvidenceStore } from './evidence-store.ts';
import { backgroundEmbedding } from './look-up.ts';
import type { SemanticCacheOptions } from './options.ts';

interface StoreAnswerParts {
  readonly kit: Kit<SemanticCacheOptions>;
  readonly answers: CachedAnswers;
  readonly evidenceStore: EvidenceStore;
}

/** Stores an answer for exact matches, and its prompt's vector for similar prompts. */
export function storeAnswer(
  reply: Reply,
  cacheQuery: CacheQuery,
  exchange: Exchange,
  { kit, answers, evidenceStore }: StoreAnswerParts,
): void {
  const { key, newestPrompt } = cacheQuery;
  const { ttl, max_bytes: bytesMax, tokens_max: tokensMax } = kit.options;
  onCompleteAnswer(reply, { bytesMax, exchange }, async ({ recording, usage, model }) => {
    const metadata = {
      ...pricingMetadata({ usage, model }, exchange),
      from: exchange.id,
      text: newestPrompt?.text ?? null,
    };
    // For concurrent identical requests: comparing their answers shows how much answers vary anyway.
    const twin = await answers.find(kit.cache, key, exchange.clientRequest);
    await kit.cache.put(key, packAnswer({ recording, metadata }, exchange.clientRequest), ttl);
    if (twin !== undefined)
      kit.runInBackground(() => compareConcurrentAnswers(twin.recording, recording, { kit, evidenceStore }));
    if (newestPrompt === undefined) return;
    kit.runInBackground(async () => {
      const { vector } = await kit.embeddings.one(newestPrompt.text, { ...backgroundEmbedding, tokensMax });
      if (vector !== undefined)
        await kit.vectors.add({ id: key, vector, part: newestPrompt.part, ttlSeconds: ttl });
    });
  });
}

/** Replays a recording to compare its answer. */
export async function readRecordedAnswer(
  recording: Recording,
  kit: Kit<SemanticCacheOptions>,
): Promise<ComparableAnswer> {
  return comparableAnswerOf(await kit.replay(recording).answer());
}

/** Whether two answers agree; embeds them only if the texts alone don't decide it. */
export async function doAnswersAgree(
  one: ComparableAnswer,
  other: ComparableAnswer,
  kit: Kit<SemanticCacheOptions>,
): Promise<boolean | undefined> {
  const certain = compareAnswers(one, other, undefined);
  if (certain !== undefined) return certain;
  const { vectors } = await kit.embeddings.many([one.text, other.text], backgroundEmbedding);
  const [first, second] = vectors ?? [];
  if (first === undefined || second === undefined) return undefined;
  return compareAnswers(one, other, cosineOf(first.values, second.values));
}

function cosineOf(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

async function compareConcurrentAnswers(
  one: Recording,
  other: Recording,
  { kit, evidenceStore }: Omit<StoreAnswerParts, 'answers'>,
): Promise<void> {
  const isAgreed = await doAnswersAgree(
    await readRecordedAnswer(one, kit),
    await readRecordedAnswer(other, kit),
    kit,
  );
  if (isAgreed === undefined) return;
  await evidenceStore.updateScope(kit.scope, kit.store, ({ twins, ...seen }) => ({
    ...seen,
    twins: { asked: twins.asked + 1, differed: twins.differed + (isAgreed ? 0 : 1) },
  }));
}
