import { limits } from '../../accounts/limits.ts';
import { Provisioning } from '../../accounts/scim/provisioning.ts';
import { ScimTokens } from '../../accounts/scim/scim-tokens.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AuditRecord } from '../../audit/facts.ts';
import type { ScimEffect } from '../../kernel/ports/scim.ts';
import { scimDiscoveryRoutes } from '../../server/api/routes/scim/scim-discovery.ts';
import { scimGroupRoutes } from '../../server/api/routes/scim/scim-groups.ts';
import { scimTokenRoutes } from '../../server/api/routes/scim/scim-tokens.ts';
import { scimUserRoutes } from '../../server/api/routes/scim/scim-users.ts';
import { createContentEraser } from '../erase-steps.ts';
import type { Part } from '../part.ts';
import type { Settings } from '../settings.ts';
import type { PublicAddress } from './identity.ts';
import type { Stores } from './stores.ts';

type ScimParts = Parameters<typeof createContentEraser>[0] & {
  readonly settings: Pick<Settings, 'mode' | 'keyPrefix'>;
  readonly stores: Stores;
  readonly audit: Pick<Audit, 'record'>;
  readonly address: PublicAddress;
};

interface ScimPart extends Part {
  /** Sets roles anew, after the roles of groups have changed. */
  settleRoles(accountId: string, actor: string): Promise<void>;
}

/** People and groups that identity providers manage; in cloud mode. */
export function scimPart(parts: ScimParts): ScimPart {
  const { settings, stores, audit, address } = parts;
  if (settings.mode === 'local') return { settleRoles: async () => undefined };
  const { database, clock, shared } = stores;
  const { scimUsers, scimGroups, scimTokens, signOnDomains: domains } = database;
  const tokens = new ScimTokens({ scimTokens, clock, keyPrefix: settings.keyPrefix });
  const provisioning = new Provisioning({
    ...{ scimUsers, scimGroups, domains, clock },
    versions: shared.versions,
    forgetContent: createContentEraser(parts),
    async onEffects({ accountId: account, actor }, { members }) {
      for (let at = 0; at < members.length; at += limits.scimAuditedAtOnce)
        await Promise.all(
          members
            .slice(at, at + limits.scimAuditedAtOnce)
            .map((effect) => audit.record({ ...recordOf(effect), account, actor })),
        );
    },
  });
  const routeParts = { provisioning, tokens, address };
  return {
    routes: [
      ...scimTokenRoutes(routeParts),
      ...scimDiscoveryRoutes(routeParts),
      ...scimUserRoutes(routeParts),
      ...scimGroupRoutes(routeParts),
    ],
    features: ['scim'],
    settleRoles: (accountId, actor) => provisioning.settleRoles({ accountId, actor }),
  };
}

function recordOf({ identityId, before, after }: ScimEffect): AuditRecord {
  const member = String(identityId);
  if (after === undefined) return { event: 'member.removed', member, ...(before && { roleBefore: before }) };
  if (before === undefined) return { event: 'member.joined', member, role: after };
  return { event: 'member.role_changed', member, role: after, roleBefore: before };
}
