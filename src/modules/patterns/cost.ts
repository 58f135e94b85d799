import { type Attempt, type Exchange, type Kit, nanoOfPico, type RateCard } from '../../module-api.ts';
import { tokensOf } from './advice.ts';

interface Brought {
  /** Advice that is new with this call, and what stood in the conversation before. */
  readonly fresh: string;
  readonly earlier: string;
}

/** Says what advice cost in a call, which is all that a call can tell of its worth. */
export function reckonAdvice(brought: Brought, { target }: Exchange, kit: Kit<unknown>): void {
  const card = kit.catalog.priced(target)?.card;
  if (card === undefined) return;
  kit.whenPaid((attempts) => {
    const own = attempts.filter(({ isAside, ending }) => !isAside && ending?.how !== 'failed');
    const cost = own.reduce((sum, attempt) => sum + costIn(attempt, brought, card), 0);
    if (cost > 0) kit.saved(-cost);
  });
}

/** As the tokens around it were billed: what was said before is read from the provider's cache where anything is. */
function costIn({ usage }: Attempt, { fresh, earlier }: Brought, card: RateCard): number {
  const isKept = (usage.cache_creation_input_tokens ?? 0) > 0;
  const hour = (usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0;
  const written = hour ? card.cacheWriteHour : card.cacheWrite;
  const added = isKept ? written : card.input;
  const read = (usage.cache_read_input_tokens ?? 0) > 0 ? card.cacheRead : added;
  return nanoOfPico(Math.round(tokensOf(fresh) * added + tokensOf(earlier) * read));
}
