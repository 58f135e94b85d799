import type { Migration } from '../migrate.ts';

/** MCP servers: the tools that a key may use, for whom keys act, authorizations of people, and clients at issuers. */
export const mcpAuthorization: Migration = {
  name: 'mcp-authorization',
  async up(db, { text, integer, bytes, tableEnd }) {
    await db.schema.alterTable('api_keys').addColumn('access_tools', text).execute();
    await db.schema
      .createTable('mcp_key_people')
      .addColumn('key_id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('person_id', text, (column) => column.notNull())
      .addColumn('since_ms', integer, (column) => column.notNull())
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createIndex('mcp_key_people_of_account')
      .on('mcp_key_people')
      .columns(['account_id', 'person_id'])
      .execute();
    await db.schema
      .createTable('mcp_grants')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('person_id', text, (column) => column.notNull())
      .addColumn('server', text, (column) => column.notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('resource', text, (column) => column.notNull())
      .addColumn('client_id', text, (column) => column.notNull())
      .addColumn('sealed_by', text, (column) => column.notNull())
      .addColumn('sealed', bytes, (column) => column.notNull())
      .addColumn('scope', text, (column) => column.notNull())
      .addColumn('wanted_scope', text)
      .addColumn('expires_at_ms', integer)
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('ended', integer, (column) => column.notNull())
      .addColumn('refresh_holder', text)
      .addColumn('refresh_until_ms', integer)
      .addColumn('created_at_ms', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('mcp_grants_pkey', ['account_id', 'person_id', 'server'])
      .modifyEnd(tableEnd)
      .execute();
    await db.schema
      .createTable('mcp_clients')
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('client_id', text, (column) => column.notNull())
      .addColumn('sealed_by', text)
      .addColumn('sealed', bytes)
      .addColumn('dynamic', integer, (column) => column.notNull())
      .addColumn('updated_at_ms', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('mcp_clients_pkey', ['account_id', 'issuer'])
      .modifyEnd(tableEnd)
      .execute();
  },
};
