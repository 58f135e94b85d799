import type { TestContext } from 'node:test';
import { Sealer } from '../../src/accounts/sealer.ts';
import { AllowList, parseAllowedAddress } from '../../src/egress/allow-list.ts';
import { Egress } from '../../src/egress/egress.ts';
import { findPublicFault } from '../../src/egress/public-url.ts';
import { identityIdOf } from '../../src/kernel/ports/identities.ts';
import type { McpCaller } from '../../src/kernel/ports/mcp.ts';
import type { Database } from '../../src/kernel/ports/records.ts';
import { Authorizations, type AuthorizingPerson } from '../../src/mcp/authorization/authorizations.ts';
import { IssuerClients } from '../../src/mcp/authorization/issuer-clients.ts';
import { IssuerDirectory } from '../../src/mcp/authorization/issuer-metadata.ts';
import { PersonCredentials } from '../../src/mcp/authorization/person-credentials.ts';
import { TokenRefresh } from '../../src/mcp/authorization/token-refresh.ts';
import { TokenVault } from '../../src/mcp/authorization/token-vault.ts';
import type { McpServer } from '../../src/mcp/servers/mcp-server.ts';
import { MemoryRateLimiter } from '../../src/storage/memory/memory-rate-limiter.ts';
import { openSqliteInMemory } from '../../src/storage/sql/sqlite.ts';
import { cleanUp } from './clean-up.ts';
import { ManualClock } from './manual-clock.ts';
import { ProtectedServer, ScriptedAuthority } from './scripted-authority.ts';

export const accountId = '3f0f7c5e-7a37-4b0b-9d5a-2f3c1c0a0001';

/** What the replicas seal with. */
export const stageKey = Buffer.alloc(32, 'test');

/** An account with a person, an MCP server, and the authority that the server trusts. */
export class AuthorizationStage {
  readonly authority: ScriptedAuthority;
  readonly server: ProtectedServer;
  readonly database: Database;
  readonly clock = new ManualClock();
  readonly address = { url: 'https://weir.example' };
  readonly person: AuthorizingPerson = personOf(accountId);
  /** Sessions that have ended. */
  readonly endedSessions = new Set<string>();
  readonly definitions = new Map<string, McpServer>();
  readonly #egress: Egress;
  readonly #allowed: string[];
  readonly #counts = new MemoryRateLimiter(this.clock);

  static async open(t: TestContext): Promise<AuthorizationStage> {
    const authority = await ScriptedAuthority.start(t);
    const server = await ProtectedServer.start(t, authority);
    const database = await openSqliteInMemory();
    const egress = new Egress({ isPublicOnly: true });
    cleanUp(t, () => egress.close());
    cleanUp(t, () => database.close());
    const stage = new AuthorizationStage({ authority, server, database, egress });
    await database.identities.add({
      identity: { id: identityIdOf(accountId), email: 'ann@example.com', createdAtMs: 0, passwordHash: 'x' },
      account: { id: accountId, tier: 'free', period: undefined },
    });
    return stage;
  }

  private constructor(
    parts: Pick<AuthorizationStage, 'authority' | 'server' | 'database'> & { readonly egress: Egress },
  ) {
    this.authority = parts.authority;
    this.server = parts.server;
    this.database = parts.database;
    this.#egress = parts.egress;
    this.#allowed = [parts.authority.url, parts.server.origin];
    this.define();
  }

  /** Lets the gateway connect to a further address. */
  allow(origin: string): void {
    this.#allowed.push(origin);
  }

  define(more: Partial<McpServer> = {}, url = this.server.url): McpServer {
    const server: McpServer = {
      ...{ accountId, name: 'notes', version: crypto.randomUUID(), isEnabled: true, timeoutMs: 10_000 },
      transport: { kind: 'http', url, authorization: 'person' },
      ...{ tools: { allow: [], deny: [] }, access: [], projects: [] },
      ...more,
    };
    this.definitions.set(server.name, server);
    return server;
  }

  get definition(): McpServer {
    const server = this.definitions.get('notes');
    if (server === undefined) throw new Error('the server is not defined');
    return server;
  }

  /** One process of the gateway. */
  replica(sealer = new Sealer([stageKey])) {
    const { database, clock, address } = this;
    const grants = database.mcpGrants;
    const allowList = new AllowList(
      this.#allowed.flatMap((origin) => parseAllowedAddress(`mcp=${origin}`) ?? []),
    );
    const isListed = (origin: string) => allowList.allowsByName('mcp', origin);
    const fetch = this.#egress.openFetch({
      purpose: 'mcp',
      isOwn: true,
      reachOf: (origin) => (isListed(origin) ? 'any' : origin.startsWith('https:') ? 'public' : undefined),
    });
    const issuers = new IssuerDirectory({
      ...{ fetch, clock },
      findAddressFault: (url) => (isListed(url.origin) ? undefined : findPublicFault(url)),
    });
    const clients = new IssuerClients({ clients: database.mcpClients, sealer, fetch, clock, address });
    const vault = new TokenVault(sealer, clock);
    const refresh = new TokenRefresh({ grants, vault, issuers, clients, clock });
    const authorizations = new Authorizations({
      ...{ grants, vault, issuers, clients, fetch, sealer, clock },
      servers: { serversOf: async () => this.definitions },
      counts: this.#counts,
      isAlive: async ({ sessionId }) => !this.endedSessions.has(sessionId),
    });
    const credentials = new PersonCredentials({ grants, vault, refresh, clock, address });
    const callerOf = async () => this.person.caller;
    return {
      ...{ authorizations, clients, fetch },
      credential: (caller: McpCaller = this.person.caller) => {
        const credential = credentials.of(caller, this.definition);
        if (credential.kind !== 'person') throw new Error('the credential is of no person');
        return credential;
      },
      /** The person confirms; where their browser is sent, and with which cookie. */
      begin: async (person = this.person) => {
        const { ticket } = await authorizations.ask(person, 'notes', '/modules');
        return authorizations.begin(person, ticket);
      },
      finish: (back: URL, cookie: string | undefined) => {
        const tag = back.pathname.split('/').at(-1) ?? '';
        return authorizations.finish({ tag, query: back.search, cookie, callerOf });
      },
    };
  }

  /** A person who has authorized the gateway. */
  async authorize(replica = this.replica()): Promise<void> {
    const { url, cookie } = await replica.begin();
    await replica.finish(this.authority.agree(url), cookie);
  }
}

export function personOf(id: string, sessionId = 'session'): AuthorizingPerson {
  const caller: McpCaller = {
    ...{ accountId, keyId: null, projectId: null, access: undefined, endUser: undefined },
    ...{ personId: id, roles: ['owner'] },
  };
  return { accountId, personId: id, sessionId, caller };
}
