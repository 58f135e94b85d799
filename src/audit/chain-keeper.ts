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
export class ChainKeeper {
  readonly #parts: ChainKeeperParts;
  readonly #rounds: PeriodicTask;

  constructor(parts: ChainKeeperParts) {
    this.#parts = parts;
    this.#rounds = new PeriodicTask({
      intervalMs: limits.keepMs,
      run: () => this.#keep(),
      onError: parts.onError,
    });
  }

  /** Runs at intervals. */
  start(): void {
    this.#rounds.start();
  }

  /** Resolves when no round is running. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  keep(): Promise<void> {
    return this.#rounds.run();
  }

  async #keep(): Promise<void> {
    const { table, clock, retentionMs, leastMs } = this.#parts;
    for (const chain of await table.unsignedChains(limits.chainsAtOnce)) {
      if (this.#rounds.signal.aborted) return;
      await this.#sign(chain);
    }
    for (let after: string | undefined = ''; after !== undefined && !this.#rounds.signal.aborted; ) {
      const own = await this.#parts.retentions.page('audit', after, limits.chainsAtOnce);
      for (const { accountId, days } of own)
        await this.#removeBefore(accountId, clock.now() - Math.max(days * dayMs, leastMs));
      after = own.at(-1)?.accountId;
    }
    if (retentionMs === undefined) return;
    const beforeMs = clock.now() - retentionMs;
    for (let after: string | undefined = ''; after !== undefined && !this.#rounds.signal.aborted; ) {
      const chains: readonly string[] = await table.chainsBefore(beforeMs, after, limits.chainsAtOnce);
      for (const chain of chains) await this.#removeBefore(chain, beforeMs);
      after = chains.at(-1);
    }
  }

  async #sign(chain: string): Promise<void> {
    const { table, signer, clock, onTampered, onSigned } = this.#parts;
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

  /** Some at a time, each time with a statement that stands for them. */
  async #removeBefore(chain: string, beforeMs: number): Promise<void> {
    const { table, signer, clock } = this.#parts;
    for (let isMore = true; isMore && !this.#rounds.signal.aborted; ) {
      const oldest = await table.following(chain, 0, limits.exportedAtOnce);
      const last = oldest.findLast(({ atMs }) => atMs < beforeMs);
      if (last === undefined) return;
      const point = { number: last.number, hash: hashOf(last.text) };
      const removal = await signPoint(signer, { kind: 'removal', chain, point, atMs: clock.now() });
      if (!(await table.removeThrough(chain, removal))) return;
      isMore = last.number === oldest.at(-1)?.number;
    }
  }
}
