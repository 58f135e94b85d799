import { GatewayError } from '../kernel/errors.ts';
import { type HeaderList, headerValuesOf } from '../lib/headers.ts';

/** Rejects two different tokens: a proxy may have read another one than we would. */
export function bearerTokenOf(headers: HeaderList): string | undefined {
  const all = headerValuesOf(headers, 'authorization');
  const value = all[0];
  if (value === undefined) return undefined;
  if (all.length > 1 && all.some((other) => other !== value))
    throw new GatewayError('credentials_disagree', 'there are two different authorization headers; send one');
  if (value.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const token = value.slice(7).trim();
  return token === '' ? undefined : token;
}
