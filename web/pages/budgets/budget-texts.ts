import type { StoredBudget } from '../../api/queries.ts';

type Scope = StoredBudget['scope'];

/** What can be chosen. */
export const scopeTitles: readonly (readonly [Scope, string])[] = [
  ['organization', 'All calls'],
  ['project', 'A project'],
  ['key', 'An API key'],
  ['end_user', 'End users'],
  ['tag', 'A tag'],
];

/** Names of what budgets are for, by id. */
export interface BudgetNames {
  readonly keys: ReadonlyMap<string, string>;
  readonly projects: ReadonlyMap<string, string>;
}

/** Whose calls a budget limits. */
export function subjectOf(budget: StoredBudget, { keys, projects }: BudgetNames): string {
  const { scope, key_id: keyId, project_id: projectId, end_user: endUser, tag, tag_value: value } = budget;
  switch (scope) {
    case 'organization':
      return 'All calls';
    case 'project':
      return `Project ${projects.get(projectId ?? '') ?? projectId}`;
    case 'key':
      return `Key ${keys.get(keyId ?? '') ?? keyId}`;
    case 'end_user':
      return endUser ?? 'Each end user';
    case 'tag':
      return value === null ? `Each value of ${tag}` : `${tag}: ${value}`;
  }
}

/** `a month`, `in 7 days` */
export function periodText(period: string): string {
  const [, count, unit] = /^(\d+)([dh])$/.exec(period) ?? [];
  if (count === undefined) return `a ${period}`;
  const name = unit === 'd' ? 'day' : 'hour';
  return count === '1' ? `in the current ${name}` : `in ${count} ${name}s`;
}

/** What a budget is for each of: the end user or the value. */
export function consumerText({ tag }: StoredBudget, value: string): string {
  return tag === null ? value : `${tag}: ${value}`;
}
