import type { z } from 'zod';
import { GatewayError } from '../kernel/errors.ts';
import type { Provider } from '../kernel/provider.ts';
import type { CheckedKey, KeyField, KeyForm, KeyLayout } from '../kernel/signing.ts';
import type { Secret } from '../lib/secret.ts';
import { parseObject } from '../wire/json-values.ts';
import { limits } from './limits.ts';

interface KeyFormSpec<Parts> {
  /** Human-readable key format. */
  readonly description: string;
  readonly schema: z.ZodType<Parts>;
  /** Parses a key that is not JSON, if the provider has such keys. */
  parsePlainKey?(text: string, provider: Provider): unknown;
  /** Checks the parts against the provider's settings; returns the issue. */
  findFault?(parts: Parts, provider: Provider): string | undefined;
  /** The part whose end may be displayed. */
  hintSource(parts: Parts): string;
  variants(provider: Provider): readonly KeyLayout[];
}

/** Keys in JSON: parsed once, and never quoted in messages. */
export class JsonKeyForm<Parts extends object> implements KeyForm {
  readonly #spec: KeyFormSpec<Parts>;
  readonly #parsed = new WeakMap<Secret, Parts>();

  constructor(spec: KeyFormSpec<Parts>) {
    this.#spec = spec;
  }

  /** The parts of the key that a call uses. */
  partsOf(credential: Secret, provider: Provider): Parts {
    const known = this.#parsed.get(credential);
    if (known !== undefined) return known;
    const parts = this.#parseParts(credential.reveal(), provider, {});
    this.#parsed.set(credential, parts);
    return parts;
  }

  check(text: string, provider: Provider): CheckedKey {
    const parts = this.#parseParts(text, provider, { param: 'key' });
    const storedText = text.startsWith('{') ? JSON.stringify(parts) : text;
    return { text: storedText, displayedPart: this.#spec.hintSource(parts) };
  }

  layouts(provider: Provider): readonly KeyLayout[] {
    return this.#spec.variants(provider);
  }

  #parseParts(text: string, provider: Provider, details: { readonly param?: string }): Parts {
    const { description, schema, parsePlainKey, findFault } = this.#spec;
    const invalidKeyError = (what: string) =>
      new GatewayError(
        'invalid_request',
        `the key for ${provider.title} ${what}; expected ${description}`,
        details,
      );
    if (text.length > limits.structuredKeyCharactersMax) throw invalidKeyError('is too long');
    const isWord = /^[!-~]+$/.test(text) && !text.startsWith('{');
    const unchecked = isWord ? parsePlainKey?.(text, provider) : parseObject(text);
    if (unchecked === undefined) throw invalidKeyError(isWord ? 'is not valid' : 'is not a JSON object');
    const read = schema.safeParse(unchecked);
    if (!read.success) throw invalidKeyError(describeIssue(read.error));
    const fault = findFault?.(read.data, provider);
    if (fault !== undefined) throw invalidKeyError(fault);
    return read.data;
  }
}

/** Names only the field, never its value. */
function describeIssue(error: z.ZodError): string {
  const [first] = error.issues;
  const field = first?.path.find((part) => typeof part === 'string');
  return field === undefined ? 'has unknown fields' : `has a missing or invalid "${field}"`;
}

/** Checks the location in a key against those that the operator allows. */
export function findLocationFault(
  location: string | undefined,
  what: string,
  { locations }: Provider,
): string | undefined {
  if (location === undefined) return `has no ${what}`;
  if (locations === undefined || locations.includes(location)) return undefined;
  return `has a ${what} that this gateway does not allow`;
}

/** The form field for a location, optional if the operator has a default. */
export function locationField(
  field: Pick<KeyField, 'name' | 'title'> & { readonly example: string },
  { locations }: Provider,
  defaultLocation = locations?.[0],
): KeyField {
  return textField(field.name, field.title, {
    required: defaultLocation === undefined,
    example: defaultLocation ?? field.example,
  });
}

export function textField(
  name: string,
  title: string,
  options: Required<Pick<KeyField, 'required' | 'example'>>,
): KeyField {
  return { name, title, kind: 'text', ...options };
}

export function secretField(name: string, title: string, required = true): KeyField {
  return { name, title, kind: 'secret', required };
}

/** Fills the customer's parts into an address. */
export function fillUrlTemplate(baseUrl: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((url, [name, part]) => url.replace(`{${name}}`, part), baseUrl);
}

/** A model name as a URL path segment. */
export function modelPathSegment(model: string, shape: RegExp, { title }: Provider): string {
  // Google separates versions by `@`, which is valid in a path.
  if (shape.test(model)) return encodeURIComponent(model).replaceAll('%40', '@');
  throw new GatewayError('model_not_found', `invalid model name for ${title}`, { param: 'model' });
}
