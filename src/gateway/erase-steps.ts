import { AccountEraser, type EraseStep } from '../accounts/account-eraser.ts';
import { cacheName } from '../calls/module-caches.ts';
import { scopeOf } from '../kernel/caller.ts';
import { systemClock } from '../kernel/clock.ts';
import { prefixCacheScope } from '../kernel/conversation/prefix-guard.ts';
import type { Module } from '../kernel/module.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';

interface EraseParts {
  readonly stores: Stores;
  readonly modules: ReadonlyMap<string, Module>;
  readonly embeddingsPart: { readonly vectors: VectorStores };
  readonly log: Log;
}

/** Where something of an account is kept. What keeps more of accounts adds a line here. */
function eraseSteps({ stores, modules, embeddingsPart }: EraseParts): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'rows', erase: (accountId) => database.erasures.deleteRows(accountId) },
    ...contentSteps({ stores, modules, embeddingsPart }),
    { name: 'files', erase: () => database.erasures.purgeDeleted() },
  ];
}

/** What an account has learned and stored that is used in its calls. */
function contentSteps({ stores, modules, embeddingsPart }: Omit<EraseParts, 'log'>): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'patterns', erase: (accountId) => database.patterns.forget(scopeOfAccount(accountId)) },
    { name: 'vectors', erase: (accountId) => embeddingsPart.vectors.forget(scopeOfAccount(accountId)) },
    { name: 'archive', erase: (accountId) => database.archive.forget(scopeOfAccount(accountId)) },
    // With what modules decided in conversations.
    { name: 'module stores', erase: (accountId) => database.modules.forget(scopeOfAccount(accountId)) },
    // Cached answers, turns that clients go on from, what providers were sent last, counts and purses.
    {
      name: 'memory',
      erase: (accountId) =>
        stores.erase({ accountId, shelves: cacheScopesOf(scopeOfAccount(accountId), modules) }),
    },
  ];
}

/** Forgets what one person left in an account that is another's: it would stand in the other's prompts, or answer their calls. */
export function createContentEraser(parts: EraseParts): (accountId: string) => Promise<void> {
  const steps = contentSteps(parts);
  return async (accountId) => {
    for (const { erase } of steps) await erase(accountId);
  };
}

function scopeOfAccount(accountId: string): string {
  return scopeOf({ kind: 'account', accountId, keyId: '' });
}

function cacheScopesOf(scope: string, modules: ReadonlyMap<string, Module>): readonly string[] {
  return [scope, prefixCacheScope(scope), ...[...modules.keys()].map((name) => cacheName(name, scope))];
}

export function createAccountEraser(parts: EraseParts): AccountEraser {
  return new AccountEraser({
    erasures: parts.stores.database.erasures,
    steps: eraseSteps(parts),
    clock: systemClock,
    onFailure: (step, err) => parts.log.error({ step, err }, 'an account is not erased yet'),
  });
}
