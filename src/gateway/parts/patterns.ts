import { systemClock } from '../../kernel/clock.ts';
import type { RequestLog } from '../../kernel/ports/request-log.ts';
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
}

interface LearnedPart extends Part {
  readonly book: PatternBook;
}

/** What accounts have learned, and how their conversations went. */
export function patternsPart({ stores, log, requests }: PatternsParts): LearnedPart {
  const book = new PatternBook({
    table: stores.database.patterns,
    clock: systemClock,
    onTrouble: (err) => log.error({ err }, 'patterns could not be read'),
  });
  const { attempts } = stores.shared;
  return {
    book,
    routes: [...patternsRoutes(book), ...outcomesRoutes({ book, log: requests, attempts })],
    features: ['patterns', 'outcomes'],
  };
}
