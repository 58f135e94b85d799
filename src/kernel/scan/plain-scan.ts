import { childrenMax, depthCap, kindOf, longTextBytes, longTextsMax, type Scan } from './scan-result.ts';

/** Scans byte by byte, for platforms without WebAssembly SIMD. */
export const plainScan: Scan = (bytes, { valuesMax, depthMax }, start = 0, end = bytes.length) => {
  const deepestAllowed = Math.min(depthMax, depthCap);
  const offsets: number[] = [];
  const longTexts: number[] = [];
  /** For each open bracket, whether it is a brace. */
  const braces: boolean[] = [];
  let inObject = false;
  let depth = 0;
  let deepest = 0;
  let values = 0;
  let pairs = 0;
  let escapedKeys = false;
  let children = 0;
  let expectsKey = false;
  const first = skipSpace(bytes, start, end);
  let at = first;
  for (;;) {
    if (expectsKey) {
      const keyEnd = bytes[at] === quote && at < end ? stringEnd(bytes, at + 1, end) : invalid;
      if (keyEnd === invalid) return 'syntax';
      escapedKeys ||= bytes.subarray(at, keyEnd).includes(backslash);
      if (depth === 1) offsets.push(at, keyEnd);
      at = skipSpace(bytes, keyEnd, end);
      if (at >= end || bytes[at] !== colon) return 'syntax';
      pairs++;
      at = skipSpace(bytes, at + 1, end);
    }
    if (at >= end) return 'syntax';
    const code = bytes[at] ?? 0;
    const valueStart = at;
    if (code === openBrace || code === openBracket) {
      if (++values > valuesMax) return 'values';
      if (depth === deepestAllowed) return 'depth';
      if (depth === 1) offsets.push(valueStart);
      if (++depth > deepest) deepest = depth;
      inObject = code === openBrace;
      braces.push(inObject);
      at = skipSpace(bytes, at + 1, end);
      if (at >= end) return 'syntax';
      if (bytes[at] !== (inObject ? closeBrace : closeBracket)) {
        expectsKey = inObject;
        continue;
      }
      braces.pop();
      depth--;
      at++;
    } else {
      at = scalarEnd(bytes, at, end);
      if (at === invalid) return 'syntax';
      if (code === quote && at - valueStart >= longTextBytes) longTexts.push(valueStart, at);
      if (depth === 1) offsets.push(valueStart);
    }
    // Close this value and all that end with it.
    for (;;) {
      if (depth === 0) {
        if (skipSpace(bytes, at, end) !== end) return 'syntax';
        const kind = kindOf(bytes[first]);
        return {
          kind,
          start: first,
          end: at,
          offsets,
          values,
          pairs,
          depth: deepest,
          escapedKeys,
          longTexts: longTexts.length > 2 * longTextsMax ? undefined : longTexts,
        };
      }
      if (depth === 1) {
        if (++children > childrenMax) return 'children';
        offsets.push(at);
      }
      inObject = braces[depth - 1] === true;
      at = skipSpace(bytes, at, end);
      if (at >= end) return 'syntax';
      if (bytes[at] === comma) break;
      if (bytes[at] !== (inObject ? closeBrace : closeBracket)) return 'syntax';
      braces.pop();
      depth--;
      at++;
    }
    if (++values > valuesMax) return 'values';
    at = skipSpace(bytes, at + 1, end);
    expectsKey = inObject;
  }
};

const invalid = -1;

function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(bytes[at] ?? 0)) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code <= space && (code === space || code === lineFeed || code === carriageReturn || code === tab);
}

function scalarEnd(bytes: Uint8Array, at: number, end: number): number {
  switch (bytes[at]) {
    case quote:
      return stringEnd(bytes, at + 1, end);
    case letterT:
      return literalEnd(bytes, at, end, 'true');
    case letterF:
      return literalEnd(bytes, at, end, 'false');
    case letterN:
      return literalEnd(bytes, at, end, 'null');
    default:
      return numberEnd(bytes, at, end);
  }
}

function literalEnd(bytes: Uint8Array, from: number, end: number, word: string): number {
  if (from + word.length > end) return invalid;
  for (let at = 1; at < word.length; at++) if (bytes[from + at] !== word.charCodeAt(at)) return invalid;
  return from + word.length;
}

/** The position after the closing quote of the string whose first character is here. */
function stringEnd(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const code = bytes[at] ?? 0;
    if (code === quote) return at + 1;
    if (code < space) return invalid;
    if (code === backslash) {
      at = escapeEnd(bytes, at + 1, end) - 1;
      if (at < from) return invalid;
    }
  }
  return invalid;
}

/** The position after the escape whose backslash is before this. */
function escapeEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return invalid;
  const code = bytes[at] ?? 0;
  if (code !== letterU)
    return code < 128 && '"\\/bfnrt'.includes(String.fromCharCode(code)) ? at + 1 : invalid;
  if (at + 5 > end) return invalid;
  for (let digit = at + 1; digit < at + 5; digit++) if (!isHex(bytes[digit] ?? 0)) return invalid;
  return at + 5;
}

function isHex(code: number): boolean {
  return isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102);
}

function numberEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = bytes[from] === minus ? from + 1 : from;
  const whole = at;
  at = digitsEnd(bytes, at, end);
  if (at === whole || (bytes[whole] === zero && at > whole + 1)) return invalid;
  if (at < end && bytes[at] === point) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction, end);
    if (at === fraction) return invalid;
  }
  if (at < end && ((bytes[at] ?? 0) | 32) === letterE) {
    at++;
    if (at < end && (bytes[at] === plus || bytes[at] === minus)) at++;
    const exponent = at;
    at = digitsEnd(bytes, exponent, end);
    if (at === exponent) return invalid;
  }
  return at;
}

function digitsEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && isDigit(bytes[at] ?? 0)) at++;
  return at;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const plus = 43;
const comma = 44;
const minus = 45;
const point = 46;
const zero = 48;
const nine = 57;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const letterE = 101;
const letterF = 102;
const letterN = 110;
const letterT = 116;
const letterU = 117;
const openBrace = 123;
const closeBrace = 125;
