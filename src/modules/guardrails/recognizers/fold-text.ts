/** A text in ASCII where possible, and where its characters come from. */
export interface FoldedText {
  readonly text: string;
  /** The range of the original text that a range of the folded one stands for. */
  rangeOf(start: number, end: number): { readonly start: number; readonly end: number };
}

const invisible =
  '\\u00ad\\u0300-\\u036f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufe00-\\ufe0f\\ufeff';
const spaces = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000';
const hyphens = '\\u2010-\\u2013\\u2212\\ufe58\\ufe63';
const fullWidth = '\\uff01-\\uff5e';
/** The zeros of scripts with digits of their own, from Arabic to Mongolian; the other nine follow each. */
const zeros = [
  ...[0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66],
  ...[0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x1090, 0x17e0, 0x1810],
];
const digits = zeros.map((zero) => `${escaped(zero)}-${escaped(zero + 9)}`).join('');
/** Five alphabets of mathematics, beyond the first 65,536 characters. */
const mathematicalDigits = '\\ud835[\\udfce-\\udfff]';
const foldable = new RegExp(
  `[${invisible}${spaces}${hyphens}${fullWidth}${digits}]|${mathematicalDigits}`,
  'g',
);
const isInvisible = new RegExp(`[${invisible}]`);
const isSpace = new RegExp(`[${spaces}]`);
const isHyphen = new RegExp(`[${hyphens}]`);

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/**
 * Removes invisible characters, and replaces digits of other scripts, full-width characters, and special spaces and hyphens with those
 * of ASCII, so that one set of rules recognizes all spellings. Undefined if the text has none of them, as most texts.
 */
export function foldText(text: string): FoldedText | undefined {
  const first = text.search(/[\u00a0-\uffff]/);
  foldable.lastIndex = first;
  if (first === -1 || !foldable.test(text)) return undefined;
  foldable.lastIndex = first;
  const parts: string[] = [];
  const positions = new Uint32Array(text.length + 1);
  let written = 0;
  let read = 0;
  const copyUpTo = (end: number) => {
    parts.push(text.slice(read, end));
    for (; read < end; read++) positions[written++] = read;
  };
  for (const { 0: character, index } of text.matchAll(foldable)) {
    copyUpTo(index);
    const folded = foldCharacter(character);
    parts.push(folded);
    if (folded !== '') positions[written++] = index;
    read = index + character.length;
  }
  copyUpTo(text.length);
  return {
    text: parts.join(''),
    rangeOf(start, end) {
      const last = positions[end - 1] ?? 0;
      return { start: positions[start] ?? 0, end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) };
    },
  };
}

function foldCharacter(character: string): string {
  if (isInvisible.test(character)) return '';
  if (isSpace.test(character)) return ' ';
  if (isHyphen.test(character)) return '-';
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (code >= 0x1d7ce) return String((code - 0x1d7ce) % 10);
  return String(code - (zeros.findLast((zero) => zero <= code) ?? code));
}
