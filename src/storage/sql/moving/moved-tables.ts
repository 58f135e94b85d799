import type { Tables } from '../tables.ts';
import { logTables } from './log-tables.ts';
import { moduleTables } from './module-tables.ts';
import type { MovedTable } from './moved-table.ts';
import { promptTables } from './prompt-tables.ts';
import { secretTables } from './secret-tables.ts';
import { settingsTables } from './settings-tables.ts';
import { usageTables } from './usage-tables.ts';

/** Every table whose rows move, or are in a file to be read. */
export const movedTables: readonly MovedTable[] = [
  ...[...settingsTables, ...promptTables, ...moduleTables, ...secretTables],
  ...[...usageTables, ...logTables],
];

/** Every other table, and why its rows stay. */
export const unmovedTables: Readonly<Partial<Record<keyof Tables, string>>> = {
  users: 'an account is made by signing up; tier and period are what the operator of an instance grants',
  identities: 'a person signs up on each instance',
  memberships: 'a person signs up on each instance',
  service_accounts: 'credentials are made on each instance',
  service_account_tokens: 'credentials are made on each instance',
  project_members: 'members are invited on each instance',
  member_invitations: 'members are invited on each instance',
  sign_ons: 'an identity provider knows the addresses of one instance',
  sign_on_domains: 'a domain is proven on each instance',
  sign_on_subjects: 'people sign on to each instance',
  sessions: 'a session is valid on the instance that signed it',
  mailed_tokens: 'links in mails are valid on the instance that sent them',
  invitations: 'an operator invites to an instance',
  erasures: 'the work of one instance',
  deleted_accounts: 'the accounts of one instance',
  alerts: 'what an instance has raised already',
  alert_deliveries: 'messages to webhooks that don’t move',
  billing_accounts: 'money stays where it was paid',
  billing_events: 'money stays where it was paid',
  credit_entries: 'money stays where it was paid',
  credit_balances: 'money stays where it was paid',
  credit_payments: 'money stays where it was paid',
  recharges: 'money stays where it was paid',
  payment_challenges: 'money stays where it was paid',
  settlements: 'money stays where it was paid',
  paid_answers: 'money stays where it was paid',
  payment_ledger: 'money stays where it was paid',
  request_kinds: 'made anew from calls and sums, which have the attributes',
  request_day_sums: 'made anew from past sums',
  request_day_models: 'made anew from past sums',
  request_day_times: 'made anew from past sums',
  request_day_model_times: 'made anew from past sums',
  request_ids: 'ids of calls without a row, for a day of retries',
  usage_periods: 'a quota is counted on each instance',
  budget_hours: 'what end users have spent of budgets is counted on each instance',
  reservations: 'a quota is counted on each instance',
  usage_batches: 'technical, against counting twice',
  module_stores: 'counted anew',
  collection_counters: 'counted anew',
  vectors: 'caches of answers, which calls fill again',
  vector_owners: 'caches of answers, which calls fill again',
  archive: 'superseded by collections',
  patterns: 'superseded by collections',
  pattern_owners: 'superseded by collections',
  pattern_calls: 'superseded by collections',
  pattern_gists: 'superseded by collections',
  pattern_trials: 'superseded by collections',
  outcomes: 'superseded by collections',
  receipt_owners: 'in files as part of receipts',
  anon_sessions: 'sandbox sessions of one instance',
  anon_claims: 'sandbox sessions of one instance',
  schema_migrations: 'the schema of one database',
  shared_documents: 'counts of one instance',
  gateway_processes: 'processes of one instance',
  leases: 'processes of one instance',
  key_states: 'what is usual for a key is learned from the calls of one instance',
  call_files: 'batches run where they were made',
  call_file_lines: 'batches run where they were made',
  own_batches: 'batches run where they were made',
  own_batch_lines: 'batches run where they were made',
  audit_chains: 'a chain is about one instance, which signs it',
  audit_entries: 'a chain is about one instance, which signs it',
  audit_values: 'a chain is about one instance, which signs it',
  audit_points: 'a chain is about one instance, which signs it',
  imports: 'imports under way',
  import_rows: 'imports under way',
};
