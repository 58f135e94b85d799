/** Header names and values in turn, as they stand on the wire: `[name, value, name, value, …]`. */
export type HeaderList = readonly string[];

/** The value of the first header with this lower-case name. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    const candidate = headers[at];
    if (candidate === undefined || candidate.length !== name.length) continue;
    if (candidate === name || candidate.toLowerCase() === name) return headers[at + 1];
  }
  return undefined;
}

/** All values of the headers with this lower-case name, in order. */
export function headersOf(headers: HeaderList, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const value = headers[at + 1];
    if (headers[at]?.length !== name.length || value === undefined) continue;
    if (headers[at]?.toLowerCase() === name) values.push(value);
  }
  return values;
}

/** Headers that carry credentials: no module sees them, and no provider gets the client's. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-provider-key',
  'cookie',
  'proxy-authorization',
]);
