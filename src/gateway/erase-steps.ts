import { type EraseStep, Erasing } from '../accounts/erasing.ts';
import { shelfName } from '../calls/caches.ts';
import { scopeOf } from '../kernel/caller.ts';
import { systemClock } from '../kernel/clock.ts';
import { prefixShelf } from '../kernel/conversation/prefix-guard.ts';
import type { Module } from '../kernel/module.ts';
import type { VectorShelves } from '../kernel/ports/vectors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';

interface EraseParts {
  readonly stores: Stores;
  readonly modules: ReadonlyMap<string, Module>;
  readonly meaning: { readonly vectors: VectorShelves };
  readonly log: Log;
}

/** Where something of an account is kept. What keeps more of accounts adds a line here. */
function eraseSteps({ stores, modules, meaning }: EraseParts): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'rows', erase: (accountId) => database.erasures.rows(accountId) },
    ...contentSteps({ stores, modules, meaning }),
    { name: 'files', erase: () => database.erasures.settle() },
  ];
}

/** What an account has learned and stored that is used in its calls. */
function contentSteps({ stores, modules, meaning }: Omit<EraseParts, 'log'>): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'patterns', erase: (accountId) => database.patterns.forget(tenant(accountId)) },
    { name: 'vectors', erase: (accountId) => meaning.vectors.forget(tenant(accountId)) },
    { name: 'archive', erase: (accountId) => database.archive.forget(tenant(accountId)) },
    // With what modules decided in conversations.
    { name: 'module stores', erase: (accountId) => database.modules.forget(tenant(accountId)) },
    // Cached answers, turns that clients go on from, what providers were sent last, counts and purses.
    {
      name: 'memory',
      erase: (accountId) => stores.erase({ accountId, shelves: shelvesOf(tenant(accountId), modules) }),
    },
  ];
}

/** Forgets what one person left in an account that is another's: it would stand in the other's prompts, or answer their calls. */
export function forgetContent(parts: EraseParts): (accountId: string) => Promise<void> {
  const steps = contentSteps(parts);
  return async (accountId) => {
    for (const { erase } of steps) await erase(accountId);
  };
}

function tenant(accountId: string): string {
  return scopeOf({ kind: 'account', accountId, keyId: '' });
}

function shelvesOf(scope: string, modules: ReadonlyMap<string, Module>): readonly string[] {
  return [scope, prefixShelf(scope), ...[...modules.keys()].map((name) => shelfName(name, scope))];
}

export function erasingOf(parts: EraseParts): Erasing {
  return new Erasing({
    erasures: parts.stores.database.erasures,
    steps: eraseSteps(parts),
    clock: systemClock,
    onFailure: (step, err) => parts.log.error({ step, err }, 'an account is not erased yet'),
  });
}
