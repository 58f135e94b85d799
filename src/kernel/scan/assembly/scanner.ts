// AssemblyScript, built by `npm run build:wasm`. Reads JSON window by window and keeps its state in between.
// Zeros follow each window: no loop has to check for the end, since a zero terminates every token.

/** Direct children that are listed. */
export const childrenMax: i32 = 8192;
/** Brackets that are kept track of. */
export const depthCap: i32 = 4096;
/** From how many bytes on a text is long, its quotes included, and how many of these are listed. */
export const longTextBytes: i32 = 512;
export const longTextsMax: i32 = 4096;

/** Text marks, see `addMark`, and their size: the first bytes, which of them count, the key's length, the key. */
export const marksMax: i32 = 16;
export const markedBytes: i32 = 8;
export const markedKeyBytes: i32 = 32;
const textMarkBytes: usize = 64;
const textMarksAt: usize = memory.data(1024, 16);
/** Whether a mark begins with this byte. */
const markedLettersAt: usize = memory.data(256);

/** What was found, see `tell`. */
export const foundAt: usize = memory.data(36, 16);
/** For each open bracket whether it is a brace; none is at depth 0. */
const stackAt: usize = memory.data(depthCap + 1);
/** Four numbers for a member, two for an item, and room for one too many. */
export const placesAt: usize = memory.data(16 * (childrenMax + 1), 16);
/** Two numbers for a long text. */
export const longTextsAt: usize = memory.data(8 * longTextsMax, 16);
export const windowBytes: i32 = 32 * 1024;
const padding: i32 = 64;
export const windowAt: usize = memory.data(windowBytes + padding, 16);
/** A bit for each byte of the window, see `mark`. */
const marksAt: usize = memory.data(windowBytes / 8 + 8, 16);
/** What a byte may be in an escape: the letter of a plain one, that of one with digits, or a digit. */
const lettersAt: usize = memory.data(256);
const plain: u8 = 1;
const unicode: u8 = 2;
const hex: u8 = 4;
/** What `mark` compares with, 16 bytes each. As data they are read into registers once, which is faster by a tenth. */
const constantsAt: usize = memory.data<u64>(
  [
    0x0202020202020202, 0x0202020202020202, 0x2020202020202020, 0x2020202020202020, 0x5c5c5c5c5c5c5c5c,
    0x5c5c5c5c5c5c5c5c,
  ],
  16,
);

fillLetters();

// Results of `run` other than the position to continue from.
const syntax: i32 = -1;
const tooManyValues: i32 = -2;
const tooDeep: i32 = -3;
const tooManyChildren: i32 = -4;

// The next token, which may follow whitespace,
const value: i32 = 0;
const firstItem: i32 = 1;
const key: i32 = 2;
const firstKey: i32 = 3;
const colon: i32 = 4;
const after: i32 = 5;
// or the rest of a started one.
const restOfKey: i32 = 6;
const restOfString: i32 = 7;
const restOfNumber: i32 = 8;

// The state within a number.
const nothing: i32 = 0;
const minus: i32 = 1;
const zero: i32 = 2;
const whole: i32 = 3;
const point: i32 = 4;
const fraction: i32 = 5;
const e: i32 = 6;
const sign: i32 = 7;
const exponent: i32 = 8;

/** What helpers return instead of a place: wrong, or cut by the end of the window, to be gone on with at `cut`. */
const wrong: usize = 0;
const cutShort: usize = 1;

let start: i32 = 0;
let end: i32 = 0;
let children: i32 = 0;
let values: i32 = 0;
let pairs: i32 = 0;
let deepest: i32 = 0;
let longTexts: i32 = 0;
/** Whether some key is not written as it is. */
let escapedKeys: bool = false;
let textMarks: i32 = 0;
/** A bit for each mark that was found. */
let markedTexts: i32 = 0;
let valuesMax: i32 = 0;
let depthMax: i32 = 0;
let state: i32 = 0;
let numberState: i32 = 0;
let depth: i32 = 0;
/** Where the text that the window ended in begins. */
let textStart: i32 = 0;
let place: usize = 0;
let cut: usize = 0;

export function begin(mostValues: i32, mostDepth: i32): void {
  valuesMax = mostValues;
  depthMax = min(mostDepth, depthCap);
  state = value;
  start = end = children = values = pairs = deepest = longTexts = depth = 0;
  escapedKeys = false;
  markedTexts = 0;
  place = placesAt;
}

/**
 * Notes from now on whether a text begins with these bytes, in a member with this key if it has a length. Both are in
 * the window; the key has its quotes, and the first byte may be the quote that ends an empty text.
 */
export function addMark(length: i32, keyLength: i32): void {
  const mark = textMarksAt + textMarkBytes * usize(textMarks++);
  const counted = length == markedBytes ? ~(<u64>0) : ((<u64>1) << (8 * length)) - 1;
  store<u64>(mark, load<u64>(windowAt) & counted);
  store<u64>(mark, counted, 8);
  store<i32>(mark, keyLength, 16);
  memory.copy(mark + 20, windowAt + usize(length), usize(keyLength));
  store<u8>(markedLettersAt + load<u8>(windowAt), 1);
  // A text whose first byte is in the next window.
  store<u8>(markedLettersAt, 1);
}

/** Reads a window whose first byte is at `base`; answers how many of its bytes are done with, or what is wrong. */
export function run(length: i32, base: i32, last: bool): i32 {
  const stop = windowAt + usize(length);
  const shift = base - i32(windowAt);
  for (let at: usize = 0; at < usize(padding); at += 16) v128.store(stop + at, i8x16.splat(0));
  mark(stop);
  let at = windowAt;
  let now = state;
  let nesting = depth;
  let counted = values;
  let inObject = load<u8>(stackAt + nesting) != 0;
  let fault: i32 = 0;
  let stopped = false;

  // Finish the token that the previous window ended in.
  if (now >= restOfKey) {
    const close =
      now == restOfNumber
        ? numberEnd(at, stop, numberState)
        : now == restOfKey
          ? keyEnd(at, stop)
          : stringEnd(at, stop);
    if (close <= cutShort) {
      if (close == wrong) return syntax;
      at = cut;
      stopped = true;
    } else {
      at = close;
      if (now == restOfKey) {
        if (nesting == 1) store<i32>(place, i32(at) + shift, 4);
        now = colon;
      } else {
        if (now == restOfString) textEnded(textStart, i32(at) + shift);
        if (nesting <= 1 && (fault = ended(i32(at) + shift, nesting)) != 0) return fault;
        now = after;
      }
    }
  }
  // Key, colon, value and what follows, from any of these on; `break` leaves the loop.
  while (!stopped) {
    if (now != after) {
      if (now >= key) {
        if (now != colon) {
          at = spaceEnd(at);
          const c = load<u8>(at);
          if (c != 0x22) {
            if (c != 0x7d || now == key) {
              if (at < stop) fault = syntax;
              break;
            }
            at++;
            nesting--;
            inObject = load<u8>(stackAt + nesting) != 0;
            if (nesting <= 1 && (fault = ended(i32(at) + shift, nesting)) != 0) break;
            now = after;
            continue;
          }
          if (nesting == 1) store<i32>(place, i32(at) + shift);
          const close = keyEnd(at + 1, stop);
          if (close <= cutShort) {
            if (close == wrong) fault = syntax;
            at = cut;
            now = restOfKey;
            break;
          }
          at = close;
          if (nesting == 1) store<i32>(place, i32(at) + shift, 4);
        }
        at = spaceEnd(at);
        if (load<u8>(at) != 0x3a) {
          if (at < stop) fault = syntax;
          now = colon;
          break;
        }
        pairs++;
        at++;
        now = value;
      }
      at = spaceEnd(at);
      const c: u32 = load<u8>(at);
      if (c == 0x22) {
        if (load<u8>(markedLettersAt + load<u8>(at, 1)) != 0) {
          // The beginning of a text that is cut is read again in the next window.
          if (at + 1 + markedBytes > stop && !last) break;
          noteMarks(at);
        }
        if (nesting <= 1) begun(i32(at) + shift, nesting);
        const close = stringEnd(at + 1, stop);
        if (close <= cutShort) {
          if (close == wrong) fault = syntax;
          textStart = i32(at) + shift;
          at = cut;
          now = restOfString;
          break;
        }
        if (i32(close - at) >= longTextBytes) textEnded(i32(at) + shift, i32(close) + shift);
        at = close;
      } else if (c - 0x30 < 10 || c == 0x2d) {
        if (nesting <= 1) begun(i32(at) + shift, nesting);
        const close = numberEnd(at, stop, nothing);
        if (close <= cutShort) {
          if (close == wrong) fault = syntax;
          at = cut;
          now = restOfNumber;
          break;
        }
        at = close;
      } else if (c == 0x7b || c == 0x5b) {
        if (++counted > valuesMax) {
          fault = tooManyValues;
          break;
        }
        if (nesting == depthMax) {
          fault = tooDeep;
          break;
        }
        if (nesting <= 1) begun(i32(at) + shift, nesting);
        if (nesting >= deepest) deepest = nesting + 1;
        // The code of a closing bracket is that of the opening one plus two.
        if (load<u8>(at, 1) != c + 2) {
          at++;
          nesting++;
          inObject = c == 0x7b;
          store<u8>(stackAt + nesting, u8(inObject));
          now = inObject ? firstKey : firstItem;
          continue;
        }
        at += 2;
      } else if (c == 0x5d && now == firstItem) {
        at++;
        nesting--;
        inObject = load<u8>(stackAt + nesting) != 0;
      } else {
        const close = wordEnd(at, c);
        if (close == wrong) {
          // A literal that is cut is read again in the next window.
          if (at + 5 <= stop || last) fault = syntax;
          break;
        }
        if (nesting <= 1) begun(i32(at) + shift, nesting);
        at = close;
      }
      if (nesting <= 1 && (fault = ended(i32(at) + shift, nesting)) != 0) break;
      now = after;
    }
    at = spaceEnd(at);
    const c = load<u8>(at);
    if (c == 0x2c && nesting != 0) {
      if (++counted > valuesMax) {
        fault = tooManyValues;
        break;
      }
      at++;
      now = inObject ? key : value;
    } else if (c == (inObject ? 0x7d : 0x5d) && nesting != 0) {
      at++;
      nesting--;
      inObject = load<u8>(stackAt + nesting) != 0;
      if (nesting <= 1 && (fault = ended(i32(at) + shift, nesting)) != 0) break;
    } else {
      if (at < stop) fault = syntax;
      break;
    }
  }
  if (fault != 0) return fault;
  state = now;
  depth = nesting;
  values = counted;
  if (last) {
    if (now == restOfNumber && isWholeNumber(numberState)) {
      if (nesting <= 1 && (fault = ended(i32(at) + shift, nesting)) != 0) return fault;
      now = after;
    }
    if (now != after || nesting != 0) return syntax;
    tell();
  }
  return i32(at - windowAt);
}

function tell(): void {
  store<i32>(foundAt, start);
  store<i32>(foundAt, end, 4);
  store<i32>(foundAt, i32(place - placesAt) >> 2, 8);
  store<i32>(foundAt, values, 12);
  store<i32>(foundAt, pairs, 16);
  store<i32>(foundAt, deepest, 20);
  store<i32>(foundAt, longTexts, 24);
  store<i32>(foundAt, i32(escapedKeys), 28);
  store<i32>(foundAt, markedTexts, 32);
}

function noteMarks(quote: usize): void {
  const first = load<u64>(quote, 1);
  for (let index = 0; index < textMarks; index++) {
    const mark = textMarksAt + textMarkBytes * usize(index);
    if ((first & load<u64>(mark, 8)) == load<u64>(mark) && mayHaveKey(quote, mark)) markedTexts |= 1 << index;
  }
}

/** Whether the key of this value is that of the mark, or was in the previous window. */
function mayHaveKey(value: usize, mark: usize): bool {
  const length = usize(load<i32>(mark, 16));
  if (length == 0) return true;
  let at = value;
  // Spaces around the colon.
  do at--;
  while (at > windowAt && load<u8>(at) <= 0x20);
  if (at <= windowAt) return true;
  if (load<u8>(at) != 0x3a) return false;
  do at--;
  while (at > windowAt && load<u8>(at) <= 0x20);
  if (at + 1 < windowAt + length) return true;
  return memory.compare(at + 1 - length, mark + 20, length) == 0;
}

function textEnded(start: i32, end: i32): void {
  if (end - start < longTextBytes) return;
  if (longTexts < longTextsMax) {
    const listed = longTextsAt + 8 * usize(longTexts);
    store<i32>(listed, start);
    store<i32>(listed, end, 4);
  }
  longTexts++;
}

/** A value that is the document or a direct child of it. */
function begun(at: i32, nesting: i32): void {
  if (nesting == 0) start = at;
  else store<i32>(place + (load<u8>(stackAt + 1) != 0 ? 8 : 0), at);
}

function ended(at: i32, nesting: i32): i32 {
  if (nesting == 0) {
    end = at;
    return 0;
  }
  if (++children > childrenMax) return tooManyChildren;
  if (load<u8>(stackAt + 1) != 0) {
    store<i32>(place, at, 12);
    place += 16;
  } else {
    store<i32>(place, at, 4);
    place += 8;
  }
  return 0;
}

// @ts-ignore: a decorator
@inline
function spaceEnd(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : longSpaceEnd(at);
}

function longSpaceEnd(from: usize): usize {
  let at = from;
  while (true) {
    const block = v128.load(at);
    const spaces = v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(0x20)), i8x16.eq(block, i8x16.splat(0x0a))),
      v128.or(i8x16.eq(block, i8x16.splat(0x0d)), i8x16.eq(block, i8x16.splat(0x09))),
    );
    const others = i8x16.bitmask(v128.not(spaces));
    if (others != 0) return at + usize(ctz(others));
    at += 16;
  }
}

function wordEnd(at: usize, c: u32): usize {
  if (c == 0x74) return load<u32>(at) == 0x65757274 ? at + 4 : wrong;
  if (c == 0x6e) return load<u32>(at) == 0x6c6c756e ? at + 4 : wrong;
  if (c == 0x66) return load<u32>(at, 1) == 0x65736c61 ? at + 5 : wrong;
  return wrong;
}

function numberEnd(from: usize, stop: usize, before: i32): usize {
  let at = from;
  let read = before;
  let c: u32 = load<u8>(at);
  if (read == nothing) {
    if (c == 0x2d) {
      at++;
      c = load<u8>(at);
    }
    read = minus;
  }
  if (read == minus) {
    if (c - 0x30 >= 10) return leftNumber(at, stop, read);
    read = c == 0x30 ? zero : whole;
    at++;
  }
  if (read <= whole) {
    c = load<u8>(at);
    if (read == whole) {
      while (c - 0x30 < 10) c = load<u8>(++at);
    }
    if (c == 0x2e) read = point;
    else if ((c | 0x20) == 0x65) read = e;
    else return at < stop ? at : leftNumber(at, stop, read);
    at++;
  }
  if (read == point) {
    if (<u32>load<u8>(at) - 0x30 >= 10) return leftNumber(at, stop, read);
    read = fraction;
  }
  if (read == fraction) {
    at = digitsEnd(at);
    c = load<u8>(at);
    if ((c | 0x20) != 0x65) return at < stop ? at : leftNumber(at, stop, read);
    read = e;
    at++;
  }
  if (read == e) {
    c = load<u8>(at);
    if (c == 0x2b || c == 0x2d) {
      read = sign;
      at++;
    }
  }
  if (read < exponent) {
    if (<u32>load<u8>(at) - 0x30 >= 10) return leftNumber(at, stop, read);
    read = exponent;
  }
  at = digitsEnd(at);
  return at < stop ? at : leftNumber(at, stop, read);
}

function leftNumber(at: usize, stop: usize, read: i32): usize {
  if (at < stop) return wrong;
  numberState = read;
  return cutAt(stop);
}

function isWholeNumber(read: i32): bool {
  return read == zero || read == whole || read == fraction || read == exponent;
}

/** Eight at a time: what is no digit has other bits above its lowest four, or gets them when six is added. */
function digitsEnd(from: usize): usize {
  let at = from;
  while (true) {
    const eight = load<u64>(at);
    const others =
      ((eight & 0xf0f0f0f0f0f0f0f0) ^ 0x3030303030303030) |
      (((eight + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) ^ 0x3030303030303030);
    if (others != 0) return at + (usize(ctz(others)) >> 3);
    at += 8;
  }
}

/** Behind the quote that ends a string of which the rest is here. */
// @ts-ignore: a decorator
@inline
function stringEnd(at: usize, stop: usize): usize {
  const offset = at - windowAt;
  const marks = load<u64>(marksAt + ((offset >> 6) << 3)) & (~(<u64>0) << u64(offset));
  if (marks != 0) {
    const found = windowAt + (offset & ~63) + usize(ctz(marks));
    if (load<u8>(found) == 0x22) return found + 1;
  }
  return longStringEnd(offset, stop);
}

/** The same for a key, of which it is remembered whether there is an escape in it. */
// @ts-ignore: a decorator
@inline
function keyEnd(at: usize, stop: usize): usize {
  const offset = at - windowAt;
  const marks = load<u64>(marksAt + ((offset >> 6) << 3)) & (~(<u64>0) << u64(offset));
  if (marks != 0) {
    const found = windowAt + (offset & ~63) + usize(ctz(marks));
    if (load<u8>(found) == 0x22) return found + 1;
  }
  return oddKeyEnd(at, stop);
}

function oddKeyEnd(from: usize, stop: usize): usize {
  const close = longStringEnd(from - windowAt, stop);
  if (close == wrong) return close;
  const end = close == cutShort ? cut : close;
  for (let at = from; at < end; at++) if (load<u8>(at) == 0x5c) escapedKeys = true;
  return close;
}

function longStringEnd(offset: usize, stop: usize): usize {
  let wordAt = marksAt + ((offset >> 6) << 3);
  let block = windowAt + (offset & ~63);
  let marks = load<u64>(wordAt) & (~(<u64>0) << u64(offset));
  while (true) {
    while (marks == 0) {
      wordAt += 8;
      block += 64;
      marks = load<u64>(wordAt);
    }
    const bit = ctz(marks);
    const found = block + usize(bit);
    const letter = load<u8>(found);
    if (letter != 0x5c) {
      if (letter == 0x22) return found + 1;
      return found < stop ? wrong : cutAt(stop);
    }
    const kind = load<u8>(lettersAt + load<u8>(found, 1));
    if ((kind & plain) == 0 && ((kind & unicode) == 0 || !areHex(found + 2)))
      return found + 6 > stop ? cutAt(found) : wrong;
    // Skip the backslash and the escaped character.
    marks &= ~(<u64>3 << bit);
    if (bit == 63) {
      wordAt += 8;
      block += 64;
      marks = load<u64>(wordAt) & ~(<u64>1);
    }
  }
}

/** Marks what may end a string or an escape in it: quotes, backslashes and control characters, a bit for each byte. */
function mark(stop: usize): void {
  const turned = v128.load(constantsAt);
  const space = v128.load(constantsAt, 16);
  const backslash = v128.load(constantsAt, 32);
  let marks = marksAt;
  for (let at = windowAt; at <= stop; at += 64) {
    store<u64>(
      marks,
      special(v128.load(at), turned, space, backslash) |
        (special(v128.load(at, 16), turned, space, backslash) << 16) |
        (special(v128.load(at, 32), turned, space, backslash) << 32) |
        (special(v128.load(at, 48), turned, space, backslash) << 48),
    );
    marks += 8;
  }
}

/** A quote is a space with one bit turned. */
// @ts-ignore: a decorator
@inline
function special(block: v128, turned: v128, space: v128, backslash: v128): u64 {
  const endsString = i8x16.le_u(v128.xor(block, turned), space);
  return u64(i8x16.bitmask(v128.or(endsString, i8x16.eq(block, backslash))));
}

function areHex(at: usize): bool {
  const all =
    load<u8>(lettersAt + load<u8>(at)) &
    load<u8>(lettersAt + load<u8>(at, 1)) &
    load<u8>(lettersAt + load<u8>(at, 2)) &
    load<u8>(lettersAt + load<u8>(at, 3));
  return (all & hex) != 0;
}

function fillLetters(): void {
  for (let digit: usize = 0x30; digit <= 0x39; digit++) store<u8>(lettersAt + digit, hex);
  for (let letter: usize = 0x61; letter <= 0x66; letter++) {
    store<u8>(lettersAt + letter, hex);
    store<u8>(lettersAt + letter - 0x20, hex);
  }
  store<u8>(lettersAt + 0x22, plain);
  store<u8>(lettersAt + 0x2f, plain);
  store<u8>(lettersAt + 0x5c, plain);
  store<u8>(lettersAt + 0x62, plain | hex);
  store<u8>(lettersAt + 0x66, plain | hex);
  store<u8>(lettersAt + 0x6e, plain);
  store<u8>(lettersAt + 0x72, plain);
  store<u8>(lettersAt + 0x74, plain);
  store<u8>(lettersAt + 0x75, unicode);
}

function cutAt(at: usize): usize {
  cut = at;
  return cutShort;
}
