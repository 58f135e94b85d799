export type JsonObject = { readonly [field: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

declare global {
  /** Missing in TypeScript's declarations. */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
    rawJSON(text: string): unknown;
    isRawJSON(value: unknown): boolean;
  }
}

/** Matches only from the start of a run of digits, so that a run is read once and not from each digit. */
const longNumber = /(?<!\d)\d{16}/;

/** Parses a body and preserves all digits, since it may be encoded in another format. */
export function exactBody(body: JsonObject, bytes: Uint8Array): JsonObject {
  if (!hasLongNumber(bytes)) return body;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const exact = parseExact(buffer.toString('utf8'));
  return isJsonObject(exact) ? exact : body;
}

const longNumberDigits = 16;

/** Mostly looks at every sixteenth byte: a run of digits ends where one of those isn't a digit. */
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

/** Parses JSON so that integers too long for a number keep all digits when serialized again. */
export function parseExact(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value, { source }) =>
    source !== undefined && longInteger.test(source) && String(value) !== source
      ? JSON.rawJSON(source)
      : value,
  );
}

const longInteger = /^-?\d{16,}$/;

/** Serializes to the same text for values that differ only in key order. */
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
