import { type RawBuilder, sql } from 'kysely';
import {
  type ScimComparison,
  type ScimFilter,
  ScimFilterError,
  type ScimValue,
} from '../../kernel/ports/scim.ts';
import { foldEmail } from './identities.ts';

/** A column that a filter may name, and how values are compared with it. */
interface FilterColumn {
  readonly column: string;
  readonly kind: 'text' | 'folded' | 'boolean' | 'time';
}

const common = {
  id: { column: 'id', kind: 'text' },
  externalid: { column: 'external_id', kind: 'text' },
  'meta.created': { column: 'created_at_ms', kind: 'time' },
  'meta.lastmodified': { column: 'updated_at_ms', kind: 'time' },
} as const satisfies Readonly<Record<string, FilterColumn>>;

const email = { column: 'email_folded', kind: 'folded' } as const;

const userColumns: Readonly<Record<string, FilterColumn>> = {
  ...common,
  username: { column: 'user_name_folded', kind: 'folded' },
  active: { column: 'active', kind: 'boolean' },
  emails: email,
  'emails.value': email,
};

const groupColumns: Readonly<Record<string, FilterColumn>> = {
  ...common,
  displayname: { column: 'display_name_folded', kind: 'folded' },
};

type Condition = RawBuilder<boolean>;

/** The condition of a filter on `scim_users`. Throws a `ScimFilterError` for what can't be filtered by. */
export function userCondition(filter: ScimFilter): Condition {
  return conditionOf(
    filter,
    (attribute) => userColumns[attribute],
    ({ attribute, comparison, value }) => {
      if (comparison !== 'eq') return undefined;
      // The only address that is stored.
      if (attribute === 'emails.type') return sql<boolean>`${sql.lit(value === 'work')}`;
      if (attribute === 'emails.primary') return sql<boolean>`${sql.lit(String(value) === 'true')}`;
      return undefined;
    },
  );
}

/** The condition of a filter on `scim_groups`, which may also be about one member. */
export function groupCondition(filter: ScimFilter): Condition {
  return conditionOf(
    filter,
    (attribute) => groupColumns[attribute],
    ({ attribute, comparison, value }) => {
      if (!['members', 'members.value'].includes(attribute) || comparison !== 'eq') return undefined;
      return sql<boolean>`exists (select 1 from scim_group_members where group_id = scim_groups.id
        and user_id = ${String(value)})`;
    },
  );
}

type Comparison = Extract<ScimFilter, { readonly kind: 'compare' }>;

function conditionOf(
  filter: ScimFilter,
  columnOf: (attribute: string) => FilterColumn | undefined,
  special: (comparison: Comparison) => Condition | undefined = () => undefined,
): Condition {
  const find = (attribute: string): FilterColumn => {
    const column = columnOf(attribute);
    if (column !== undefined) return column;
    throw new ScimFilterError(`"${attribute.slice(0, 100)}" can’t be filtered by`);
  };
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const parts = filter.parts.map((part) => conditionOf(part, columnOf, special));
      return sql<boolean>`(${sql.join(parts, filter.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'not':
      // What is unknown is not so, too.
      return sql<boolean>`(not coalesce(${conditionOf(filter.part, columnOf, special)}, ${sql.lit(false)}))`;
    case 'present':
      return sql<boolean>`${sql.ref(find(filter.attribute).column)} is not null`;
    case 'compare':
      return special(filter) ?? compare(find(filter.attribute), filter);
  }
}

function compare({ column, kind }: FilterColumn, { comparison, value, attribute }: Comparison): Condition {
  const name = sql.ref(column);
  if (value === null) {
    if (comparison === 'eq') return sql<boolean>`${name} is null`;
    if (comparison === 'ne') return sql<boolean>`${name} is not null`;
    throw new ScimFilterError(`${attribute} can’t be compared with null by ${comparison}`);
  }
  const stored = storedValue(kind, value, attribute);
  if (comparison === 'co' || comparison === 'sw' || comparison === 'ew') {
    if (typeof stored !== 'string') throw new ScimFilterError(`${attribute} is no text`);
    return sql<boolean>`${name} like ${patternOf(comparison, stored)} escape '!'`;
  }
  if (comparison === 'ne') return sql<boolean>`${name} is distinct from ${stored}`;
  if (kind === 'boolean' && comparison !== 'eq')
    throw new ScimFilterError(`${attribute} can’t be compared by ${comparison}`);
  return sql<boolean>`${name} ${operators[comparison]} ${stored}`;
}

const operators = {
  eq: sql`=`,
  gt: sql`>`,
  ge: sql`>=`,
  lt: sql`<`,
  le: sql`<=`,
} as const satisfies Partial<Readonly<Record<ScimComparison, RawBuilder<unknown>>>>;

function storedValue(
  kind: FilterColumn['kind'],
  value: Exclude<ScimValue, null>,
  attribute: string,
): string | number {
  switch (kind) {
    case 'text':
      return String(value);
    case 'folded':
      return foldEmail(String(value));
    case 'boolean': {
      // Entra ID sends texts.
      const text = String(value).toLowerCase();
      if (text === 'true' || text === 'false') return Number(text === 'true');
      throw new ScimFilterError(`${attribute} is true or false`);
    }
    case 'time': {
      const ms = Date.parse(String(value));
      if (!Number.isNaN(ms)) return ms;
      throw new ScimFilterError(`${attribute} is a time such as 2026-11-19T08:00:00Z`);
    }
  }
}

function patternOf(comparison: 'co' | 'sw' | 'ew', text: string): string {
  const literal = text.replaceAll(/[!%_]/g, '!$&');
  return `${comparison === 'sw' ? '' : '%'}${literal}${comparison === 'ew' ? '' : '%'}`;
}
