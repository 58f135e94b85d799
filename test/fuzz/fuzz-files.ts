import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Mover } from '../../src/gateway/mover.ts';
import { egressPart } from '../../src/gateway/parts/egress.ts';
import { modulesPart } from '../../src/gateway/parts/modules.ts';
import { openDatabase } from '../../src/gateway/parts/stores.ts';
import { RootSecrets } from '../../src/gateway/secrets.ts';
import { type Environment, readSettings } from '../../src/gateway/settings.ts';
import { GatewayError } from '../../src/kernel/errors.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ImportReport } from '../../src/moving/import-account.ts';
import { sectionNames } from '../../src/moving/sections.ts';
import { unmovedTables } from '../../src/storage/sql/moving/moved-tables.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startTestGateway } from '../../src/testing/test-gateway.ts';
import { Person } from '../support/cloud.ts';
import { fillAccount, forge } from '../support/moving.ts';
import { mutatedJson } from './mutated-json.ts';
import { Random } from './random.ts';

export interface FileTally {
  files: number;
  /** Files that were refused as a whole. */
  refused: number;
  /** Rows of the others. */
  added: number;
  replaced: number;
  left: number;
}

interface Slice {
  readonly seed: number;
  readonly first?: number | undefined;
  readonly files?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** After so many files, the instance is as at the beginning again. */
const filesInARow = 8;
const sections = sectionNames.filter((name) => name !== 'provider_keys');

/**
 * Imports files that somebody forged, with right digests, into an account beside that of a victim. Throws if an import fails in any other way than by refusing
 * the file, changes anything that is not the account's, or leaves what the gateway itself could not have written.
 */
export async function fuzzFiles({
  seed,
  first = 0,
  files = Infinity,
  untilMs = Infinity,
}: Slice): Promise<FileTally> {
  const tally: FileTally = { files: 0, refused: 0, added: 0, replaced: 0, left: 0 };
  const folder = mkdtempSync(join(tmpdir(), 'weir-fuzz-files-'));
  try {
    const scene = await setScene(folder);
    for (let at = first; at < first + files && performance.now() < untilMs; ) {
      const dataDir = join(folder, `round ${at}`);
      cpSync(scene.dataDir, dataDir, { recursive: true });
      const most = Math.min(filesInARow, first + files - at);
      await withMover({ ...scene.environment, WEIR_DATA_DIR: dataDir }, async (mover) => {
        const before = foreignRows(dataDir, scene.attacker);
        for (let made = 0; made < most; made++, at++) {
          await importForged(mover, scene, { seed, at, tally }).catch((cause) => {
            throw new Error(`seed ${seed}, file ${at}`, { cause });
          });
          const after = foreignRows(dataDir, scene.attacker);
          for (const [table, rows] of after)
            if (!isDeepStrictEqual(rows, before.get(table)))
              throw new Error(`seed ${seed}, file ${at} changed "${table}"`);
        }
        await requireOwnFile(mover, scene.attacker).catch((cause) => {
          throw new Error(`seed ${seed}, files up to ${at}`, { cause });
        });
      });
      rmSync(dataDir, { recursive: true });
    }
    return tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Scene {
  readonly environment: Environment;
  readonly dataDir: string;
  readonly attacker: string;
  /** The attacker's own file of another instance, and the victim's, which somebody has got hold of. */
  readonly originals: readonly Buffer[];
  /** Ids, scopes and the like that a file should not have its way with. */
  readonly loot: readonly (string | number | null)[];
}

async function setScene(folder: string): Promise<Scene> {
  const dataDir = join(folder, 'cloud');
  const environment = {
    WEIR_MODE: 'cloud',
    WEIR_DATA_DIR: dataDir,
    WEIR_SECRET: 'a secret of the instance that is fuzzed',
  };
  const gateway = await startTestGateway(environment);
  const [victim, attacker] = [await Person.signUp(gateway.url), await Person.signUp(gateway.url)];
  await furnish(victim);
  await gateway.close();
  await fillAccount(environment, { accountId: victim.id, scope: `account:${victim.id}` });
  const elsewhere = { ...environment, WEIR_DATA_DIR: join(folder, 'elsewhere') };
  const other = await startTestGateway(elsewhere);
  const own = await Person.signUp(other.url);
  await furnish(own);
  await other.close();
  await fillAccount(elsewhere, { accountId: own.id, scope: `account:${own.id}` });
  const originals = [await exportOf(elsewhere, own.id), await exportOf(environment, victim.id)];
  const stolen = lootIn(dataDir, victim.id);
  return {
    ...{ environment, dataDir, attacker: attacker.id, originals },
    loot: [
      victim.id,
      `account:${victim.id}`,
      ...stolen,
      2 ** 53,
      1e14 + 1,
      -1,
      0,
      '',
      null,
      'x'.repeat(70_000),
    ],
  };
}

/** What people set up by hand. */
async function furnish(person: Person): Promise<void> {
  const answers = [
    await person.call({ method: 'PUT', path: '/v1/configurations/exact-cache/short', body: { ttl: '5m' } }),
    await person.call({
      path: '/v1/patterns',
      body: { trigger: 'a failing build', advice: 'Read the log first.' },
    }),
    await person.call({
      path: '/v1/prompts',
      body: { name: 'greeting', system: 'Greet {{name}}.', labels: ['prod'] },
    }),
    await person.call({ path: '/v1/prompts/greeting/versions', body: { system: 'Greet {{name}} well.' } }),
  ];
  await person.makeKey({ name: 'laptop' });
  for (const { status, text } of answers) if (status >= 300) throw new Error(text);
}

async function exportOf(environment: Environment, accountId: string): Promise<Buffer> {
  let text = '';
  await withMover(environment, async (mover) => {
    for await (const piece of mover.export({ accountId, sections, passphrase: undefined })) text += piece;
  });
  return gzipSync(text);
}

async function withMover(environment: Environment, work: (mover: Mover) => Promise<void>): Promise<void> {
  const settings = readSettings(environment);
  const log = createLog('silent', { write() {} });
  const egress = egressPart({ settings, log });
  const { moduleFetches } = egress;
  const { modules, close } = await modulesPart({
    settings,
    log,
    clock: systemClock,
    moduleFetches,
    given: [],
  });
  const database = await openDatabase(settings);
  try {
    const roots = new RootSecrets(settings);
    await work(
      new Mover({ settings, database, roots, modules, clock: systemClock, renew: async () => undefined }),
    );
  } finally {
    await database.close();
    await close?.(performance.now() + 1000);
    await egress.close?.(performance.now() + 1000);
  }
}

interface Forgery {
  readonly seed: number;
  readonly at: number;
  readonly tally: FileTally;
}

async function importForged(mover: Mover, scene: Scene, { seed, at, tally }: Forgery): Promise<void> {
  const random = new Random(seed, at);
  const bytes = forgedFile(scene, random);
  tally.files++;
  try {
    const report = await mover.import(chunksOf(bytes, random), {
      ...{ accountId: scene.attacker, sections: undefined, passphrase: undefined },
      ...{ isDryRun: false, replaces: random.happens(0.5) },
    });
    for (const { added, replaced, refused, left } of report.sections) {
      tally.added += added;
      tally.replaced += replaced;
      tally.left += refused + left;
    }
  } catch (error) {
    if (!GatewayError.is(error) || error.code !== 'import_refused') throw error;
    tally.refused++;
  }
}

async function* chunksOf(bytes: Buffer, random: Random): AsyncIterable<Uint8Array> {
  const size = 1 + random.below(65_536);
  for (let from = 0; from < bytes.byteLength; from += size) yield bytes.subarray(from, from + size);
}

/** Damaged bytes now and then; else other rows with right digests, some of them what another file has. */
function forgedFile({ originals, loot }: Scene, random: Random): Buffer {
  const original = random.pick(originals);
  if (random.happens(0.15)) return damaged(random.happens(0.5) ? original : gunzipSync(original), random);
  const rows = rowsOf(random.pick(originals));
  // A row that is out of order is the end of the file, so most files have no such row.
  const isShuffled = random.happens(0.2);
  const chance = 0.01 + random.next() * 0.1;
  return forge(original, (row) => {
    if (!random.happens(chance)) return [row];
    if (isShuffled) return random.pick([[], [row, row], [random.pick(rows)]]);
    if (random.happens(0.3))
      return [JSON.parse(mutatedJson(row, random, 1 + random.below(2)))].filter(isObject);
    const name = random.pick(random.happens(0.8) ? Object.keys(row) : foreignNames);
    return ['v', 'table'].includes(name) ? [row] : [{ ...row, [name]: random.pick(loot) }];
  });
}

/** Columns that rows of files don't have, or not all of them. */
const foreignNames = [
  ...[
    'account_id',
    'scope',
    'id',
    'kind',
    'version',
    'hash',
    'revoked_at_ms',
    'owner',
    'sealed',
    'sealed_by',
  ],
  ...[
    'key_id',
    'end_user',
    'cost_nano_usd',
    'saved_nano_usd',
    'at_ms',
    'expires_at_ms',
    'conversation',
    'table',
  ],
];

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function damaged(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.byteLength);
  const few = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.below(256)));
  if (random.happens(0.3)) return bytes.subarray(0, at);
  const skipped = random.happens(0.5) ? few.byteLength : 0;
  return Buffer.concat([bytes.subarray(0, at), few, bytes.subarray(at + skipped)]);
}

function rowsOf(file: Buffer): readonly Record<string, unknown>[] {
  return gunzipSync(file)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ v }) => v !== undefined);
}

/** All that the account has can be exported, and is the same when it comes back. */
async function requireOwnFile(mover: Mover, accountId: string): Promise<void> {
  let text = '';
  for await (const piece of mover.export({ accountId, sections, passphrase: undefined })) text += piece;
  const report: ImportReport = await mover.import(onePiece(Buffer.from(text)), {
    ...{ accountId, sections: undefined, passphrase: undefined, isDryRun: true, replaces: false },
  });
  const odd = report.sections.filter(({ rows, unchanged, left }) => unchanged + left !== rows);
  if (odd.length > 0) throw new Error(`the account has what it could not have: ${JSON.stringify(odd)}`);
}

async function* onePiece(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}

/** Tables that follow from those that move. */
const derivedTables = ['request_kinds', 'module_stores', 'collection_counters'];

/** Everything in the database that is not the account's, and what no import may write. */
function foreignRows(dataDir: string, accountId: string): ReadonlyMap<string, readonly string[]> {
  const database = new DatabaseSync(join(dataDir, 'weir.db'), { readOnly: true });
  try {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
      .map(({ name }) => String(name));
    return new Map(
      tables.map((table) => {
        const rows = database.prepare(`select * from "${table}"`).all();
        const isWhole = Object.hasOwn(unmovedTables, table) && !derivedTables.includes(table);
        const foreign = rows.filter(
          (row) =>
            isWhole ||
            (row.account_id !== accountId && row.scope !== `account:${accountId}`) ||
            // An API key that works.
            (table === 'api_keys' && (row.revoked_at_ms === null || row.hash !== 'moved')),
        );
        return [table, foreign.map((row) => JSON.stringify(row)).sort()];
      }),
    );
  } finally {
    database.close();
  }
}

/** Texts by which the victim's rows are found. */
function lootIn(dataDir: string, victim: string): readonly string[] {
  const database = new DatabaseSync(join(dataDir, 'weir.db'), { readOnly: true });
  try {
    const texts = (query: string) =>
      database
        .prepare(query)
        .all(victim)
        .map((row) => String(Object.values(row)[0]));
    return [
      ...texts('select id from requests where account_id = ? limit 3'),
      ...texts('select kind from request_kinds where account_id = ? limit 2'),
      ...texts('select id from prompt_versions where account_id = ?'),
      ...texts('select id from api_keys where account_id = ?'),
      ...texts("select key from collection_entries where scope = 'account:' || ?"),
    ];
  } finally {
    database.close();
  }
}
