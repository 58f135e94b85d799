import { AccountEraser, type EraseStep } from '../accounts/account-eraser.ts';
import { cacheName } from '../calls/module-caches.ts';
import { scopeOf } from '../kernel/caller.ts';
import { prefixCacheScope } from '../kernel/conversation/prefix-guard.ts';
import type { Module } from '../kernel/module.ts';
import type { VectorStores } from '../kernel/ports/vectors.ts';
import { sessionsScope } from '../mcp/front/sessions.ts';
import { mailScope } from '../mcp/upstream/call-mailbox.ts';
import type { Log } from '../telemetry/log.ts';
import type { Stores } from './parts/stores.ts';

interface EraseParts {
  readonly stores: Pick<Stores, 'database' | 'erase'>;
  readonly modules: ReadonlyMap<string, Module>;
  readonly embeddingsPart: { readonly vectors: VectorStores };
  readonly log: Pick<Log, 'error'>;
}

/** Every place that stores account data. New stores of account data must be added here. */
function eraseSteps({ stores, modules, embeddingsPart }: EraseParts): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'rows', erase: (accountId) => database.erasures.deleteRows(accountId) },
    { name: 'audit log', erase: (accountId) => database.audit.forget(accountId) },
    // A person has the id of the account that they signed up with, and goes with it.
    { name: 'personal values', erase: (accountId) => database.audit.forgetPerson(accountId) },
    ...contentSteps({ stores, modules, embeddingsPart }),
    { name: 'files', erase: () => database.erasures.purgeDeleted() },
  ];
}

/** Learned, cached and configured content that is used in an account's calls. */
function contentSteps({ stores, modules, embeddingsPart }: Omit<EraseParts, 'log'>): readonly EraseStep[] {
  const { database } = stores;
  return [
    { name: 'configurations', erase: (accountId) => database.configurations.forget(accountId) },
    { name: 'authorizations at MCP servers', erase: (accountId) => database.mcpGrants.forget(accountId) },
    { name: 'prompts', erase: (accountId) => database.prompts.forget(accountId) },
    { name: 'vectors', erase: (accountId) => embeddingsPart.vectors.forget(scopeOfAccount(accountId)) },
    // Somebody else may have added the addresses.
    { name: 'alerts', erase: (accountId) => database.alerts.forget(accountId) },
    { name: 'key states', erase: (accountId) => database.keyActivities.forget(accountId) },
    { name: 'batches', erase: (accountId) => database.ownBatches.forget(accountId) },
    { name: 'files of batches', erase: (accountId) => database.callFiles.forget(accountId) },
    { name: 'recordings', erase: (accountId) => database.recordings.forget(accountId) },
    // Includes decisions of modules in conversations.
    { name: 'module stores', erase: (accountId) => database.modules.forget(scopeOfAccount(accountId)) },
    { name: 'collections', erase: (accountId) => database.collections.forget(scopeOfAccount(accountId)) },
    // Cached answers, stored turns, prefixes sent to providers, sessions of MCP clients, counts and budgets.
    {
      name: 'memory',
      erase: (accountId) =>
        stores.erase({
          accountId,
          shelves: [
            ...cacheScopesOf(scopeOfAccount(accountId), modules),
            ...[sessionsScope(accountId), mailScope(accountId)],
          ],
        }),
    },
  ];
}

/** Deletes content of an account that changed hands: it would appear in the new owner's prompts or answers. */
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

interface EraserParts extends EraseParts {
  readonly stores: Pick<Stores, 'database' | 'erase' | 'clock'>;
  deleteDue(): Promise<void>;
}

export function createAccountEraser(parts: EraserParts): AccountEraser {
  return new AccountEraser({
    erasures: parts.stores.database.erasures,
    steps: eraseSteps(parts),
    clock: parts.stores.clock,
    deleteDue: parts.deleteDue,
    onFailure: (step, err) =>
      parts.log.error({ step, err }, 'a step of erasing an account failed; it will be retried'),
  });
}
