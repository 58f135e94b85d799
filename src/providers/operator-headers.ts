import type { z } from 'zod';
import type { HeaderList } from '../lib/headers.ts';
import { keyValueList } from '../lib/setting-schemas.ts';

/** Names with percent-encoded values, such as `x-team=search,x-note=a%20b`. */
export const headerVariable = keyValueList.transform(checkHeaders);

/** Headers that an operator adds to requests to a provider. */
function checkHeaders(pairs: readonly (readonly [string, string])[], context: z.RefinementCtx): HeaderList {
  const headers: string[] = [];
  for (const [name, value] of pairs) {
    const fault = headerFault(name.toLowerCase(), value);
    if (fault === undefined) headers.push(name.toLowerCase(), value);
    else context.addIssue({ code: 'custom', message: `${name.slice(0, 100)}: ${fault}`, path: [name] });
  }
  return headers;
}

/** What is wrong with a header; its name is in lower case. */
export function headerFault(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/.test(name)) return 'is no name of a header';
  if (ownHeaders.has(name) || name.startsWith('x-weir-') || name.startsWith('x-amz-'))
    return 'is written by Weir and can’t be set';
  if (!/^[\x20-\x7e\t]{0,4096}$/.test(value)) return 'must be printable ASCII of at most 4096 characters';
  return undefined;
}

/** They frame the message, or belong to one connection. */
const ownHeaders = new Set([
  ...['connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'keep-alive'],
  ...['accept-encoding', 'proxy-authorization', 'proxy-connection', 'te', 'traceparent', 'tracestate'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'via'],
]);
