import type { Clock } from '../../../module-api.ts';
import type { Pattern, PatternChange } from '../pattern.ts';
import { isEndUserScope, isFromUserText } from '../scopes.ts';
import type { PatternCache } from './pattern-cache.ts';
import { appendStory } from './pattern-changes.ts';

/** How many other end users must win with a lesson before it applies to all. */
const othersToWiden = 3;

interface WideningParts {
  readonly clock: Clock;
  readonly cache: Pick<PatternCache, 'of'>;
  change(owner: string, id: string, change: PatternChange): Promise<unknown>;
  delete(owner: string, id: string): Promise<unknown>;
}

/**
 * A lesson about a tool applies to all end users once four of them have learned it from their own conversations and
 * won one with it. A lesson that quotes an end user stays with that user, since several end users may collude.
 */
export async function widenPatterns(
  owner: string,
  won: readonly Pattern[],
  parts: WideningParts,
): Promise<void> {
  for (const { fingerprint } of won.filter(canWiden)) {
    const copies = (await parts.cache.of(owner)).filter(
      (one) => one.fingerprint === fingerprint && one.state === 'active' && canWiden(one),
    );
    const [first, ...others] = copies;
    if (first === undefined || others.length < othersToWiden) continue;
    const what = `won with ${copies.length} end users: for all of them now`;
    await parts.change(owner, first.id, (pattern) =>
      pattern.scope === null ? pattern : appendStory({ ...pattern, scope: null }, what, parts.clock.now()),
    );
    for (const { id } of others) await parts.delete(owner, id);
  }
}

function canWiden(pattern: Pattern): boolean {
  return (
    pattern.origin === 'forge' &&
    isEndUserScope(pattern.scope) &&
    pattern.wonIn.length > 0 &&
    !isFromUserText(pattern)
  );
}
