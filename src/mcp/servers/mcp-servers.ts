import { hash, randomUUID } from 'node:crypto';
import type { KeyOwner, ProviderKeyVault } from '../../accounts/provider-key-vault.ts';
import type { AccountConfigurations } from '../../calls/account-configurations.ts';
import { mcpServersKind } from '../../calls/configuration-kinds.ts';
import { limits as callLimits } from '../../calls/limits.ts';
import type { ListedConfigurations } from '../../kernel/configuration.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { Configurations, StoredConfiguration } from '../../kernel/ports/configurations.ts';
import type { McpGrants } from '../../kernel/ports/mcp-authorization.ts';
import type { PresentedCredential } from '../../kernel/ports/records.ts';
import type { Versions } from '../../kernel/ports/shared-state.ts';
import type { Clock } from '../../lib/clock.ts';
import { jsonObjectIn } from '../../lib/json.ts';
import { Secret } from '../../lib/secret.ts';
import type { InstanceServers } from './instance-servers.ts';
import { limits } from './limits.ts';
import type { McpServer } from './mcp-server.ts';
import { checkServerName, serversBound, unknownServerError } from './server-name.ts';
import type { McpServerSettings } from './server-settings.ts';
import { readServer, type StoredServer, secretsTarget, serverContent, toServer } from './stored-server.ts';

/** Whose servers: a call has the version of its account, others see the newest state. */
export interface ServerOwner {
  readonly accountId: string;
  readonly version?: string | undefined;
}

interface ServerId {
  readonly accountId: string;
  readonly name: string;
}

export interface McpServersParts {
  readonly table: Configurations;
  readonly configurations: Pick<AccountConfigurations, 'setOf'>;
  readonly vault: ProviderKeyVault;
  readonly grants: Pick<McpGrants, 'forgetServer'>;
  readonly versions: Versions;
  readonly clock: Clock;
  readonly instance: InstanceServers;
  /** Why an account can't have this server; undefined if it can. */
  refusal(settings: McpServerSettings): string | undefined;
}

/** A server that an account has defined. */
export interface AccountServer {
  readonly server: McpServer;
  readonly stored: StoredServer;
  readonly updatedAtMs: number;
}

/** Names with their values; null for the value that is stored. */
type NewSecrets = ReadonlyMap<string, string | null>;
export type ServerSecrets = Readonly<Record<string, string>>;

/** The MCP servers that accounts and the operator have defined. Calls read them from memory, for one version of the account. */
export class McpServers {
  readonly #parts: McpServersParts;
  readonly #servers = new WeakMap<ListedConfigurations, ReadonlyMap<string, McpServer>>();
  readonly #stored = new WeakMap<McpServer, StoredServer>();

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  /**
   * All that the account can use, by name, also disabled ones and those of other projects. One of the account comes before one of the
   * operator with the same name.
   */
  async serversOf({ accountId, version }: ServerOwner): Promise<ReadonlyMap<string, McpServer>> {
    const { configurations, versions, instance } = this.#parts;
    const set = await configurations.setOf(accountId, version ?? (await versions.of(accountId)));
    const known = this.#servers.get(set);
    if (known !== undefined) return known;
    const own = set.names.flatMap(({ module, name }) => {
      const content = module === mcpServersKind ? set.find(module, name) : undefined;
      const stored = content && readServer(content);
      if (stored === undefined || this.#parts.refusal(stored.settings) !== undefined) return [];
      const server = toServer(accountId, name, stored);
      this.#stored.set(server, stored);
      return [[name, server] as const];
    });
    const servers = new Map([...instance.servers, ...own]);
    this.#servers.set(set, servers);
    return servers;
  }

  /** The headers of requests to a server, or the variables of its program. */
  async secretsOf(server: McpServer): Promise<ServerSecrets> {
    const { accountId, name } = server;
    if (accountId === undefined) return this.#parts.instance.secretsOf(name);
    const stored = this.#stored.get(server) ?? (await this.#find({ accountId, name }))?.stored;
    if (stored === undefined || stored.secrets.length === 0) return {};
    const slot = slotOf({ accountId, name }, stored.settings);
    const version = await this.#parts.versions.of(accountId);
    const [first] = await this.#parts.vault
      .open(accountId, slot.provider, version)
      .catch((error: unknown) => {
        if (!GatewayError.is(error) || error.code !== 'provider_key_unreadable') throw error;
        throw new GatewayError(
          'mcp_server_refused',
          `the secrets of the MCP server "${name}" can't be decrypted with this gateway's secret; store them again with PUT /v1/mcp/servers/${name}`,
        );
      });
    return readSecrets(first?.secret);
  }

  /** Those of the account, by name. */
  async list(accountId: string): Promise<readonly AccountServer[]> {
    const rows = (await this.#parts.table.list(accountId)).filter(({ module }) => module === mcpServersKind);
    return rows.flatMap((row) => {
      const stored = readServer(row.content);
      if (stored === undefined) return [];
      const server = toServer(accountId, row.name, stored);
      this.#stored.set(server, stored);
      return [{ server, stored, updatedAtMs: row.updatedAtMs }];
    });
  }

  async get(id: ServerId): Promise<AccountServer> {
    const found = await this.#find(id);
    if (found === undefined) throw unknownServerError(id.name);
    return found;
  }

  /** Stores one, or replaces it; in use on every replica once this resolves. */
  async put(
    id: ServerId,
    definition: Pick<StoredServer, 'settings' | 'document'>,
    { secrets, shown }: { readonly secrets: NewSecrets; readonly shown: PresentedCredential | undefined },
  ): Promise<AccountServer> {
    const { table, vault, versions, clock } = this.#parts;
    const { accountId, name } = id;
    checkServerName(name);
    const refusal = this.#parts.refusal(definition.settings);
    if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
    const rows = (await table.list(accountId)).filter(({ module }) => module === mcpServersKind);
    const isNew = rows.every((row) => row.name !== name);
    if (isNew && rows.length >= limits.serversMax)
      throw new GatewayError('mcp_server_limit_reached', `${serversBound}; delete one`);
    const content = serverContent({ ...definition, secrets: [...secrets.keys()] });
    const slot = slotOf(id, definition.settings);
    // First, so that calls never miss them; those of another target are stored elsewhere.
    if (secrets.size > 0)
      await vault.put(slot, await this.#complete(slot, secrets), { hintSource: '', shown });
    const row: StoredConfiguration = {
      ...{ accountId, module: mcpServersKind, name, version: randomUUID(), updatedAtMs: clock.now() },
      content,
    };
    const most = callLimits.configurationsMax;
    const charactersMost = callLimits.configurationsCharactersMax;
    if (!(await table.put(row, { most, charactersMost, shown }))) {
      if (isNew) await vault.delete(slot);
      throw new GatewayError(
        'configuration_limit_reached',
        `an account has at most ${most} configurations, providers and MCP servers, with ${charactersMost} characters of JSON in all`,
      );
    }
    await this.#forgetSecrets(id, secrets.size > 0 ? slot.provider : undefined);
    await versions.renew(accountId);
    return this.get(id);
  }

  /** Deletes one with its secrets, for all targets that it has had, and the authorizations of people. */
  async delete(id: ServerId): Promise<void> {
    const { table, grants, versions } = this.#parts;
    await this.#forgetSecrets(id, undefined);
    const isDeleted = await table.delete({ ...id, module: mcpServersKind });
    await grants.forgetServer(id.accountId, id.name);
    await versions.renew(id.accountId);
    if (!isDeleted) throw unknownServerError(id.name);
  }

  async #find({ accountId, name }: ServerId): Promise<AccountServer | undefined> {
    return (await this.list(accountId)).find(({ server }) => server.name === name);
  }

  async #forgetSecrets({ accountId, name }: ServerId, kept: string | undefined): Promise<void> {
    const { vault } = this.#parts;
    for (const { provider } of await vault.list(accountId))
      if (provider.startsWith(`mcp/${name}@`) && provider !== kept)
        await vault.delete({ accountId, provider });
  }

  /** The secrets as they are stored, with those values that stay. */
  async #complete(slot: KeyOwner, secrets: NewSecrets): Promise<Secret> {
    const isPartial = [...secrets.values()].includes(null);
    const [first] = isPartial ? await this.#parts.vault.keysOf(slot) : [];
    const known = readSecrets(first?.secret);
    const complete = [...secrets].map(([name, value]): [string, string] => {
      const text = value ?? known[name];
      if (text !== undefined) return [name, text];
      throw new GatewayError(
        'invalid_request',
        `${name}: no value is stored for this address or program; send one`,
        { param: name },
      );
    });
    return new Secret(JSON.stringify(Object.fromEntries(complete)));
  }
}

/**
 * Where the secrets of a server are stored. It has the target in it, so that a secret that was given for one server is never sent to another
 * one, whatever is changed in whatever order.
 */
function slotOf({ accountId, name }: ServerId, settings: McpServerSettings): KeyOwner {
  return { accountId, provider: `mcp/${name}@${hash('sha256', secretsTarget(settings)).slice(0, 24)}` };
}

function readSecrets(secret: Secret | undefined): ServerSecrets {
  const fields = secret === undefined ? undefined : jsonObjectIn(secret.reveal());
  return Object.fromEntries(
    Object.entries(fields ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}
