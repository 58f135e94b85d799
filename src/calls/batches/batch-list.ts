import type { BatchSummary } from '../../kernel/batch.ts';
import { type Caller, scopeOf } from '../../kernel/caller.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import { budgetHolderOf } from '../../kernel/ports/budget.ts';
import type { OwnBatches } from '../../kernel/ports/own-batches.ts';
import type { StoredObjectList } from '../../kernel/stored-object.ts';
import { anthropicBatches } from '../../wire/anthropic-messages/batches.ts';
import { geminiBatches } from '../../wire/gemini/stored-object-lists.ts';
import { answerFileOf, errorFileOf } from '../../wire/openai/own-batches.ts';
import { openaiBatches, openaiFiles } from '../../wire/openai/stored-object-lists.ts';
import { limits } from '../limits.ts';
import { type GatewayBatches, gatewayProvider } from '../own-batches/gateway-batches.ts';
import type { KnownObject, StoredObjects } from '../stored-objects/stored-objects.ts';

/** A batch of an account, wherever it runs. */
export interface ListedBatch extends BatchSummary {
  readonly id: string;
  readonly provider: string;
  /** Whether the gateway runs it. */
  readonly isOwn: boolean;
  /** Undefined until it is known. */
  readonly costNanoUsd: NanoUsd | undefined;
  /** Which results of a batch that the gateway runs there are. */
  readonly results: readonly BatchResults[];
}

export type BatchResults = 'answers' | 'errors';

interface BatchListParts {
  readonly objects: Pick<StoredObjects, 'find' | 'list'>;
  readonly ownBatches: Pick<OwnBatches, 'find'>;
  readonly gatewayBatches: Pick<GatewayBatches, 'cancel' | 'content'>;
}

const lists: readonly StoredObjectList[] = [openaiBatches, anthropicBatches, geminiBatches];

/** All batches that the gateway knows of an account, for people. */
export class BatchList {
  readonly #parts: BatchListParts;

  constructor(parts: BatchListParts) {
    this.#parts = parts;
  }

  /** The newest of each API; the newest of all come first. Those of providers are as last described by them. */
  async list(caller: Caller): Promise<readonly ListedBatch[]> {
    const { objects, ownBatches } = this.#parts;
    const scope = scopeOf(caller);
    const pages = await Promise.all(
      lists.map(async (list) => {
        const { objects: known } = await objects.list(scope, list, { limit: limits.listedBatches });
        return known.map((batch) => ({ list, batch }));
      }),
    );
    const all = pages.flat();
    const ids = all.filter(({ batch }) => isOwn(batch)).map(({ batch }) => batch.id);
    const own = await ownBatches.find(budgetHolderOf(caller).accountId, ids);
    const listed = all.map(({ list, batch }): ListedBatch => {
      const { id, provider, value, reservation } = batch;
      const current = own.find((one) => one.id === id);
      const summary = list.batch?.summaryOf(value) ?? unknownSummary;
      if (current === undefined)
        return {
          ...summary,
          id,
          provider,
          isOwn: false,
          costNanoUsd: reservation?.billedNanoUsd,
          results: [],
        };
      const { state, calls, completed, failed, costNanoUsd, madeAtMs, endedAtMs } = current;
      const results: BatchResults[] = [];
      if (endedAtMs !== null && completed > 0) results.push('answers');
      if (endedAtMs !== null && failed > 0) results.push('errors');
      return {
        ...{ id, provider, isOwn: true, state, calls, completed, failed, costNanoUsd, madeAtMs, results },
      };
    });
    return listed.toSorted((one, other) => (other.madeAtMs ?? 0) - (one.madeAtMs ?? 0));
  }

  /** Cancels a batch that the gateway runs. */
  async cancel(caller: Caller, id: string): Promise<void> {
    const { objects, gatewayBatches } = this.#parts;
    const batch = await objects.find(scopeOf(caller), openaiBatches, id);
    if (batch === undefined || !isOwn(batch)) throw unknownError(id);
    await gatewayBatches.cancel(caller, batch);
  }

  /** The lines of results of a batch that the gateway has run. */
  async results(caller: Caller, id: string, which: BatchResults): Promise<AsyncIterable<Uint8Array>> {
    const { objects, gatewayBatches } = this.#parts;
    const file = which === 'answers' ? answerFileOf(id) : errorFileOf(id);
    const known = await objects.find(scopeOf(caller), openaiFiles, file);
    if (known === undefined || !isOwn(known)) throw unknownError(id);
    return gatewayBatches.content(known);
  }
}

const unknownSummary: BatchSummary = {
  ...{ state: '', calls: undefined, completed: undefined, failed: undefined, madeAtMs: undefined },
};

function isOwn({ provider }: KnownObject): boolean {
  return provider === gatewayProvider;
}

function unknownError(id: string): GatewayError {
  return new GatewayError(
    'not_found',
    `the gateway runs no batch "${id.slice(0, 100)}" of this account that has what you ask for`,
  );
}
