import { systemClock } from '../../kernel/clock.ts';
import { patternsModule, vectorPartOf } from '../../kernel/pattern-vectors.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
import type { VectorShelves } from '../../kernel/ports/vectors.ts';
import { PatternBook } from '../../patterns/pattern-book.ts';
import { outcomesRoutes } from '../../server/own/routes/outcomes.ts';
import { patternsRoutes } from '../../server/own/routes/patterns.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Part } from '../part.ts';
import type { Stores } from './stores.ts';

interface PatternsParts {
  readonly stores: Stores;
  readonly log: Log;
  readonly requests: Pick<RequestLog, 'find'>;
  readonly meaning: { readonly vectors: VectorShelves };
}

interface LearnedPart extends Part {
  readonly book: PatternBook;
}

/** What accounts have learned, and how their conversations went. */
export function patternsPart({ stores, log, requests, meaning }: PatternsParts): LearnedPart {
  const book = new PatternBook({
    table: stores.database.patterns,
    clock: systemClock,
    async left(owner, gone) {
      const vectors = meaning.vectors.vectors(patternsModule, owner);
      for (const { id, scope } of gone) await vectors.remove([id], vectorPartOf(scope));
    },
    async forgot(owner) {
      await meaning.vectors.vectors(patternsModule, owner).forget();
    },
    onTrouble: (err) => log.error({ err }, 'patterns could not be read'),
  });
  const { attempts } = stores.shared;
  return {
    book,
    routes: [...patternsRoutes(book), ...outcomesRoutes({ book, log: requests, attempts })],
    features: ['patterns', 'outcomes'],
  };
}
