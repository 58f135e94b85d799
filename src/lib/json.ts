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

/** Undefined for what is no JSON object. */
export function jsonObjectIn(json: Uint8Array | string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(typeof json === 'string' ? json : textOf(json));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Matches only from the start of a run of digits, so that a run is read once and not from each digit. */
const longNumber = /(?<!\d)\d{16}/;

/** The value that these bytes spell with all its digits, since it may be encoded in another format; itself if it has them. */
export function exactValue(value: unknown, bytes: Uint8Array): unknown {
  if (!hasLongNumber(bytes)) return value;
  let isExact = true;
  const text = textOf(bytes);
  const exact = reviveLongIntegers(text, () => {
    isExact = false;
  });
  return isExact ? value : exact;
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
  return longNumber.test(text) ? reviveLongIntegers(text) : JSON.parse(text);
}

function reviveLongIntegers(text: string, onFound = () => {}): unknown {
  return JSON.parse(text, (_key, value, { source }) => {
    if (source === undefined || !longInteger.test(source) || String(value) === source) return value;
    onFound();
    return JSON.rawJSON(source);
  });
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
