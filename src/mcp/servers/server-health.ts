import { Lru } from '../../lib/lru.ts';
import { limits } from './limits.ts';
import type { McpServer } from './mcp-server.ts';

/** What a process has seen of a server. */
export interface ServerHealth {
  readonly lastSuccessAtMs: number | undefined;
  readonly lastError: { readonly atMs: number; readonly message: string } | undefined;
  /** Whether the last request failed. */
  readonly isFailing: boolean;
  readonly requests: number;
  readonly failures: number;
  /** Of the last request that succeeded. */
  readonly latencyMs: number | undefined;
  readonly protocolVersion: string | undefined;
  readonly serverName: string | undefined;
  readonly serverVersion: string | undefined;
  readonly tools: number | undefined;
  /** Of the list of tools with their descriptions. */
  readonly listDigest: string | undefined;
  /** When the list has changed since it was first seen. */
  readonly listChangedAtMs: number | undefined;
  readonly listChanges: number;
  /** Tools that are not offered because they break a rule. */
  readonly leftOut: readonly string[];
}

const unknown: ServerHealth = {
  lastSuccessAtMs: undefined,
  lastError: undefined,
  isFailing: false,
  requests: 0,
  failures: 0,
  latencyMs: undefined,
  protocolVersion: undefined,
  serverName: undefined,
  serverVersion: undefined,
  tools: undefined,
  listDigest: undefined,
  listChangedAtMs: undefined,
  listChanges: 0,
  leftOut: [],
};

export interface HealthEntry {
  readonly server: McpServer;
  readonly health: ServerHealth;
}

/** The health of servers as this process sees it. It begins anew with each change of a definition. */
export class ServerHealths {
  readonly #entries = new Lru<HealthEntry>(limits.healthMax);
  /** Of the operator, whose number is bounded: for metrics and diagnostics. */
  readonly #instance = new Map<string, HealthEntry>();

  of(server: McpServer): ServerHealth {
    const entry = this.#entries.get(idOf(server));
    return entry?.server.version === server.version ? entry.health : unknown;
  }

  instance(): readonly HealthEntry[] {
    return [...this.#instance.values()];
  }

  noteSuccess(server: McpServer, atMs: number, latencyMs: number): void {
    const { requests } = this.of(server);
    this.#set(server, { requests: requests + 1, lastSuccessAtMs: atMs, latencyMs, isFailing: false });
  }

  noteFailure(server: McpServer, atMs: number, message: string): void {
    const { requests, failures } = this.of(server);
    const lastError = { atMs, message };
    this.#set(server, { requests: requests + 1, failures: failures + 1, lastError, isFailing: true });
  }

  noteDescription(
    server: McpServer,
    description: Pick<ServerHealth, 'protocolVersion' | 'serverName' | 'serverVersion'>,
  ): void {
    this.#set(server, description);
  }

  noteTools(
    server: McpServer,
    atMs: number,
    list: Pick<ServerHealth, 'tools' | 'listDigest' | 'leftOut'>,
  ): void {
    const { listDigest, listChanges } = this.of(server);
    const hasChanged = listDigest !== undefined && listDigest !== list.listDigest;
    this.#set(server, {
      ...list,
      ...(hasChanged && { listChangedAtMs: atMs, listChanges: listChanges + 1 }),
    });
  }

  #set(server: McpServer, change: Partial<ServerHealth>): void {
    const entry = { server, health: { ...this.of(server), ...change } };
    this.#entries.set(idOf(server), entry);
    if (server.accountId === undefined) this.#instance.set(server.name, entry);
  }
}

function idOf({ accountId = '', name }: McpServer): string {
  return `${accountId}\n${name}`;
}
