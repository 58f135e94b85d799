import type { Kysely } from 'kysely';
import type { McpClient, McpClients, SealedSecret } from '../../kernel/ports/mcp-authorization.ts';
import type { Tables } from './tables.ts';

export class SqlMcpClients implements McpClients {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async find(accountId: string, issuer: string): Promise<McpClient | undefined> {
    const row = await this.#db
      .selectFrom('mcp_clients')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    return row && toClient(row);
  }

  async list(accountId: string): Promise<readonly McpClient[]> {
    const rows = await this.#db
      .selectFrom('mcp_clients')
      .selectAll()
      .where('account_id', '=', accountId)
      .orderBy('issuer')
      .execute();
    return rows.map(toClient);
  }

  async put(client: McpClient, most: number): Promise<boolean> {
    const others = (await this.list(client.accountId)).filter(({ issuer }) => issuer !== client.issuer);
    if (others.length >= most) return false;
    const row = toRow(client);
    await this.#db
      .insertInto('mcp_clients')
      .values(row)
      .onConflict((conflict) => conflict.columns(['account_id', 'issuer']).doUpdateSet(row))
      .execute();
    return true;
  }

  async putIfAbsent(client: McpClient): Promise<McpClient> {
    await this.#db
      .insertInto('mcp_clients')
      .values(toRow(client))
      .onConflict((conflict) => conflict.columns(['account_id', 'issuer']).doNothing())
      .execute();
    return (await this.find(client.accountId, client.issuer)) ?? client;
  }

  async delete(accountId: string, issuer: string): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('mcp_clients')
      .where('account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  async notSealedBy(sealedBy: string, most: number): Promise<readonly McpClient[]> {
    const rows = await this.#db
      .selectFrom('mcp_clients')
      .selectAll()
      .where('sealed_by', '!=', sealedBy)
      .orderBy('account_id')
      .orderBy('issuer')
      .limit(most)
      .execute();
    return rows.map(toClient);
  }

  async reseal({ accountId, issuer, secret }: McpClient, after: SealedSecret): Promise<boolean> {
    if (secret === undefined) return false;
    const { numUpdatedRows } = await this.#db
      .updateTable('mcp_clients')
      .set({ sealed_by: after.sealedBy, sealed: after.sealed })
      .where('account_id', '=', accountId)
      .where('issuer', '=', issuer)
      .where('sealed_by', '=', secret.sealedBy)
      .where('sealed', '=', secret.sealed)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
}

function toRow(client: McpClient): Tables['mcp_clients'] {
  return {
    account_id: client.accountId,
    issuer: client.issuer,
    client_id: client.clientId,
    sealed_by: client.secret?.sealedBy ?? null,
    sealed: client.secret?.sealed ?? null,
    dynamic: Number(client.isDynamic),
    updated_at_ms: client.updatedAtMs,
  };
}

function toClient(row: Tables['mcp_clients']): McpClient {
  const { sealed_by: sealedBy, sealed } = row;
  return {
    accountId: row.account_id,
    issuer: row.issuer,
    clientId: row.client_id,
    secret: sealedBy === null || sealed === null ? undefined : { sealedBy, sealed },
    isDynamic: row.dynamic === 1,
    updatedAtMs: row.updated_at_ms,
  };
}
