import { type HeaderList, headersOf } from '../kernel/headers.ts';

/** The headers in which SDKs send their provider's key. */
const names = ['x-api-key', 'x-goog-api-key'];

/** What SDKs sent where their provider's key goes, each once. */
export function apiKeysIn(headers: HeaderList): readonly string[] {
  const sent = names.flatMap((name) => headersOf(headers, name)).filter((key) => key !== '');
  return sent.length > 1 ? [...new Set(sent)] : sent;
}
