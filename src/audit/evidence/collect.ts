import { limits as kernelLimits } from '../../kernel/limits.ts';
import { type AuditTable, chainStart } from '../../kernel/ports/audit.ts';
import type { Member, OwnerPosition } from '../../kernel/ports/identities.ts';
import type { Account, Database } from '../../kernel/ports/records.ts';
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type PointSigner, signPoint, statementOf } from '../signed-points.ts';
import { verifyChain } from '../verify-chain.ts';
import { type AccountEvidenceTables, accountRows, type RetentionBounds } from './account-rows.ts';
import { signedBundle } from './bundle.ts';
import type { EvidenceRow } from './rows.ts';

export interface EvidenceParts {
  readonly database: AccountEvidenceTables & Pick<Database, 'accounts' | 'audit' | 'schemaVersions'>;
  readonly signer: PointSigner;
  readonly clock: Clock;
  /** Of Weir. */
  readonly version: string;
  readonly bounds: RetentionBounds;
  /** Of the instance, with masked secrets; only for bundles of the whole instance. */
  readonly settings: readonly JsonObject[];
  /** The installed packages that Weir runs with. */
  dependencies(): Iterable<JsonObject>;
  /** Verifies the signature of a statement. */
  findProblem(statement: JsonObject): Promise<string | undefined>;
}

/** The lines of a signed bundle about an account, or about the whole instance. */
export function evidenceLines(parts: EvidenceParts, account: string | undefined): AsyncIterable<string> {
  const { signer, clock } = parts;
  return signedBundle({ rows: allRows(parts, account), account, signer, clock });
}

async function* allRows(parts: EvidenceParts, account: string | undefined): AsyncIterable<EvidenceRow> {
  const { database, version, bounds } = parts;
  const { applied, known } = await database.schemaVersions();
  yield ['instance', { version, schema_version: applied, schema_version_of_program: known }];
  if (account === undefined) {
    for (const setting of parts.settings) yield ['settings', setting];
    for await (const each of allAccounts(database)) yield* accountRows(database, each, bounds);
    for await (const chain of allChains(database.audit)) yield await auditRow(parts, chain);
  } else {
    const found = await database.accounts.byId(account);
    if (found === undefined) throw new Error(`no account with the id ${account}`);
    yield* accountRows(database, found, bounds);
    yield await auditRow(parts, account);
  }
  yield ['backups', backups];
  for (const dependency of parts.dependencies()) yield ['dependencies', dependency];
}

/** Backups and drills run outside of the gateway, which stores nothing of them. */
const backups = {
  is_recorded: false,
  note: 'Weir does not record backups or restore drills. Attach the output of "weir backup --check" and "weir restore --drill".',
};

/** Each account once, though it may have several owners. */
async function* allAccounts({ members }: EvidenceParts['database']): AsyncIterable<Account> {
  const limit = kernelLimits.databaseRowsAtOnce;
  for (let after: OwnerPosition | undefined; ; ) {
    const page: readonly Member[] = await members.owners(after, limit);
    for (const { identity, account } of page)
      if ((await members.owner(account.id))?.identity.id === identity.id) yield account;
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    after = { email: last.identity.email, accountId: last.account.id };
  }
}

async function* allChains(table: AuditTable): AsyncIterable<string> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const chains: readonly string[] = await table.chains(after, kernelLimits.databaseRowsAtOnce);
    yield* chains;
    after = chains.at(-1);
  }
}

/** The newest entry in a signed statement, and whether the chain is intact. */
async function auditRow(
  { database: { audit: table }, signer, clock, findProblem }: EvidenceParts,
  chain: string,
): Promise<EvidenceRow> {
  const point = (await table.end(chain)) ?? chainStart;
  const head = statementOf(await signPoint(signer, { kind: 'head', chain, point, atMs: clock.now() }));
  const { entries, from, to, faults } = await verifyChain(table, chain, findProblem);
  const verification = { is_valid: faults.length === 0, entries, from, to, faults };
  return ['audit', { chain, head, verification }];
}
