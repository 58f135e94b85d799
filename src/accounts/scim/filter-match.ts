import type { ScimFilter, ScimValue } from '../../kernel/ports/scim.ts';

/** A value of an attribute with several, such as a mail address with its type. */
export type ComplexValue = Readonly<Record<string, unknown>>;

/** Whether a filter is true of a value. Texts are compared without their case. */
export function matchesFilter(value: ComplexValue, filter: ScimFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every((part) => matchesFilter(value, part));
    case 'or':
      return filter.parts.some((part) => matchesFilter(value, part));
    case 'not':
      return !matchesFilter(value, filter.part);
    case 'present':
      return value[filter.attribute] !== undefined;
    case 'compare': {
      const [own, other] = [folded(value[filter.attribute]), folded(filter.value)];
      switch (filter.comparison) {
        case 'eq':
          return own === other;
        case 'ne':
          return own !== other;
        case 'co':
          return own.includes(other);
        case 'sw':
          return own.startsWith(other);
        case 'ew':
          return own.endsWith(other);
        case 'gt':
          return own > other;
        case 'ge':
          return own >= other;
        case 'lt':
          return own < other;
        case 'le':
          return own <= other;
      }
    }
  }
}

/** What a new value has if the filter is to be true of it; undefined if that can’t be told. */
export function valuesOfFilter(filter: ScimFilter): Readonly<Record<string, ScimValue>> | undefined {
  if (filter.kind === 'compare' && filter.comparison === 'eq') return { [filter.attribute]: filter.value };
  if (filter.kind !== 'and') return undefined;
  const parts = filter.parts.map(valuesOfFilter);
  if (parts.includes(undefined)) return undefined;
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part ?? {})));
}

function folded(value: unknown): string {
  return value === undefined || value === null ? '' : String(value).toLowerCase();
}
