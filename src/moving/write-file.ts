import { createHash } from 'node:crypto';
import type { MovedRow } from '../kernel/ports/moving.ts';
import { formatName, formatVersion, type Manifest } from './file-lines.ts';
import { limits } from './limits.ts';

export interface WrittenSection {
  readonly name: string;
  /** Rows in chunks, each chunk with its table. */
  rows(): AsyncIterable<{ readonly table: string; readonly rows: readonly MovedRow[] }>;
}

/** The text of a file in pieces: a manifest, sections with their digests, and a line that closes it. */
export async function* writeFile(
  manifest: Omit<Manifest, 'weir' | 'version' | 'sections'>,
  sections: readonly WrittenSection[],
): AsyncIterable<string> {
  const whole = createHash('sha256');
  const lineOf = (content: object) => {
    const line = `${JSON.stringify(content)}\n`;
    whole.update(line);
    return line;
  };
  const names = sections.map(({ name }) => name);
  yield lineOf({ weir: formatName, version: formatVersion, ...manifest, sections: names });
  for (const { name, rows } of sections) {
    const digest = createHash('sha256');
    let written = 0;
    let piece = lineOf({ section: name, version: formatVersion });
    for await (const chunk of rows()) {
      for (const row of chunk.rows) {
        const line = lineOf({ v: formatVersion, table: chunk.table, ...row });
        digest.update(line);
        written++;
        piece += line;
        if (piece.length < limits.pieceCharacters) continue;
        yield piece;
        piece = '';
      }
    }
    yield piece + lineOf({ end: name, rows: written, sha256: digest.digest('hex') });
  }
  yield `${JSON.stringify({ close: formatName, sha256: whole.digest('hex') })}\n`;
}
