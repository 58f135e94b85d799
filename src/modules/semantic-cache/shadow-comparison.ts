import { type Exchange, type Kit, onCompleteAnswer, type Reply } from '../../module-api.ts';
import { disagreementWeight } from './error-bound.ts';
import type { EvidenceStore } from './evidence-store.ts';
import type { CacheMatch } from './look-up.ts';
import type { SemanticCacheOptions } from './options.ts';
import { doAnswersAgree, readRecordedAnswer } from './store-answer.ts';

interface ComparisonParts {
  readonly kit: Kit<SemanticCacheOptions>;
  readonly evidenceStore: EvidenceStore;
  readonly exchange: Exchange;
}

/** Compares the provider's answer with the one the cache would have served, and records the result. */
export function compareLater(
  reply: Reply,
  cacheMatch: CacheMatch,
  { kit, evidenceStore, exchange }: ComparisonParts,
): void {
  const { id, part, answer, judgedErrorProbability } = cacheMatch;
  const { max_bytes: bytesMax, ttl } = kit.options;
  onCompleteAnswer(reply, { bytesMax, exchange }, async ({ recording }) => {
    kit.runInBackground(async () => {
      const isAgreed = await doAnswersAgree(
        await readRecordedAnswer(answer.recording, kit),
        await readRecordedAnswer(recording, kit),
        kit,
      );
      if (isAgreed === undefined) return;
      // Read again: another comparison may have closed the entry meanwhile.
      const entry = await evidenceStore.getEntry(kit.cache, id);
      const evidence = {
        ...entry,
        expected: entry.expected + judgedErrorProbability,
        closed: entry.closed || !isAgreed,
      };
      await evidenceStore.setEntry(kit.cache, id, { evidence, ttlSeconds: ttl });
      if (!isAgreed) await kit.vectors.remove([id], part);
      await evidenceStore.updateScope(kit.scope, kit.store, (seen) => ({
        ...seen,
        expected: seen.expected + judgedErrorProbability,
        wrong: seen.wrong + (isAgreed ? 0 : disagreementWeight(seen.twins)),
      }));
    });
  });
}
