import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { Sealer } from '../../src/accounts/sealer.ts';
import { Archives } from '../../src/calls/archive/archives.ts';
import { DecisionLogs } from '../../src/calls/decision-logs.ts';
import { openDatabase } from '../../src/gateway/parts/stores.ts';
import { RootSecrets } from '../../src/gateway/secrets.ts';
import { type Environment, readSettings } from '../../src/gateway/settings.ts';
import type { Database } from '../../src/kernel/ports/records.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { ModuleStoresWithCollections } from '../../src/storage/module-stores.ts';
import { someCall, someDay, someRequestId } from '../conformance/database/samples.ts';

export interface Filled {
  readonly accountId: string;
  readonly scope: string;
}

/** Rows of everything that gateways store without calls being made: log, sums, usage, archive, decisions, module data. */
export async function fillAccount(
  environment: Environment,
  { accountId, scope }: Filled,
  calls = 20,
): Promise<{ readonly archiveRef: string }> {
  const settings = readSettings(environment);
  const database = await openDatabase(settings);
  try {
    const roots = new RootSecrets(settings);
    const now = Date.now();
    await addCalls(database, accountId, calls);
    await database.usage.add({
      ...{ id: `batch ${accountId} ${now}`, atMs: now, counted: [], settled: [] },
      days: [someDay({ accountId }), someDay({ accountId, model: 'ünï-model', day: '2026-11-16' })],
      modules: [
        {
          ...{ accountId, day: '2026-11-15', module: 'ipc', calls: 3, savedNanoUsd: -7, spentNanoUsd: 2 },
          with: { conversations: 1, costNanoUsd: 5, squaredUsd: 0.25 },
          without: { conversations: 2, costNanoUsd: 6, squaredUsd: 0.125 },
        },
      ],
      tags: [{ ...someDay({ accountId }), tag: 'team', value: 'a=b' }],
    });
    const stores = new ModuleStoresWithCollections({
      values: database.modules,
      entries: database.collections,
      sealer: new Sealer(roots.deriveKeys('archive')),
      clock: systemClock,
    });
    const archives = new Archives({ stores, clock: systemClock, bytesMax: settings.archiveBytes });
    const [archiveRef = ''] = await archives
      .of(scope, () => null)
      .put([
        {
          ref: 'ref1',
          conversation: 'talk',
          content: { said: 'The code word is heron.' },
          person: null,
          ttlSeconds: 86_400,
        },
      ]);
    const log = new DecisionLogs({
      stores: database.modules,
      clock: systemClock,
      sealing: new Sealer(roots.deriveKeys('ledger')),
    }).of({ module: 'ipc', scope, root: 'root1' });
    await log.decideOnce('summary', () => ({ kept: ['a', 'b'] }));
    await database.logRetentions.put({ accountId, days: 14 });
    return { archiveRef };
  } finally {
    await database.close();
  }
}

export async function addCalls(database: Database, accountId: string, calls: number): Promise<void> {
  const now = Date.now();
  const rows = Array.from({ length: calls }, (_, at) =>
    someCall({
      id: someRequestId(now - 3_600_000 + at),
      accountId,
      conversation: `talk ${at % 3}`,
      endUser: at % 2 === 0 ? 'user-1' : null,
      tags: { team: 'a' },
      modelUsed: `model-${at % 4}`,
      errorMessage: at % 5 === 0 ? 'öps "quoted"\n' : null,
      steps: [{ module: 'exact-cache', effect: 'passed', ms: 1, facts: {} }],
    }),
  );
  await database.requests.add(rows);
}

/** The lines of a file by section, without digests and manifest, in an order of their own. */
export function sectionsOf(file: Uint8Array): Readonly<Record<string, readonly string[]>> {
  const text = Buffer.from(file[0] === 0x1f ? gunzipSync(file) : file).toString('utf8');
  const sections: Record<string, string[]> = {};
  let current: string[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const { section, v } = JSON.parse(line);
    if (typeof section === 'string') {
      current = [];
      sections[section] = current;
    } else if (v !== undefined) current.push(line);
  }
  return Object.fromEntries(Object.entries(sections).map(([name, lines]) => [name, lines.sort()]));
}

/** The same file with other rows and right digests, as somebody would make it who means harm. */
export function forge(file: Uint8Array, change: (row: Record<string, unknown>) => readonly object[]): Buffer {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  let whole = '';
  let rows = '';
  for (const line of gunzipSync(file).toString('utf8').trimEnd().split('\n')) {
    const content = JSON.parse(line);
    if (content.close !== undefined)
      return Buffer.from(`${whole}${JSON.stringify({ ...content, sha256: digest(whole) })}\n`);
    if (content.section !== undefined) rows = '';
    if (content.end !== undefined)
      whole += `${JSON.stringify({ ...content, rows: rows.split('\n').length - 1, sha256: digest(rows) })}\n`;
    else if (content.v === undefined) whole += `${line}\n`;
    else {
      const changed = change(content).map((row) => `${JSON.stringify(row)}\n`);
      rows += changed.join('');
      whole += changed.join('');
    }
  }
  throw new Error('no end');
}
