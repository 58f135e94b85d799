import { Sealer } from '../../accounts/sealer.ts';
import type { Audit } from '../../audit/audit.ts';
import type { AllowList } from '../../egress/allow-list.ts';
import type { Egress } from '../../egress/egress.ts';
import { findPublicFault } from '../../egress/public-url.ts';
import { GatewayError } from '../../kernel/errors.ts';
import { identityIdOf } from '../../kernel/ports/identities.ts';
import type { McpCaller } from '../../kernel/ports/mcp.ts';
import { localPersonId, McpCallers } from '../../mcp/access/mcp-callers.ts';
import { AuthorizationFailure } from '../../mcp/authorization/authorization-failure.ts';
import { Authorizations, type AuthorizingPerson } from '../../mcp/authorization/authorizations.ts';
import { IssuerClients } from '../../mcp/authorization/issuer-clients.ts';
import { IssuerDirectory } from '../../mcp/authorization/issuer-metadata.ts';
import { PersonCredentials } from '../../mcp/authorization/person-credentials.ts';
import { TokenRefresh } from '../../mcp/authorization/token-refresh.ts';
import { TokenVault } from '../../mcp/authorization/token-vault.ts';
import type { McpServers } from '../../mcp/servers/mcp-servers.ts';
import { keyPeopleRoutes } from '../../server/api/routes/key-people.ts';
import { mcpAuthorizationRoutes } from '../../server/api/routes/mcp-authorizations.ts';
import { mcpClientRoutes } from '../../server/api/routes/mcp-clients.ts';
import { mcpConsentRoutes } from '../../server/api/routes/mcp-consent.ts';
import type { Part } from '../part.ts';
import type { RootSecrets } from '../secrets.ts';
import type { Settings } from '../settings.ts';
import { version } from '../version.ts';
import { mcpPurpose } from './egress.ts';
import type { IdentityPart, PublicAddress } from './identity.ts';
import type { Stores } from './stores.ts';

export interface McpAuthorizationPart extends Part {
  readonly mcpCallers: McpCallers;
  readonly personCredentials: PersonCredentials;
}

interface McpAuthorizationParts {
  readonly settings: Settings;
  readonly roots: RootSecrets;
  readonly stores: Stores;
  readonly egress: Egress;
  readonly allowList: AllowList;
  readonly audit: Pick<Audit, 'record'>;
  readonly identity: IdentityPart;
  readonly address: PublicAddress;
  readonly servers: Pick<McpServers, 'serversOf'>;
}

/** Who makes requests to MCP servers, and with which authorizations of people. */
export function mcpAuthorizationPart(parts: McpAuthorizationParts): McpAuthorizationPart {
  const { stores, roots, audit, identity, address, servers } = parts;
  const { services } = identity;
  const { database, clock, shared } = stores;
  const { mcpGrants: grants, mcpKeyPeople: people } = database;
  const { fetch, findAddressFault } = openOutside(parts);
  const mcpCallers = new McpCallers(people);
  const clients = new IssuerClients({
    ...{ fetch, clock, address },
    clients: database.mcpClients,
    sealer: new Sealer(roots.deriveKeys('mcp clients')),
  });
  const issuers = new IssuerDirectory({ fetch, clock, findAddressFault });
  const vault = new TokenVault(new Sealer(roots.deriveKeys('mcp tokens')), clock);
  const refresh = new TokenRefresh({ grants, vault, issuers, clients, clock });
  const authorizations = new Authorizations({
    ...{ servers, grants, vault, issuers, clients, fetch, clock },
    sealer: new Sealer(roots.deriveKeys('mcp authorizations')),
    counts: shared.rateLimiter,
    isAlive: (person) => isAlive(parts, person),
  });
  return {
    mcpCallers,
    personCredentials: new PersonCredentials({ grants, vault, refresh, clock, address }),
    routes: [
      ...mcpAuthorizationRoutes({ authorizations, address }),
      ...mcpConsentRoutes({
        ...{ authorizations, address },
        callerOf: (person) => callerOf(parts, mcpCallers, person),
        nameOf: async ({ accountId, personId }) =>
          (await database.members.find(identityIdOf(personId), accountId))?.identity.email,
        record: (entry) => audit.record(entry),
      }),
      ...mcpClientRoutes({ clients, findAddressFault }),
      ...(services === undefined ? [] : keyPeopleRoutes({ keys: services.accountKeys, people, clock })),
    ],
    features: ['mcp-authorization'],
  };
}

/** Servers and issuers choose these addresses: https to public ones, and others that the operator allows by name. */
function openOutside({ settings, egress, allowList }: McpAuthorizationParts) {
  const isListed = (origin: string) => allowList.allowsByName(mcpPurpose, origin);
  const fetch = egress.openFetch({
    purpose: mcpPurpose,
    isOwn: settings.mode === 'cloud',
    headers: { 'user-agent': `weir/${version}` },
    reachOf(origin) {
      if (isListed(origin)) return 'any';
      return origin.startsWith('https:') ? 'public' : undefined;
    },
  });
  const findAddressFault = (url: URL) => (isListed(url.origin) ? undefined : findPublicFault(url));
  return { fetch, findAddressFault };
}

async function isAlive(
  { stores, identity }: McpAuthorizationParts,
  { accountId, personId, sessionId }: Pick<AuthorizingPerson, 'accountId' | 'personId' | 'sessionId'>,
): Promise<boolean> {
  if (identity.services === undefined) return personId === localPersonId;
  const session = await stores.database.sessions.find(sessionId);
  const isSame = session?.accountId === accountId && String(session.identityId) === personId;
  return isSame && session.expiresAtMs > stores.clock.now();
}

/** A person without a key, with the role as of now. */
async function callerOf(
  { stores, identity }: McpAuthorizationParts,
  callers: McpCallers,
  { accountId, personId }: Pick<AuthorizingPerson, 'accountId' | 'personId'>,
): Promise<McpCaller> {
  if (identity.services === undefined) return callers.ofKey({ accountId, keyId: null, endUser: undefined });
  const member = await stores.database.members.find(identityIdOf(personId), accountId);
  if (member === undefined) throw new AuthorizationFailure('removed');
  const { identity: person, role } = member;
  if (person.disabledAtMs !== undefined)
    throw new GatewayError('account_disabled', 'this account is disabled');
  return callers.ofMember({ accountId, personId, role });
}
