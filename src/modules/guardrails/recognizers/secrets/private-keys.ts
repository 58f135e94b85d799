import { alphanumeric, base64, endOfRun } from '../characters.ts';
import { byFormat, type PatternFindings } from '../pattern-findings.ts';

const header = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const footer = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;

/** The longest header. */
const headerCharactersMax = 75;

/** The first line of a key is at least so long; less may be the mention of a header. */
const lineCharactersMin = 16;

/**
 * A private key in PEM, or as PGP exports it; at the first dash of its header. If it ends with the text and not with its footer, it goes on
 * in what follows the text, up to `endOfPrivateKey`.
 */
export function privateKeyAt(text: string, at: number, found: PatternFindings): number | undefined {
  header.lastIndex = at;
  if (!header.test(text)) return undefined;
  const after = header.lastIndex;
  const end = endOfPrivateKey(text, after) ?? endOfLines(text, after);
  if (end === after) return undefined;
  found.add({ start: at, end, kind: 'PRIVATE_KEY' }, byFormat);
  return end;
}

/** Whether the text ends within a header or its first line; at the first dash. */
export function isPartialPrivateKey(text: string, at: number): boolean {
  header.lastIndex = at;
  if (!header.test(text)) return text.length - at < headerCharactersMax && !text.includes('-----', at + 10);
  const after = header.lastIndex;
  return (
    text.length - after < 2 * lineCharactersMin &&
    endOfLines(text, after) === after &&
    /^[\s\\\w+/=]*$/.test(text.slice(after))
  );
}

/** Where the footer of a private key ends; undefined if the text, which is the part of a key after its header, has none. */
export function endOfPrivateKey(text: string, from = 0): number | undefined {
  // Between header and footer there are no five dashes.
  footer.lastIndex = Math.max(text.indexOf('-----', from), 0);
  return footer.test(text) ? footer.lastIndex : undefined;
}

const keyField = /(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]{0,80}/y;

/** Without a footer: as far as lines look like those of a key. Line breaks may be escaped. */
function endOfLines(text: string, from: number): number {
  let at = from;
  let end = from;
  while (at < text.length) {
    at = endOfBreaks(text, at);
    keyField.lastIndex = at;
    if (keyField.test(text)) {
      at = keyField.lastIndex;
      continue;
    }
    const line = endOfRun(text, at, alphanumeric | base64);
    const isWhole = line - at >= lineCharactersMin;
    if ((isWhole || end > from) && endOfBreaks(text, line) === text.length) return text.length;
    if (!isWhole) return end;
    at = line;
    end = line;
  }
  return end;
}

function endOfBreaks(text: string, from: number): number {
  let at = from;
  while (isBreak(text, at)) at++;
  return at;
}

/** White space, a backslash, or the letter of an escape behind one. */
function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (
    code === 92 ||
    code === 10 ||
    code === 13 ||
    code === 32 ||
    code === 9 ||
    ((code === 110 || code === 114) && text.charCodeAt(at - 1) === 92)
  );
}
