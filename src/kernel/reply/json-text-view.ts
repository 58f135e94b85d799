/** A text with the offset of each character in its source. */
interface TextView {
  readonly text: string;
  /** The offset in the source of a character, or of the end of the text. */
  offsetOf(index: number): number;
  /** The index of the character at an offset. */
  indexOf(offset: number): number;
}

const same = (at: number): number => at;

export function plainView(text: string): TextView {
  return { text, offsetOf: same, indexOf: same };
}

/** JSON, cut anywhere but in an escape, with the escapes resolved; without an incomplete escape at its end. */
export function viewJsonText(json: string): TextView {
  if (!json.includes('\\')) return plainView(json);
  const offsets: number[] = [];
  let text = '';
  let at = 0;
  for (
    let length = lengthAt(json, at);
    at + length <= json.length && length > 0;
    length = lengthAt(json, at)
  ) {
    text += length === 1 ? json[at] : resolveEscape(json, at);
    offsets.push(at);
    at += length;
  }
  offsets.push(at);
  return { text, offsetOf: (index) => offsets[index] ?? at, indexOf: (offset) => offsets.indexOf(offset) };
}

/** The length of the character or escape at an offset; 0 at the end. */
function lengthAt(json: string, at: number): number {
  if (at >= json.length) return 0;
  if (json[at] !== '\\') return 1;
  return json[at + 1] === 'u' ? 6 : 2;
}

function resolveEscape(json: string, at: number): string {
  const letter = json[at + 1] ?? '';
  if (letter !== 'u') return controls[letter] ?? letter;
  const code = Number.parseInt(json.slice(at + 2, at + 6), 16);
  return String.fromCharCode(Number.isNaN(code) ? 0xfffd : code);
}

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
