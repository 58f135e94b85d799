import { createReadStream, createWriteStream } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { JSONWebKeySet } from 'jose';
import { instanceChain } from '../audit/audit.ts';
import { isAuditEvent } from '../audit/events.ts';
import { exportedLines, jsonLines, syslogLines } from '../audit/export.ts';
import { verifyChain } from '../audit/verify-chain.ts';
import { LineVerifier, type VerifiedChain } from '../audit/verify-lines.ts';
import { signingKeys } from '../gateway/evidence.ts';
import { RootSecrets } from '../gateway/secrets.ts';
import type { Settings } from '../gateway/settings.ts';
import { limits as kernelLimits } from '../kernel/limits.ts';
import { systemClock } from '../lib/clock.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import { describeEntry } from '../server/api/routes/audit.ts';
import { recordAudit } from './audit.ts';
import type { CommandInput } from './command.ts';
import { type CommandContext, findMember, formatTable, runWithDatabase } from './command-context.ts';
import { readKeySet } from './key-set.ts';

type Flags = CommandInput['flags'];

export function list({ environment, flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async (context) => {
    const entries = await context.database.audit.page({
      chain: await chainOf(context, flags.account),
      events: eventsIn(flags.event),
      actor: typeof flags.actor === 'string' ? flags.actor : undefined,
      ...rangeIn(flags),
      limit: countIn(flags.limit),
    });
    if (flags.json) for (const entry of entries) console.log(JSON.stringify(describeEntry(entry)));
    else {
      const rows = entries.map(describeEntry).map(({ number, at, event, actor = '-', personal, ...rest }) => {
        const { account, key, reason } = rest;
        const about = [account, key, reason].filter((text) => typeof text === 'string').join(' ');
        return [String(number), at, event, actor, personal.address ?? '-', about];
      });
      console.log(formatTable([['number', 'time', 'event', 'actor', 'address', 'about'], ...rows]));
    }
  });
}

export function exportLog({ environment, positionals: [file], flags }: CommandInput): Promise<number> {
  return runWithDatabase(environment, async (context) => {
    const { settings, database } = context;
    const chain = await chainOf(context, flags.account);
    const range = { chain, ...rangeIn(flags) };
    await recordAudit(context, 'audit.exported', chain === instanceChain ? {} : { account: chain });
    const [signer] = await signingKeys(new RootSecrets(settings));
    if (signer === undefined) throw new Error('there is no key to sign with');
    const lines = exportedLines({ table: database.audit, signer, clock: systemClock }, range);
    const texts = flags.format === 'syslog' ? syslogLines(lines) : jsonLines(lines);
    if (file === undefined) {
      for await (const text of texts) console.log(text.trimEnd());
      return;
    }
    await pipeline(texts, createWriteStream(file, { flags: 'wx', mode: 0o600 }));
    console.log(`wrote the audit log to ${resolve(file)}; verify it with: weir audit verify ${file}`);
  });
}

/** Verifies exported files offline, or the chains in the database; resolves to the exit code. */
export async function verify(input: CommandInput): Promise<number> {
  const { environment, positionals, flags, lists } = input;
  const [file] = positionals;
  if (file !== undefined) {
    if (typeof flags.keys !== 'string')
      throw new Error('pass --keys with a JWKS file, or the URL of /.well-known/jwks.json');
    return report(await verifyFiles([...(lists.earlier ?? []), file], await readKeySet(flags.keys)));
  }
  let code = 0;
  const failed = await runWithDatabase(environment, async (context) => {
    const keys = await databaseKeys(context.settings, flags.keys);
    const find = (statement: Parameters<typeof findStatementProblem>[0]) =>
      findStatementProblem(statement, keys);
    const { audit } = context.database;
    if (typeof flags.account === 'string')
      code = report([await verifyChain(audit, await chainOf(context, flags.account), find)]);
    else
      for (let after: string | undefined = ''; after !== undefined; ) {
        const chains: readonly string[] = await audit.chains(after, kernelLimits.databaseRowsAtOnce);
        for (const chain of chains) code = Math.max(code, report([await verifyChain(audit, chain, find)]));
        after = chains.at(-1);
      }
  });
  return Math.max(code, failed);
}

async function verifyFiles(files: readonly string[], keys: JSONWebKeySet): Promise<readonly VerifiedChain[]> {
  const verifier = new LineVerifier((statement) => findStatementProblem(statement, keys));
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) await verifier.add(line);
    verifier.endFile();
  }
  return verifier.results();
}

function report(chains: readonly VerifiedChain[]): number {
  if (chains.length === 0) throw new Error('the file has no audit log');
  for (const { chain, entries, from, to, faults } of chains) {
    const range = entries === 0 ? 'no entries' : `${entries} entries, ${from} to ${to}`;
    if (faults.length === 0) console.log(`${chain}: valid: ${range}`);
    for (const fault of faults) console.error(`${chain}: NOT valid: ${fault}`);
  }
  return chains.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

/** Not those in the database, where whoever has changed it may have added one. */
async function databaseKeys(settings: Settings, given: unknown): Promise<JSONWebKeySet> {
  const own = (await signingKeys(new RootSecrets(settings))).map(({ publicJwk }) => ({
    ...publicJwk,
    kty: 'OKP',
  }));
  const { keys } = typeof given === 'string' ? await readKeySet(given) : { keys: [] };
  return { keys: [...own, ...keys] };
}

/** The chain of an account, which may be gone by now, or that of the instance. */
async function chainOf({ database }: CommandContext, name: unknown): Promise<string> {
  if (typeof name !== 'string') return instanceChain;
  return name.includes('@') ? (await findMember(database, name)).account.id : name.trim();
}

function eventsIn(given: unknown): readonly string[] | undefined {
  if (typeof given !== 'string') return undefined;
  const names = given.split(',');
  const unknown = names.find((name) => !isAuditEvent(name));
  if (unknown !== undefined) throw new Error(`there is no event "${unknown}"`);
  return names;
}

function rangeIn({ from, to }: Flags) {
  const timeOf = (text: string | true | undefined, name: string) => {
    if (typeof text !== 'string') return undefined;
    const ms = Date.parse(text);
    if (Number.isNaN(ms)) throw new Error(`--${name}: "${text}" is no time such as 2026-11-15`);
    return ms;
  };
  return { fromMs: timeOf(from, 'from'), toMs: timeOf(to, 'to') };
}

function countIn(given: unknown): number {
  const count = typeof given === 'string' ? Number(given) : 50;
  if (!Number.isSafeInteger(count) || count < 1) throw new Error('--limit: must be a whole number from 1');
  return count;
}
