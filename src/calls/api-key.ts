import { type HeaderList, headerValuesOf } from '../lib/headers.ts';

/** The header for a token of this gateway alone, beside a provider's credential in any other header. */
export const gatewayKeyHeader = 'x-weir-key';

/** The distinct values in the headers where SDKs send their provider's key. */
export function apiKeysIn(headers: HeaderList): readonly string[] {
  const usual = headerValuesOf(headers, 'x-api-key');
  const google = headerValuesOf(headers, 'x-goog-api-key');
  if (usual.length === 0 && google.length === 0) return usual;
  const sent = [...usual, ...google].filter((key) => key !== '');
  return sent.length > 1 ? [...new Set(sent)] : sent;
}
