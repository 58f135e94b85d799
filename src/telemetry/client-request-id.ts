import { type HeaderList, headerOf } from '../lib/headers.ts';
import { limits } from './limits.ts';

const headerNames = ['x-request-id', 'x-correlation-id', 'x-client-request-id'];
const unprintable = /[^\x21-\x7e]/g;

/** The id that a client gave its request, without characters that do not belong into a log; undefined if there is none. */
export function clientRequestIdOf(headers: HeaderList): string | undefined {
  for (const name of headerNames) {
    const id = headerOf(headers, name)?.slice(0, limits.clientRequestIdCharacters).replace(unprintable, '');
    if (id) return id;
  }
  return undefined;
}
