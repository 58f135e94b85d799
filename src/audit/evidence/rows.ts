import type { JsonObject } from '../../lib/json.ts';

/** The parts of an evidence bundle, in the order of their descriptions. */
export const evidenceSections = [
  'instance',
  'settings',
  'accounts',
  'members',
  'projects',
  'project_members',
  'service_accounts',
  'sign_on',
  'token_issuers',
  'api_keys',
  'budgets',
  'retention',
  'legal_holds',
  'audit',
  'backups',
  'dependencies',
] as const;

export type EvidenceSection = (typeof evidenceSections)[number];

/** A line of a bundle, without its section. */
export type EvidenceRow = readonly [EvidenceSection, JsonObject];

/** Null for a time that is not known, or has not come. */
export function timeOf(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : new Date(ms).toISOString();
}
