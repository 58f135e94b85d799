import { type AuditEntry, type AuditTable, chainStart, type SignedPoint } from '../kernel/ports/audit.ts';
import type { Clock } from '../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { canonicalJson } from './canonical-json.ts';
import { hashOf } from './hash-of.ts';
import { limits } from './limits.ts';
import { type PointSigner, signPoint, statementOf } from './signed-points.ts';

export interface AuditExportParts {
  readonly table: Pick<AuditTable, 'following' | 'lastBefore' | 'end' | 'signedPoints'>;
  readonly signer: PointSigner;
  readonly clock: Clock;
}

export interface ExportedRange {
  readonly chain: string;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

/** A line of an export: an entry, or a signed statement about a place in the chain. */
export type ExportedLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry }
  | { readonly kind: 'statement'; readonly statement: JsonObject; readonly atMs: number };

/**
 * A chain, or a part of it, between two signed statements: where it begins, and its last entry. Statements that were signed
 * before are at their places.
 */
export async function* exportedLines(
  { table, signer, clock }: AuditExportParts,
  { chain, fromMs, toMs }: ExportedRange,
): AsyncIterable<ExportedLine> {
  const newest = (await table.end(chain)) ?? chainStart;
  const sign = async (kind: 'start' | 'head', point: { readonly number: number; readonly hash: string }) =>
    lineOf(await signPoint(signer, { kind, chain, point, atMs: clock.now() }));
  const points = await table.signedPoints(chain);
  const before = fromMs === undefined ? undefined : await table.lastBefore(chain, fromMs);
  let last = {
    number: before?.number ?? 0,
    hash: before === undefined ? chainStart.hash : hashOf(before.text),
  };
  // Without a time, a chain begins at its first entry, or at what the retention left a statement of.
  const [oldest] = before === undefined ? points : [];
  const removal = oldest !== undefined && isRemoval(oldest) ? oldest : undefined;
  if (removal === undefined) yield await sign('start', last);
  else {
    yield lineOf(removal);
    last = { number: removal.number, hash: String(statementOf(removal).hash) };
  }
  // Of the newest entry there is another one at the end.
  const later = points.filter(({ number }) => number > last.number && number < newest.number);
  for (let page: readonly AuditEntry[] = []; ; ) {
    page = await table.following(chain, last.number, limits.exportedAtOnce);
    for (const entry of page) {
      if (entry.number > newest.number || (toMs !== undefined && entry.atMs >= toMs)) {
        yield await sign('head', last);
        return;
      }
      yield { kind: 'entry', entry };
      last = { number: entry.number, hash: hashOf(entry.text) };
      for (let point = later[0]; point !== undefined && point.number <= entry.number; point = later[0]) {
        later.shift();
        yield lineOf(point);
      }
    }
    if (page.length < limits.exportedAtOnce) break;
  }
  // Where entries are missing at the end, the statement says so.
  yield await sign('head', toMs === undefined ? newest : last);
}

/** Names and addresses of entries, if they are not erased, are beside the fields that the hash is of. */
function entryLine({ text, values: groups }: AuditEntry): string {
  const values = Object.assign({}, ...groups.map((group) => group.values));
  const more = `"hash":"${hashOf(text)}","values":${canonicalJson(values)}`;
  return `${text.slice(0, -1)},${more}}`;
}

export async function* jsonLines(lines: AsyncIterable<ExportedLine>): AsyncIterable<string> {
  for await (const line of lines)
    yield `${line.kind === 'entry' ? entryLine(line.entry) : canonicalJson(line.statement)}\n`;
}

/** Lines in the form of RFC 5424, with the same JSON as their messages. */
export async function* syslogLines(lines: AsyncIterable<ExportedLine>): AsyncIterable<string> {
  for await (const line of lines)
    if (line.kind === 'statement') {
      const { chain, number, audit } = line.statement;
      const message = canonicalJson(line.statement);
      yield syslogLine({ atMs: line.atMs, type: `audit.${audit}`, data: { chain, number }, message });
    } else {
      const { number, atMs, event, actor } = line.entry;
      const parsed: unknown = JSON.parse(line.entry.text);
      const { chain, reason } = isJsonObject(parsed) ? parsed : {};
      const data = { chain, number, actor: actor === '' ? undefined : actor, reason };
      yield syslogLine({ atMs, type: event, data, message: entryLine(line.entry) });
    }
}

interface SyslogLine {
  readonly atMs: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** Facility 13, the audit log; severity 4 for what was refused, 5 for others. 32473 is the enterprise number for examples. */
function syslogLine({ atMs, type, data, message }: SyslogLine): string {
  const priority = 13 * 8 + (data.reason === undefined ? 5 : 4);
  const parameters = Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${String(value).replace(/["\\\]]/g, '\\$&')}"`);
  return `<${priority}>1 ${new Date(atMs).toISOString()} - weir - ${type} [audit@32473${parameters.join('')}] ${message}\n`;
}

function lineOf(point: SignedPoint): ExportedLine {
  return { kind: 'statement', statement: statementOf(point), atMs: point.atMs };
}

function isRemoval(point: SignedPoint): boolean {
  return statementOf(point).audit === 'removal';
}
