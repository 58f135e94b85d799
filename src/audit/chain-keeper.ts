import type { AuditTable, ChainPoint } from '../kernel/ports/audit.ts';
import type { DataRetentions } from '../kernel/ports/data-retentions.ts';
import type { Clock } from '../lib/clock.ts';
import { PeriodicTask } from '../lib/periodic-task.ts';
import { instanceChain } from './audit.ts';
import { hashOf } from './hash-of.ts';
import { limits } from './limits.ts';
import { type PointSigner, signPoint } from './signed-points.ts';

interface ChainKeeperParts {
  readonly table: AuditTable;
  readonly signer: PointSigner;
  readonly clock: Clock;
  /** Undefined to keep all entries. */
  readonly retentionMs: number | undefined;
  /** The shortest time that accounts can choose. */
  readonly leastMs: number;
  readonly retentions: Pick<DataRetentions, 'page'>;
  /** Called for every failed round; the next one retries. */
  onError(error: unknown): void;
  /** Called for a chain whose newest entry is not the one that was added last. */
  onTampered(chain: string): void;
  /** Called with the newest entry of the instance's chain when it is signed, for the log, which may leave the machine. */
  onSigned(point: ChainPoint): void;
}

const dayMs = 86_400_000;

/** Signs the newest entries of chains, and removes old ones. Several processes may do it at once. */
export function chainKeeper(parts: ChainKeeperParts): PeriodicTask {
  return new PeriodicTask({
    intervalMs: limits.keepMs,
    async run(signal) {
      for (const chain of await parts.table.unsignedChains(limits.chainsAtOnce)) {
        if (signal.aborted) return;
        await sign(parts, chain);
      }
      await removeByAccounts(parts, signal);
      await removeExpired(parts, signal);
    },
    onError: parts.onError,
  });
}

/** What accounts keep for a shorter time than the instance. */
async function removeByAccounts(parts: ChainKeeperParts, signal: AbortSignal): Promise<void> {
  const { retentions, clock, leastMs } = parts;
  for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
    const page = await retentions.page('audit', after, limits.chainsAtOnce);
    for (const { accountId, days } of page)
      await removeBefore(parts, {
        chain: accountId,
        ms: clock.now() - Math.max(days * dayMs, leastMs),
        signal,
      });
    after = page.at(-1)?.accountId;
  }
}

async function removeExpired(parts: ChainKeeperParts, signal: AbortSignal): Promise<void> {
  const { table, clock, retentionMs } = parts;
  if (retentionMs === undefined) return;
  const ms = clock.now() - retentionMs;
  for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
    const chains: readonly string[] = await table.chainsBefore(ms, after, limits.chainsAtOnce);
    for (const chain of chains) await removeBefore(parts, { chain, ms, signal });
    after = chains.at(-1);
  }
}

async function sign(parts: ChainKeeperParts, chain: string): Promise<void> {
  const { table, signer, clock, onTampered, onSigned } = parts;
  const point = await table.end(chain);
  if (point === undefined) return;
  const [newest] = await table.following(chain, point.number - 1, 1);
  if (newest !== undefined && hashOf(newest.text) !== point.hash) {
    onTampered(chain);
    return;
  }
  await table.addSignedPoint(
    chain,
    await signPoint(signer, { kind: 'head', chain, point, atMs: clock.now() }),
  );
  if (chain === instanceChain) onSigned(point);
}

interface Removal {
  readonly chain: string;
  /** Entries from before this time go. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Some at a time, each time with a statement that stands for them. */
async function removeBefore(
  { table, signer, clock }: ChainKeeperParts,
  { chain, ms, signal }: Removal,
): Promise<void> {
  for (let isMore = true; isMore && !signal.aborted; ) {
    const oldest = await table.following(chain, 0, limits.exportedAtOnce);
    const last = oldest.findLast(({ atMs }) => atMs < ms);
    if (last === undefined) return;
    const point = { number: last.number, hash: hashOf(last.text) };
    const removal = await signPoint(signer, { kind: 'removal', chain, point, atMs: clock.now() });
    if (!(await table.removeThrough(chain, removal))) return;
    isMore = last.number === oldest.at(-1)?.number;
  }
}
