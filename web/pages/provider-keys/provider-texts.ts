import type { OwnProvider } from '../../api/queries.ts';

/** The fields of the form, as they were typed. */
interface ProviderTexts {
  readonly kind: string;
  readonly address: string;
  readonly models: string;
  readonly headers: string;
  readonly further: string;
}

export function textOfHeaders(provider: OwnProvider | undefined): string {
  return (provider?.headers ?? []).map((name) => `${name}:`).join('\n');
}

/** What has no field of its own. */
export function textOfSettings(provider: OwnProvider | undefined): string {
  if (provider === undefined) return '';
  const { name, kind, base_url, headers, models, has_key, updatedAt, ...further } = provider;
  return Object.keys(further).length === 0 ? '' : JSON.stringify(further, null, 2);
}

/** Throws an error for people if the JSON can't be read. */
export function settingsIn({ kind, address, models, headers, further }: ProviderTexts) {
  const base = address.trim();
  const listed = linesOf(models);
  return {
    ...objectIn(further),
    ...(kind !== '' && { kind }),
    // The address of a kind may depend on the key: it is none that could be sent.
    ...(base !== '' && !base.includes('{') && { base_url: base }),
    ...(listed.length > 0 && { models: [...listed] }),
    headers: Object.fromEntries(linesOf(headers).map(headerIn)),
  };
}

function headerIn(line: string): [string, string | null] {
  const colon = line.indexOf(':');
  const name = (colon < 0 ? line : line.slice(0, colon)).trim();
  const value = colon < 0 ? '' : line.slice(colon + 1).trim();
  return [name, value === '' ? null : value];
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function objectIn(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The same sentence for both.
  }
  throw new Error('The further settings are no JSON object: paste all of it, from { to }.');
}
