import { ApiError } from '../../api/client.ts';
import type { ModulePageInfo } from '../../api/queries.ts';
import { ago, count } from '../../parts/format.ts';

export type Row = Readonly<Record<string, unknown>>;

/** A field of a row as its column shows it. */
export function formatField(row: Row, { field, format }: ModulePageInfo['list']['columns'][number]): string {
  const value = row[field];
  if (value === null || value === undefined) return '–';
  if (format === 'time')
    return ago(typeof value === 'number' ? new Date(value).toISOString() : String(value));
  if (format === 'number' && typeof value === 'number') return count(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The path of an action, with the fields of the row in place of `:name`. */
export function requestPath(path: string, row: Row): string {
  return path.replaceAll(/(?<=\/):(\w+)/g, (_, name: string) => encodeURIComponent(String(row[name] ?? '')));
}

/** The routes of modules are in no schema that the dashboard was built with. */
export async function sendRequest(method: string, path: string, body?: object): Promise<Row> {
  const response = await fetch(path, {
    method,
    credentials: 'same-origin',
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  const answer: unknown = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
  if (!response.ok) throw new ApiError(response.status, answer);
  return answer as Row;
}
