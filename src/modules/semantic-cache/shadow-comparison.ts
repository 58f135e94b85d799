import { type Kit, onCompleteAnswer, type Reply } from '../../module-api.ts';
import { disagreementWeight } from './error-bound.ts';
import type { EvidenceStore } from './evidence-store.ts';
import type { CacheMatch } from './look-up.ts';
import type { SemanticCacheOptions } from './options.ts';
import { doAnswersAgree, readRecordedAnswer } from './store-answer.ts';

/** Compares the answer that a provider gave with the one that would have been served, and remembers how that went. */
export function compareLater(
  reply: Reply,
  cacheMatch: CacheMatch,
  { kit, ledger: evidenceStore }: { readonly kit: Kit<SemanticCacheOptions>; readonly ledger: EvidenceStore },
): void {
  const { id, part, answer, judgedErrorProbability } = cacheMatch;
  const { max_bytes: bytesMax, ttl } = kit.options;
  onCompleteAnswer(reply, bytesMax, async ({ recording }) => {
    kit.runInBackground(async () => {
      const isAgreed = await doAnswersAgree(
        await readRecordedAnswer(answer.recording, kit),
        await readRecordedAnswer(recording, kit),
        kit,
      );
      if (isAgreed === undefined) return;
      // Read again: another comparison of the entry may have closed it in the meantime.
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
