import { type HeaderList, headerOf } from '../lib/headers.ts';

/** Whether a client accepts a response in this encoding. */
export function acceptsEncoding(headers: HeaderList, name: 'br' | 'gzip'): boolean {
  const entries = (headerOf(headers, 'accept-encoding') ?? '').split(',').map((entry) => entry.split(';'));
  return entries.some(
    ([encoding, weight]) =>
      encoding?.trim().toLowerCase() === name && !/^\s*q=0(?:\.0*)?\s*$/.test(weight ?? ''),
  );
}
