import type { IncomingMessage } from 'node:http';

/**
 * Google's clients may send their key in the query. It is a credential like those in headers: from here on it is one of
 * them, and nobody who reads, logs or passes the query on sees it. Returns what is left of the query.
 */
export function takeQueryKey({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, query: string): string {
  if (!named.test(query)) return query;
  const pairs = query.slice(1).split('&');
  for (const pair of pairs)
    if (isKey(pair) && pair.length > name.length) rawHeaders.push('x-goog-api-key', decoded(pair));
  const left = pairs.filter((pair) => !isKey(pair));
  return left.length === 0 ? '' : `?${left.join('&')}`;
}

const name = 'key=';
const named = /[?&]key=/;

function isKey(pair: string): boolean {
  return pair.startsWith(name);
}

function decoded(pair: string): string {
  const written = pair.slice(name.length);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
