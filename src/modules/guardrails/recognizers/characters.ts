/** Classes of ASCII characters, as bits. */
export const upper = 1;
export const lower = 2;
export const digit = 4;
const underscore = 8;
const hyphen = 16;
export const base64 = 32;
export const hex = 64;
export const dot = 128;

export const letter = upper | lower;
export const alphanumeric = letter | digit;
export const word = alphanumeric | underscore;
export const base64url = word | hyphen;

const classes = new Uint8Array(128);
for (const [bit, characters] of [
  [upper, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [lower, 'abcdefghijklmnopqrstuvwxyz'],
  [digit, '0123456789'],
  [underscore, '_'],
  [hyphen, '-'],
  [base64, '+/='],
  [hex, '0123456789abcdefABCDEF'],
  [dot, '.'],
] as const)
  for (const character of characters) {
    const code = character.charCodeAt(0);
    classes[code] = (classes[code] ?? 0) | bit;
  }

/** The classes of a UTF-16 unit; 0 for all others and for NaN, which stands for the end of a text. */
export function classOf(code: number): number {
  return code < 128 ? (classes[code] ?? 0) : 0;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Where a run of characters of these classes ends. */
export function endOfRun(text: string, at: number, allowed: number): number {
  let end = at;
  while ((classOf(text.charCodeAt(end)) & allowed) !== 0) end++;
  return end;
}
