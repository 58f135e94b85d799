import { hash } from 'node:crypto';
import { comparedCharsMax, comparedLinesMax, fingerprintLineCharsMin, fingerprintLines } from './limits.ts';

/** The hashes of a summary's longest lines. Clients wrap summaries and leave parts out, but keep their lines. */
export function fingerprintOf(summary: string, salt: string): readonly string[] {
  const lines = [...new Set(linesOf(summary))].sort((one, other) => other.length - one.length);
  return lines.slice(0, fingerprintLines).map((line) => hashOf(line, salt));
}

/** The hashes of the lines in the texts: of many, those at their beginning and their end. */
export function lineHashesOf(texts: readonly string[], salt: string): ReadonlySet<string> {
  const lines = texts.flatMap((text) => linesOf(endsOf(text)));
  const compared =
    lines.length <= comparedLinesMax
      ? lines
      : [...lines.slice(0, comparedLinesMax / 2), ...lines.slice(-comparedLinesMax / 2)];
  return new Set(compared.map((line) => hashOf(line, salt)));
}

/** The beginning and the end of a long text: a summary is at one of them. */
function endsOf(text: string): string {
  if (text.length <= comparedCharsMax) return text;
  return `${text.slice(0, comparedCharsMax / 2)}\n${text.slice(-comparedCharsMax / 2)}`;
}

/** Lines without tags, list markers and differences in spacing. */
function linesOf(text: string): readonly string[] {
  return text
    .replace(/<\/?[A-Za-z][\w:.-]{0,60}>/g, '\n')
    .split('\n')
    .map((line) =>
      line
        .replace(/[\s*#>`_-]+/g, ' ')
        .trim()
        .toLowerCase(),
    )
    .filter(({ length }) => length >= fingerprintLineCharsMin);
}

function hashOf(line: string, salt: string): string {
  return hash('sha256', `${salt}\n${line}`, 'base64url').slice(0, 10);
}
