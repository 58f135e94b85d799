import { GatewayError } from '../kernel/errors.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import type { ColumnValues, RowCondition, RowQuery } from '../kernel/ports/collection-table.ts';
import {
  type Condition,
  type EntryFilter,
  type EntryQuery,
  type FieldColumn,
  type FieldColumns,
  type FieldValues,
  integerColumns,
} from '../kernel/ports/collections.ts';
import { limits } from './limits.ts';
import { validateText } from './module-entry-validation.ts';

// Fields of collections as columns. The errors address module authors.

export function toColumnValues<Fields extends FieldColumns>(
  fields: Fields,
  values: FieldValues<Fields>,
): ColumnValues {
  const columns: Partial<Record<FieldColumn, string | number | null>> = {};
  for (const name of Object.keys(values))
    if (!Object.hasOwn(fields, name)) throw new Error(`there is no field "${name}"`);
  for (const [name, column] of Object.entries(fields)) {
    const value: unknown = Reflect.get(values, name);
    columns[column] = value === null ? null : checkFieldValue(name, column, value);
  }
  return columns;
}

export function toFieldValues<Fields extends FieldColumns>(
  fields: Fields,
  columns: ColumnValues,
): FieldValues<Fields> {
  const named = Object.entries(fields).map(([name, column]) => [name, columns[column] ?? null]);
  return Object.fromEntries(named);
}

export function toRowConditions<Fields extends FieldColumns>(
  fields: Fields,
  where: EntryFilter<Fields>,
): readonly RowCondition[] {
  return Object.entries(where).flatMap(([name, condition]) => {
    const column = name === 'key' ? 'key' : fields[name];
    if (column === undefined) throw new Error(`where: there is no field "${name}"`);
    return conditionsOn(name, column, condition);
  });
}

function conditionsOn(
  name: string,
  column: FieldColumn | 'key',
  condition: Condition<string | number> | null | undefined,
): readonly RowCondition[] {
  if (condition === undefined) return [];
  if (condition === null) return [{ column, operator: 'is null', values: [] }];
  const check = (value: unknown) => checkFieldValue(name, column, value);
  if (typeof condition !== 'object') return [{ column, operator: '=', values: [check(condition)] }];
  const { lt, gt, in: oneOf } = condition;
  const conditions: RowCondition[] = [];
  if (lt !== undefined) conditions.push({ column, operator: '<', values: [check(lt)] });
  if (gt !== undefined) conditions.push({ column, operator: '>', values: [check(gt)] });
  if (oneOf !== undefined) {
    const values = oneOf.map((value) => (value === null ? null : check(value)));
    conditions.push({ column, operator: 'in', values });
  }
  return conditions;
}

export function toRowQuery<Fields extends FieldColumns>(
  fields: Fields,
  query: EntryQuery<Fields>,
  nowMs: number,
): RowQuery {
  const { where, orderBy = 'key', descending = false, after, limit = kernelLimits.modulePageMax } = query;
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= kernelLimits.modulePageMax))
    throw new Error(
      `limit ${limit} is out of range: it must be an integer from 1 to ${kernelLimits.modulePageMax}`,
    );
  const column = orderBy === 'createdAt' ? 'created_at_ms' : orderBy === 'key' ? 'key' : fields[orderBy];
  if (column === undefined) throw new Error(`orderBy: there is no field "${orderBy}"`);
  return {
    conditions: where === undefined ? [] : toRowConditions(fields, where),
    orderBy: column,
    descending,
    after: after === undefined ? undefined : parseCursor(after, column),
    limit,
    nowMs,
  };
}

export function formatCursor(orderValue: string | number, key: string): string {
  return Buffer.from(JSON.stringify([orderValue, key])).toString('base64url');
}

/** Cursors come from clients. */
function parseCursor(cursor: string, column: RowQuery['orderBy']): readonly [string | number, string] {
  try {
    const [value, key, ...rest]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const isValue = isIntegerColumn(column) ? Number.isSafeInteger(value) : isCursorText(value);
    if (isValue && isCursorText(key) && rest.length === 0) return [value as string | number, key];
  } catch {
    // Reported below.
  }
  throw new GatewayError('invalid_request', 'after: must be `next` of the previous page', { param: 'after' });
}

/** PostgreSQL accepts no NUL characters. */
function isCursorText(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isIntegerColumn(column: string): boolean {
  return column === 'created_at_ms' || integerColumns.some((integer) => integer === column);
}

function checkFieldValue(name: string, column: FieldColumn | 'key', value: unknown): string | number {
  const isInteger = isIntegerColumn(column);
  if (isInteger && Number.isSafeInteger(value)) return value as number;
  if (!isInteger && typeof value === 'string')
    return validateText(`the field "${name}"`, value, limits.collectionTextCharactersMax);
  throw new Error(`the field "${name}" must be ${isInteger ? 'a whole number' : 'a text'}`);
}
