import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import type { ApiCredential } from './api-report.ts';
import { References } from './references.ts';

/** Where secrets go in a request. */
export interface PlacedSecrets {
  readonly headers: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  readonly cookies: ReadonlyMap<string, string>;
}

type SchemePlace = 'header' | 'query' | 'cookie';

interface Scheme {
  readonly kind: ApiCredential['kind'];
  readonly place: SchemePlace;
  readonly name: string;
}

/** The ways in which an API wants to know who makes a request, and the secrets that are stored with it. */
export class Credentials {
  readonly #schemes: ReadonlyMap<string, Scheme>;

  constructor(document: JsonObject) {
    this.#schemes = readSchemes(document);
  }

  list(): readonly ApiCredential[] {
    return [...this.#schemes].map(([scheme, { kind, place, name }]) => ({
      scheme,
      kind,
      place: `${place} ${name}`,
    }));
  }

  /**
   * A secret under the name of a scheme goes where the document says, with requests that accept the scheme. Any other is a header of
   * all requests.
   */
  place(secrets: Readonly<Record<string, string>>, schemes: readonly string[]): PlacedSecrets {
    const placed = {
      headers: new Map<string, string>(),
      query: new Map<string, string>(),
      cookies: new Map<string, string>(),
    };
    const maps = { header: placed.headers, query: placed.query, cookie: placed.cookies };
    for (const [name, secret] of Object.entries(secrets)) {
      const found = this.#find(name);
      if (found === undefined) placed.headers.set(name.toLowerCase(), secret);
      else if (schemes.includes(found.name)) {
        const { kind, place, name: parameter } = found.scheme;
        maps[place].set(place === 'header' ? parameter.toLowerCase() : parameter, secretText(kind, secret));
      }
    }
    return placed;
  }

  /** Names of headers don't tell upper from lower case, and secrets are stored as headers. */
  #find(name: string): { readonly name: string; readonly scheme: Scheme } | undefined {
    for (const [key, scheme] of this.#schemes)
      if (key.toLowerCase() === name.toLowerCase()) return { name: key, scheme };
    return undefined;
  }
}

/** The schemes of an operation, or of the document: a request needs those of one alternative. */
export function schemesIn(security: unknown): readonly string[] {
  if (!Array.isArray(security)) return [];
  return [...new Set(security.filter(isJsonObject).flatMap((alternative) => Object.keys(alternative)))];
}

function readSchemes(document: JsonObject): ReadonlyMap<string, Scheme> {
  const { components } = document;
  const { securitySchemes } = isJsonObject(components) ? components : {};
  const references = new References(document);
  const schemes = new Map<string, Scheme>();
  if (!isJsonObject(securitySchemes)) return schemes;
  for (const [name, described] of Object.entries(securitySchemes)) {
    try {
      schemes.set(name, readScheme(references.resolve(described)));
    } catch {
      // A scheme that can't be read is not offered.
    }
  }
  return schemes;
}

function readScheme({ type, in: place, name, scheme }: JsonObject): Scheme {
  if (
    type === 'apiKey' &&
    typeof name === 'string' &&
    (place === 'header' || place === 'query' || place === 'cookie')
  )
    return { kind: 'key', place, name };
  const isBasic = type === 'http' && String(scheme).toLowerCase() === 'basic';
  const isBearer =
    type === 'oauth2' ||
    type === 'openIdConnect' ||
    (type === 'http' && String(scheme).toLowerCase() === 'bearer');
  return {
    kind: isBasic ? 'basic' : isBearer ? 'bearer' : 'unsupported',
    place: 'header',
    name: 'authorization',
  };
}

/** A secret may have been stored with its scheme in front. */
function secretText(kind: Scheme['kind'], secret: string): string {
  if (kind === 'bearer') return /^bearer /i.test(secret) ? secret : `Bearer ${secret}`;
  if (kind === 'basic')
    return /^basic /i.test(secret) ? secret : `Basic ${Buffer.from(secret).toString('base64')}`;
  return secret;
}
