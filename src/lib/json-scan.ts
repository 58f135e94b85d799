// Finds positions in JSON without parsing values. Works on latin1 text, one character per byte, so that text positions
// are byte positions. The end of an unterminated value lies beyond the text.

/** The positions of a key, with its quotes, and of its value. */
export interface JsonMember {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The member whose key starts here, if there is one. */
export function memberAt(text: string, keyStart: number): JsonMember | undefined {
  if (text.charCodeAt(keyStart) !== quote) return undefined;
  const keyEnd = stringEnd(text, keyStart);
  const colonAt = skipSpace(text, keyEnd);
  if (text.charCodeAt(colonAt) !== colon) return undefined;
  const valueStart = skipSpace(text, colonAt + 1);
  return { keyStart, keyEnd, valueStart, valueEnd: valueEnd(text, valueStart) };
}

/** The position after the value that starts here. */
export function valueEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === quote) return stringEnd(text, start);
  if (first !== openBrace && first !== openBracket) return literalEnd(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at) - 1;
        break;
      case openBrace:
      case openBracket:
        depth++;
        break;
      case closeBrace:
      case closeBracket:
        if (--depth === 0) return at + 1;
    }
  }
  return text.length + 1;
}

/**
 * The position after the string whose opening quote is here. Reads character by character after the first escaped
 * quote: searching for each quote is much slower if there are many.
 */
function stringEnd(text: string, open: number): number {
  const first = text.indexOf('"', open + 1);
  if (first < 0) return text.length + 1;
  let at = first;
  while (text.charCodeAt(at - 1) === backslash) at--;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return text.length + 1;
}

/** The position after a number or a literal. */
function literalEnd(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === closeBrace || code === closeBracket || isSpace(code)) break;
  }
  return at;
}

/** Statistics of a text. */
interface JsonShape {
  /** Key-value pairs. */
  readonly pairs: number;
  /** Nesting depth. */
  readonly depth: number;
  /** Commas and opening brackets: at least the number of values, and at most twice that. */
  readonly values: number;
}

/** Stops at the first value beyond the limit. */
export function shapeOf(text: string, valuesMax = Number.POSITIVE_INFINITY): JsonShape {
  let pairs = 0;
  let values = 0;
  let deepest = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at) - 1;
        break;
      case colon:
        pairs++;
        break;
      case comma:
        if (++values > valuesMax) return { pairs, depth: deepest, values };
        break;
      case openBrace:
      case openBracket:
        if (++values > valuesMax) return { pairs, depth: deepest, values };
        if (++depth > deepest) deepest = depth;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
    }
  }
  return { pairs, depth: deepest, values };
}

/** How many more brackets close than open from here to the end: the depth of this position, if no string is cut. */
export function depthAt(text: string, from: number, end = text.length): number | undefined {
  let depth = 0;
  let at = from;
  for (; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case quote:
        at = stringEnd(text, at) - 1;
        break;
      case openBrace:
      case openBracket:
        depth--;
        break;
      case closeBrace:
      case closeBracket:
        depth++;
    }
  }
  return at === end ? depth : undefined;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code <= space && (code === space || code === lineFeed || code === carriageReturn || code === tab);
}

// Neither exported nor imported: V8 would look each one up for every character, which takes up to twice as long.
const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
