import type { Members } from '../kernel/ports/identities.ts';
import type { Organizations } from '../kernel/ports/organizations.ts';
import { type DeletionParts, deleteAccount } from './account-deletion.ts';
import { limits } from './limits.ts';

export interface OrganizationDeletionParts extends DeletionParts {
  readonly organizations: Pick<Organizations, 'due'>;
  readonly members: Pick<Members, 'owner'>;
  /** Calls `erase`, which resolves to whether the organization is deleted. */
  audited(accountId: string, erase: () => Promise<boolean>): Promise<boolean>;
  onFailure(accountId: string, cause: unknown): void;
}

/** Deletes organizations whose time of grace is over. Several processes may do it at the same time. */
export async function deleteDueOrganizations(parts: OrganizationDeletionParts): Promise<void> {
  for (const accountId of await parts.organizations.due(parts.clock.now(), limits.erasuresAtOnce))
    try {
      const owner = await parts.members.owner(accountId);
      // Another process has deleted it meanwhile.
      if (owner === undefined) continue;
      const { id: identityId, passwordHash } = owner.identity;
      await parts.audited(accountId, async () => {
        const outcome = await deleteAccount(parts, { accountId, identityId, passwordHash });
        return outcome === 'erased';
      });
    } catch (cause) {
      parts.onFailure(accountId, cause);
    }
}
