import { byFormat, type FoundPatterns } from '../found-patterns.ts';

const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g;

/** The longest header. */
export const privateKeyHeaderCharactersMax = 75;

/**
 * A private key in PEM, or as PGP exports it; at the first dash of its header. Without a footer the rest of the text is the key: a
 * stream that has seen the header hides everything up to `endOfPrivateKey`.
 */
export function privateKeyAt(text: string, at: number, found: FoundPatterns): number | undefined {
  header.lastIndex = at;
  if (!header.test(text)) return undefined;
  const after = header.lastIndex;
  const end = endOfPrivateKey(text, after) ?? endOfBase64Lines(text, after);
  found.add({ start: at, end, kind: 'PRIVATE_KEY' }, byFormat);
  return end;
}

/** Where the footer of a private key ends; undefined if the text, which is the part of a key after its header, has none. */
export function endOfPrivateKey(text: string, from = 0): number | undefined {
  footer.lastIndex = from;
  const found = footer.exec(text);
  return found === null ? undefined : found.index + found[0].length;
}

/** Without a footer: as far as lines look like a key, with line breaks that may be escaped. */
function endOfBase64Lines(text: string, from: number): number {
  let at = from;
  let end = from;
  for (;;) {
    const line = at;
    while (at < text.length && /[\s\\]/.test(text.charAt(at)))
      at += /\\[nr]/.test(text.slice(at, at + 2)) ? 2 : 1;
    const start = at;
    while (at < text.length && /[A-Za-z0-9+/=]/.test(text.charAt(at))) at++;
    if (at - start < 16 || at === line) return end;
    end = at;
  }
}
