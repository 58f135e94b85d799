/** Measures of the strings in JSON, without the keys. */
export interface TextStats {
  readonly strings: number;
  /** Length without escapes. */
  readonly bytes: number;
  /** Escaped line breaks, quotes and the like; in tool arguments every second mark is one. */
  readonly escapes: number;
  /** Images, documents and audio, which are not counted by their bytes. */
  readonly media: number;
}

export function measureTexts(json: Buffer): TextStats {
  let strings = 0;
  let bytes = 0;
  let escapes = 0;
  let media = 0;
  let key = json.subarray(0, 0);
  for (let start = json.indexOf(quote) + 1; start > 0; ) {
    const measuredText = measureTextAt(json, start);
    if (isKey(json, measuredText.end + 1)) key = json.subarray(start, measuredText.end);
    else if (measuredText.opaque) media += isSignatureKey(key) ? 0 : 1;
    else {
      strings++;
      bytes += measuredText.end - start - measuredText.escapedBytes;
      escapes += measuredText.escapes;
    }
    start = json.indexOf(quote, measuredText.end + 1) + 1;
  }
  return { strings, bytes, escapes, media };
}

interface MeasuredText {
  readonly end: number;
  readonly escapes: number;
  /** Bytes that escapes add. */
  readonly escapedBytes: number;
  readonly opaque: boolean;
}

/** Measures the string whose first character is at `start`. */
function measureTextAt(json: Buffer, start: number): MeasuredText {
  let escapes = 0;
  let escapedBytes = 0;
  let at = start;
  const opaque = isOpaque(json, start);
  if (opaque) at = json.indexOf(quote, start);
  for (; at < json.length && json[at] !== quote; at++) {
    if (json[at] !== backslash) continue;
    at++;
    const numbered = json[at] === letterU;
    escapedBytes += numbered ? numberedBytes : 1;
    if (!numbered) escapes++;
  }
  return { end: at, escapes, escapedBytes, opaque };
}

/** Only media and secrets start with so many letters and digits and no space. */
function isOpaque(json: Buffer, start: number): boolean {
  for (let at = start; at < start + opaqueBytesMin; at++) {
    const byte = json[at];
    if (byte === undefined || byte === quote || byte === space || byte === backslash || byte > lastOfAscii)
      return false;
  }
  return true;
}

function isKey(json: Buffer, from: number): boolean {
  let at = from;
  while (json[at] === space || json[at] === lineFeed || json[at] === carriageReturn || json[at] === tab) at++;
  return json[at] === colon;
}

/** Signed or encrypted provider data has few or no tokens. */
function isSignatureKey(key: Buffer): boolean {
  return key.includes('signature') || key.includes('encrypted');
}

const opaqueBytesMin = 400;
const lastOfAscii = 0x7f;
/** A `\u` escape takes six bytes for about three bytes of UTF-8. */
const numberedBytes = 3;
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const letterU = 0x75;
