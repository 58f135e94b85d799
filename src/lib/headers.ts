/** Alternating header names and values, as received: `[name, value, name, value, …]`. */
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
export function headerValuesOf(headers: HeaderList, name: string): readonly string[] {
  let values: string[] | undefined;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const candidate = headers[at];
    const value = headers[at + 1];
    if (candidate?.length !== name.length || value === undefined) continue;
    if (candidate !== name && candidate.toLowerCase() !== name) continue;
    if (values === undefined) values = [value];
    else values.push(value);
  }
  return values ?? none;
}

/** The combined value of all headers with this lower-case name (RFC 9110, 5.3). */
export function joinedHeaderOf(headers: HeaderList, name: string): string | undefined {
  const values = headerValuesOf(headers, name);
  return values.length > 1 ? values.join(', ') : values[0];
}

const none: HeaderList = [];

/** Headers that carry credentials: hidden from modules and never forwarded to providers. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'x-provider-key',
  'x-weir-key',
  'cookie',
  'proxy-authorization',
]);

/** Prefixes of such names, possibly after `x-`, or whole names. */
const proxyHeaderPattern =
  /^(x-)?(forwarded|via|real|original|originating|envoy|cf|cdn|fastly|fly|azure|appengine|arr|proxyuser)(-|$)|(^|-)client-?ip$/;

/** Whether proxies add a header with this lower-case name, about themselves or the client behind them. */
export function isProxyHeader(name: string): boolean {
  return proxyHeaderPattern.test(name);
}

/** The headers by their lower-case names, with repeated ones joined. */
export function headersByName(headers: HeaderList): Readonly<Record<string, string>> {
  const byName = new Map<string, string>();
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase();
    const value = headers[at + 1] ?? '';
    const before = byName.get(name);
    byName.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(byName);
}

/** The list without the headers of these lower-case names. */
export function withoutHeaders(headers: HeaderList, names: readonly string[]): HeaderList {
  return headers.filter((_, at) => !names.includes((headers[at - (at % 2)] ?? '').toLowerCase()));
}
