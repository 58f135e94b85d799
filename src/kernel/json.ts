export type JsonObject = { readonly [field: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

declare global {
  /** Not in TypeScript's own declarations yet. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/** From the start of a row of digits only: a row of fifteen is read once, not from each of its digits. */
const longNumber = /(?<!\d)\d{16}/;

/** The body that these bytes hold, with all digits: what was read of it may be written in another format. */
export function exactBody(body: JsonObject, bytes: Uint8Array): JsonObject {
  if (!hasLongNumber(bytes)) return body;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const exact = parseExact(buffer.toString('utf8'));
  return isJsonObject(exact) ? exact : body;
}

const longNumberDigits = 16;

/** Looks at every sixteenth byte, mostly: a row of digits ends behind where one of them is none. */
function hasLongNumber(bytes: Uint8Array): boolean {
  for (let end = longNumberDigits; end <= bytes.length; ) {
    let at = end - 1;
    while (at >= end - longNumberDigits && isDigit(bytes[at])) at--;
    if (at < end - longNumberDigits) return true;
    end = at + 1 + longNumberDigits;
  }
  return false;
}

function isDigit(byte = 0): boolean {
  return byte >= 48 && byte <= 57;
}

/** JSON in which integers too long for a number keep all their digits when they are written again. */
export function parseExact(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    source !== undefined && longInteger.test(source) && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

const longInteger = /^-?\d{16,}$/;

/** The same text for values that differ only in the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (!isJsonObject(value) || JSON.isRawJSON(value)) return JSON.stringify(value) ?? 'null';
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = value[key];
    if (inner !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${parts.join(',')}}`;
}
