import type { HttpRequest } from '../http/request.ts';

/**
 * Google's clients may send their key in the query. Moves it into a header, so that code that reads, logs or forwards the
 * query never sees it. Returns the remaining query.
 */
export function moveQueryKeyToHeaders({ headers }: Pick<HttpRequest, 'headers'>, query: string): string {
  if (query === '' || !maybeKeyParameter.test(query)) return query;
  const pairs = query.slice(1).split('&');
  for (const pair of pairs)
    if (isKeyParameter(pair) && parameterValueOf(pair) !== '')
      headers.push('x-goog-api-key', parameterValueOf(pair));
  const left = pairs.filter((pair) => !isKeyParameter(pair));
  return left.length === 0 ? '' : `?${left.join('&')}`;
}

/** `$key` is its other name, and each letter may be escaped: https://cloud.google.com/apis/docs/system-parameters. */
const keyName = /^(?:\$|%24)?(?:k|%6[bB])(?:e|%65)(?:y|%79)=/;
const maybeKeyParameter = /(?:y|%79)=/;

function isKeyParameter(pair: string): boolean {
  return keyName.test(pair);
}

function parameterValueOf(pair: string): string {
  const written = pair.slice(pair.indexOf('=') + 1);
  try {
    const value = decodeURIComponent(written);
    return headerSafeText.test(value) ? value : written;
  } catch {
    return written;
  }
}

/** Other escaped characters occur in no key, and no header can carry them. */
const headerSafeText = /^[ -~]*$/;
