import { type Kit, type Reply, whenWhole } from '../../module-api.ts';
import { weightOfDisagreement } from './bound.ts';
import { agreed, said } from './keeping.ts';
import type { Ledger } from './ledger.ts';
import type { Found } from './look-up.ts';
import type { Options } from './options.ts';

/** Compares the answer that a provider gave with the one that would have been served, and remembers how that went. */
export function compareLater(
  reply: Reply,
  found: Found,
  { kit, ledger }: { readonly kit: Kit<Options>; readonly ledger: Ledger },
): void {
  const { id, part, answer, judged } = found;
  const { max_bytes: bytesMax, ttl } = kit.options;
  whenWhole(reply, bytesMax, async ({ recording }) => {
    kit.later(async () => {
      const isAgreed = await agreed(await said(answer.recording, kit), await said(recording, kit), kit);
      if (isAgreed === undefined) return;
      // Read again: another comparison of the entry may have closed it in the meantime.
      const entry = await ledger.entry(kit.cache, id);
      const evidence = { ...entry, expected: entry.expected + judged, closed: entry.closed || !isAgreed };
      await ledger.setEntry(kit.cache, id, { evidence, ttlSeconds: ttl });
      if (!isAgreed) await kit.vectors.remove([id], part);
      await ledger.addToScope(kit.scope, kit.store, (seen) => ({
        ...seen,
        expected: seen.expected + judged,
        wrong: seen.wrong + (isAgreed ? 0 : weightOfDisagreement(seen.twins)),
      }));
    });
  });
}
