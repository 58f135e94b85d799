import { patternsModule, vectorPartitionOf } from '../../kernel/patterns/vectors.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
import type { VectorStores } from '../../kernel/ports/vectors.ts';
import { systemClock } from '../../lib/clock.ts';
import { PatternStore } from '../../patterns/pattern-store.ts';
import { outcomesRoutes } from '../../server/api/routes/outcomes.ts';
import { patternsRoutes } from '../../server/api/routes/patterns.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Stores } from './stores.ts';

interface PatternsParts {
  readonly stores: Stores;
  readonly log: Log;
  readonly requests: Pick<RequestLog, 'find'>;
  readonly embeddingsPart: { readonly vectors: VectorStores };
}

interface PatternsPart extends Part {
  readonly patternStore: PatternStore;
}

/** Patterns and outcomes. */
export function patternsPart({ stores, log, requests, embeddingsPart }: PatternsParts): PatternsPart {
  const patternStore = new PatternStore({
    table: stores.database.patterns,
    clock: systemClock,
    async onRemoved(owner, removed) {
      const vectors = embeddingsPart.vectors.vectors(patternsModule, owner);
      for (const { id, scope } of removed) await vectors.remove([id], vectorPartitionOf(scope));
    },
    async onOwnerDeleted(owner) {
      await embeddingsPart.vectors.vectors(patternsModule, owner).forget();
    },
    onError: (err) => log.error({ err }, 'could not read patterns'),
  });
  const { rateLimiter } = stores.shared;
  return {
    patternStore,
    routes: [
      ...patternsRoutes(patternStore),
      ...outcomesRoutes({ patternStore, log: requests, attempts: rateLimiter }),
    ],
    features: ['patterns', 'outcomes'],
  };
}
