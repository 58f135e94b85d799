import { createHash, type Hash } from 'node:crypto';
import type { z } from 'zod';
import type { MovedRow } from '../kernel/ports/moving.ts';
import { type JsonObject, jsonObjectIn } from '../lib/json.ts';
import {
  fileEndSchema,
  formatName,
  formatVersion,
  type Manifest,
  manifestSchema,
  sectionEndSchema,
  sectionStartSchema,
} from './file-lines.ts';
import { limits } from './limits.ts';
import { readLines } from './read-lines.ts';
import { refusal } from './refusal.ts';
import { isSectionName, type SectionName, sectionNames, tablesOf } from './sections.ts';

/** Rows of one table that follow one another. */
export interface FileBatch {
  readonly section: SectionName;
  readonly table: string;
  readonly rows: readonly MovedRow[];
}

export interface FileReader {
  onManifest(manifest: Manifest): void;
  onRows(batch: FileBatch): Promise<void>;
}

/** Reads a file to its end, and rejects one that is not whole, not in order or of another version. */
export async function readFile(chunks: AsyncIterable<Uint8Array>, reader: FileReader): Promise<void> {
  const whole = createHash('sha256');
  const lines = new DigestedLines(readLines(chunks), whole);
  const manifest = readManifest(await lines.next());
  reader.onManifest(manifest);
  const order = manifest.sections.map((name) => (isSectionName(name) ? sectionNames.indexOf(name) : -1));
  if (order.some((at, index) => at < 0 || (index > 0 && at <= (order[index - 1] ?? -1))))
    throw refusal('its list of sections is wrong');
  let rows = 0;
  for (const name of manifest.sections) {
    if (!isSectionName(name)) throw refusal('its list of sections is wrong');
    rows += await readSection(name, lines, reader);
    if (rows > limits.rowsMax) throw refusal(`it has more than ${limits.rowsMax} rows`);
  }
  const digest = whole.digest('hex');
  const end = parseAs(fileEndSchema, await lines.nextUndigested(), 'its last line is wrong');
  if (end.sha256 !== digest) throw refusal('its digest is wrong: it was changed');
  if (!(await lines.isAtEnd())) throw refusal('it goes on after its last line');
}

async function readSection(name: SectionName, lines: DigestedLines, reader: FileReader): Promise<number> {
  const start = parseAs(sectionStartSchema, await lines.next(), `section "${name}" does not begin`);
  if (start.section !== name) throw refusal(`section "${name}" is not where it should be`);
  if (start.version !== formatVersion) throw otherVersion(start.version);
  const digest = createHash('sha256');
  const tables = tablesOf(name);
  let batch: MovedRow[] = [];
  let characters = 0;
  let table = -1;
  let rows = 0;
  const flush = async () => {
    if (batch.length > 0) await reader.onRows({ section: name, table: tables[table] ?? '', rows: batch });
    batch = [];
    characters = 0;
  };
  for (;;) {
    const line = await lines.next();
    const content = parseLine(line);
    if ('end' in content) {
      await flush();
      const end = sectionEndSchema.safeParse(content).data;
      if (end?.end !== name) throw refusal(`section "${name}" does not end`);
      if (end.rows !== rows) throw refusal(`section "${name}" has ${rows} rows, and should have ${end.rows}`);
      if (end.sha256 !== digest.digest('hex'))
        throw refusal(`section "${name}" was changed: its digest is wrong`);
      return rows;
    }
    digest.update(line);
    const { v, table: inTable, ...fields } = content;
    if (v !== formatVersion) throw otherVersion(v);
    const at = typeof inTable === 'string' ? tables.indexOf(inTable) : -1;
    if (at < table || at < 0) throw refusal(`a row of section "${name}" is not where it should be`);
    if (at > table || batch.length === limits.rowsAtOnce || characters > limits.batchCharacters)
      await flush();
    table = at;
    rows++;
    characters += line.byteLength;
    batch.push(toRow(fields, name));
  }
}

function toRow(fields: JsonObject, section: string): MovedRow {
  for (const value of Object.values(fields))
    if (value !== null && typeof value !== 'number' && !(typeof value === 'string' && isStorable(value)))
      throw refusal(`a row of section "${section}" has a value that can't be stored`);
  // Checked above.
  return fields as MovedRow;
}

/** Databases truncate or garble text at other characters. */
function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

function readManifest(line: Buffer): Manifest {
  const content = jsonObjectIn(line);
  if (content?.weir !== formatName) throw refusal('it was not written by weir export');
  if (content.version !== formatVersion) throw otherVersion(content.version);
  return parseAs(manifestSchema, line, 'its first line is wrong');
}

function otherVersion(version: unknown) {
  const found = typeof version === 'number' ? String(version) : 'unknown';
  return refusal(`its format has version ${found}, and this version of Weir reads ${formatVersion}`);
}

function parseAs<Schema extends z.ZodType>(schema: Schema, line: Buffer, fault: string): z.output<Schema> {
  const { data, success } = schema.safeParse(jsonObjectIn(line));
  if (!success) throw refusal(fault);
  return data;
}

function parseLine(line: Buffer): JsonObject {
  const content = jsonObjectIn(line);
  if (content === undefined) throw refusal('a line is not a JSON object');
  return content;
}

class DigestedLines {
  readonly #lines: AsyncIterator<Buffer>;
  readonly #whole: Hash;

  constructor(lines: AsyncIterable<Buffer>, whole: Hash) {
    this.#lines = lines[Symbol.asyncIterator]();
    this.#whole = whole;
  }

  async next(): Promise<Buffer> {
    const line = await this.nextUndigested();
    this.#whole.update(line);
    return line;
  }

  async nextUndigested(): Promise<Buffer> {
    const step = await this.#lines.next();
    if (step.done === true) throw refusal('it is truncated');
    return step.value;
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.#lines.next()).done === true;
  }
}
