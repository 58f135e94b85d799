import { type Kysely, type RawBuilder, sql } from 'kysely';
import { scopeOf } from '../../kernel/caller.ts';
import { limits } from '../../kernel/limits.ts';
import type { AccountRow, AccountRows } from '../../kernel/ports/account-rows.ts';
import { isJsonObject } from '../../lib/json.ts';
import type { Tables } from './tables.ts';

interface ExportedTable {
  readonly type: string;
  readonly from: RawBuilder<unknown>;
  /** The column with the account's id, or with its scope. */
  readonly ownerColumn: 'id' | 'account_id' | 'chain' | 'owner' | 'scope';
  /** The columns that identify a row within an account, in sort order. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

const tokenColumns = ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'] as const;

/** Every table with data of accounts needs an entry here. */
const exportedTables: readonly ExportedTable[] = [
  {
    type: 'account',
    from: sql`users`,
    ownerColumn: 'id',
    key: ['id'],
    columns: [
      ...['email', 'name', 'tier', 'period_start_ms', 'period_end_ms', 'created_at_ms', 'verified_at_ms'],
      'deletes_at_ms',
    ],
  },
  {
    type: 'member',
    from: sql`memberships inner join identities on identities.id = memberships.identity_id`,
    ownerColumn: 'account_id',
    key: ['identity_id'],
    columns: ['email', 'role', 'memberships.created_at_ms'],
  },
  {
    type: 'member_invitation',
    from: sql`member_invitations`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['email', 'role', 'created_at_ms', 'expires_at_ms'],
  },
  {
    type: 'project',
    from: sql`projects`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['name', 'created_at_ms', 'archived_at_ms'],
  },
  {
    type: 'project_member',
    from: sql`project_members`,
    ownerColumn: 'account_id',
    key: ['project_id', 'member_id'],
    columns: ['role', 'created_at_ms'],
  },
  {
    type: 'sign_on',
    from: sql`sign_ons`,
    ownerColumn: 'account_id',
    key: ['account_id'],
    columns: [
      ...['issuer', 'client_id', 'groups_claim', 'group_roles', 'default_role', 'enforced', 'break_glass'],
      'updated_at_ms',
    ],
  },
  {
    type: 'sign_on_domain',
    from: sql`sign_on_domains`,
    ownerColumn: 'account_id',
    key: ['domain'],
    columns: ['token', 'added_at_ms', 'proven_at_ms', 'proven_by'],
  },
  {
    type: 'sign_on_subject',
    from: sql`sign_on_subjects`,
    ownerColumn: 'account_id',
    key: ['issuer', 'subject'],
    columns: ['identity_id', 'since_ms'],
  },
  {
    type: 'mcp_authorization',
    from: sql`mcp_grants`,
    ownerColumn: 'account_id',
    key: ['person_id', 'server'],
    columns: ['issuer', 'resource', 'scope', 'ended', 'created_at_ms', 'updated_at_ms'],
  },
  {
    type: 'mcp_client',
    from: sql`mcp_clients`,
    ownerColumn: 'account_id',
    key: ['issuer'],
    columns: ['client_id', 'dynamic', 'updated_at_ms'],
  },
  {
    type: 'mcp_key_person',
    from: sql`mcp_key_people`,
    ownerColumn: 'account_id',
    key: ['key_id'],
    columns: ['person_id', 'since_ms'],
  },
  {
    type: 'service_account',
    from: sql`service_accounts`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['name', 'role', 'created_at_ms', 'disabled_at_ms'],
  },
  {
    type: 'service_account_token',
    from: sql`service_account_tokens`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['service_account_id', 'created_at_ms', 'used_at_ms', 'expires_at_ms'],
  },
  {
    type: 'token_issuer',
    from: sql`token_issuers`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['issuer', 'audience', 'rules', 'created_at_ms', 'updated_at_ms'],
  },
  {
    type: 'scim_token',
    from: sql`scim_tokens`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['name', 'created_at_ms', 'used_at_ms'],
  },
  {
    type: 'scim_user',
    from: sql`scim_users`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: [
      ...['user_name', 'external_id', 'email', 'active', 'display_name', 'name', 'identity_id'],
      ...['created_at_ms', 'updated_at_ms'],
    ],
  },
  {
    type: 'scim_group',
    from: sql`scim_groups`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['display_name', 'external_id', 'created_at_ms', 'updated_at_ms'],
  },
  {
    type: 'scim_group_member',
    from: sql`scim_group_members`,
    ownerColumn: 'account_id',
    key: ['group_id', 'user_id'],
    columns: [],
  },
  {
    type: 'session',
    from: sql`sessions`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['client', 'created_at_ms', 'used_at_ms', 'expires_at_ms'],
  },
  {
    type: 'key',
    from: sql`api_keys`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: [
      'prefix',
      'name',
      'owner',
      'project_id',
      'pipeline_config',
      'modules_since',
      'record',
      'requests_per_minute',
      'tokens_per_minute',
      'concurrent',
      'access_models',
      'access_providers',
      'access_tools',
      'access_pipelines',
      'access_addresses',
      'expires_at_ms',
      'end_user',
      'created_at_ms',
      'last_used_at_ms',
      'revoked_at_ms',
    ],
  },
  {
    type: 'provider_key',
    from: sql`provider_keys`,
    ownerColumn: 'account_id',
    key: ['provider'],
    columns: ['id', 'name', 'weight', 'hint', 'updated_at_ms'],
  },
  {
    type: 'provider_key',
    from: sql`further_provider_keys`,
    ownerColumn: 'account_id',
    key: ['provider', 'id'],
    columns: ['name', 'weight', 'hint', 'updated_at_ms'],
  },
  {
    type: 'configuration',
    from: sql`configurations`,
    ownerColumn: 'account_id',
    key: ['module', 'name'],
    columns: ['content', 'updated_at_ms'],
  },
  {
    type: 'prompt_version',
    from: sql`prompt_versions`,
    ownerColumn: 'account_id',
    key: ['name', 'version'],
    columns: ['content', 'note', 'created_at_ms'],
  },
  {
    type: 'prompt_label',
    from: sql`prompt_labels`,
    ownerColumn: 'account_id',
    key: ['name', 'label'],
    columns: ['version', 'updated_at_ms'],
  },
  {
    type: 'batch',
    from: sql`own_batches`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: [
      ...['file_id', 'state', 'calls', 'completed', 'failed', 'cost_nano_usd', 'made_at_ms', 'expires_at_ms'],
      'ended_at_ms',
    ],
  },
  {
    type: 'call_file',
    from: sql`call_files`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['call_path', 'models', 'calls', 'bytes', 'made_at_ms', 'expires_at_ms'],
  },
  {
    type: 'webhook',
    from: sql`webhooks`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['channel', 'events', 'created_at_ms', 'disabled_at_ms', 'disabled_reason'],
  },
  {
    type: 'alert',
    from: sql`alert_deliveries`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: ['webhook_id', 'message_id', 'type', 'body', 'at_ms', 'attempts', 'delivered_at_ms'],
  },
  {
    type: 'key_state',
    from: sql`key_states`,
    ownerColumn: 'account_id',
    key: ['key_id'],
    columns: ['state', 'saved_ms'],
  },
  {
    type: 'usage',
    from: sql`usage_days`,
    ownerColumn: 'account_id',
    key: ['day', 'key_id', 'provider', 'model'],
    columns: ['requests', 'failed', ...tokenColumns, 'cost_nano_usd'],
  },
  {
    type: 'module_usage',
    from: sql`module_days`,
    ownerColumn: 'account_id',
    key: ['day', 'module'],
    columns: ['calls', 'saved_nano_usd', 'spent_nano_usd'],
  },
  {
    type: 'tag_usage',
    from: sql`tag_days`,
    ownerColumn: 'account_id',
    key: ['day', 'tag', 'value'],
    columns: ['requests', 'failed', ...tokenColumns, 'cost_nano_usd'],
  },
  {
    type: 'budget',
    from: sql`budgets`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: [
      ...['name', 'scope', 'subject', 'value', 'period', 'limit_nano_usd', 'mode', 'thresholds'],
      ...['created_at_ms', 'updated_at_ms'],
    ],
  },
  {
    type: 'budget_usage',
    from: sql`budget_hours`,
    ownerColumn: 'account_id',
    key: ['budget_id', 'value', 'hour_ms'],
    columns: ['cost_nano_usd'],
  },
  {
    type: 'request',
    from: sql`requests`,
    ownerColumn: 'account_id',
    key: ['id'],
    columns: [
      ...['at_ms', 'key_id', 'asked_by', 'model_asked', 'model_used', 'provider', 'wire', 'streamed'],
      ...[
        'status',
        'ending',
        'error_code',
        ...tokenColumns,
        'reasoning_tokens',
        'cost_nano_usd',
        'saved_nano_usd',
      ],
      ...['content_us', 'total_us', 'overhead_us', 'pipeline', 'steps', 'attempts', 'agent', 'weight'],
      ...[
        'client',
        'conversation',
        'end_user',
        'provider_error',
        'error_message',
        'provider_request_id',
        'stop_reason',
        'parent_conversation',
        'turn',
        'tags',
        'units',
      ],
    ],
  },
  {
    type: 'conversation',
    from: sql`conversations`,
    ownerColumn: 'account_id',
    key: ['conversation'],
    columns: [
      ...['requests', 'failed', ...tokenColumns, 'cost_nano_usd', 'saved_nano_usd'],
      ...['first_ms', 'last_ms', 'key_id', 'client', 'end_user', 'models'],
    ],
  },
  {
    type: 'end_user',
    from: sql`end_user_days`,
    ownerColumn: 'account_id',
    key: ['end_user', 'at_ms'],
    columns: ['requests', 'failed', ...tokenColumns, 'cost_nano_usd', 'saved_nano_usd'],
  },
  {
    type: 'audit_entry',
    from: sql`audit_entries`,
    ownerColumn: 'chain',
    key: ['number'],
    columns: ['content'],
  },
  {
    type: 'audit_value',
    from: sql`audit_values`,
    ownerColumn: 'chain',
    key: ['number', 'person'],
    columns: ['content'],
  },
  {
    type: 'log_retention',
    from: sql`log_retentions`,
    ownerColumn: 'account_id',
    key: ['account_id'],
    columns: ['days'],
  },
  {
    type: 'data_retention',
    from: sql`data_retentions`,
    ownerColumn: 'account_id',
    key: ['kind'],
    columns: ['days'],
  },
  {
    type: 'legal_hold',
    from: sql`legal_holds`,
    ownerColumn: 'account_id',
    key: ['side'],
    columns: ['reason', 'placed_at_ms'],
  },
  {
    type: 'receipt',
    from: sql`receipt_owners inner join receipts using (receipt_id)`,
    ownerColumn: 'account_id',
    key: ['receipt_id'],
    columns: ['visibility', 'jws'],
  },
  {
    type: 'claim',
    from: sql`anon_claims`,
    ownerColumn: 'account_id',
    key: ['session_id'],
    columns: ['claimed_at_ms'],
  },
  {
    type: 'billing',
    from: sql`billing_accounts`,
    ownerColumn: 'account_id',
    key: ['account_id'],
    columns: ['customer_id', 'subscription_id', 'auto_recharge', 'threshold', 'amount'],
  },
  {
    type: 'credit',
    from: sql`credit_entries`,
    ownerColumn: 'account_id',
    key: ['entry_id'],
    columns: ['book', 'credits', 'kind', 'reference', 'note', 'at_ms'],
  },
  {
    type: 'module_entry',
    from: sql`module_entries`,
    ownerColumn: 'scope',
    key: ['module', 'key'],
    columns: ['value', 'updated_at_ms'],
  },
  {
    type: 'collection_entry',
    from: sql`collection_entries`,
    ownerColumn: 'scope',
    key: ['module', 'collection', 'key'],
    columns: ['value', 'created_at_ms', 'updated_at_ms', 'expires_at_ms'],
  },
];

export class SqlAccountRows implements AccountRows {
  readonly #db: Kysely<Tables>;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  async *of(accountId: string): AsyncIterable<AccountRow> {
    for (const what of exportedTables)
      for (let after: readonly unknown[] | undefined = []; after !== undefined; ) {
        const rows: readonly Row[] = await this.#page(what, accountId, after);
        for (const row of rows) if (!isSealed(row)) yield { type: what.type, ...row };
        const last = rows.at(-1);
        const isLast = rows.length < limits.databaseRowsAtOnce;
        after = last === undefined || isLast ? undefined : what.key.map((column) => last[column]);
      }
  }

  async #page(what: ExportedTable, accountId: string, after: readonly unknown[]): Promise<readonly Row[]> {
    const { from, ownerColumn, key, columns } = what;
    const isTenant = ownerColumn === 'owner' || ownerColumn === 'scope';
    const name = isTenant ? scopeOf({ kind: 'account', accountId, keyId: '' }) : accountId;
    const named = (list: readonly string[]) => sql.join(list.map((column) => sql.ref(column)));
    const next = after.length === 0 ? sql`` : sql`and (${named(key)}) > (${sql.join(after)})`;
    const { rows } = await sql<Row>`select ${named([...key, ...columns])} from ${from}
      where ${sql.ref(ownerColumn)} = ${name} ${next}
      order by ${named(key)} limit ${limits.databaseRowsAtOnce}`.execute(this.#db);
    return rows;
  }
}

type Row = Readonly<Record<string, unknown>>;

/** Decision logs and sealed collections quote conversations. */
function isSealed({ value }: Row): boolean {
  if (value === null) return true;
  if (typeof value !== 'string' || !value.includes('"sealed"')) return false;
  const parsed: unknown = JSON.parse(value);
  return isJsonObject(parsed) && 'sealed' in parsed;
}
