import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import type { CommandInput } from './command.ts';
import { isAddress, readJson, readKeySet } from './key-set.ts';

/** Verifies one receipt, or each of a list, with the public keys; resolves to the exit code. */
export async function verifyReceipt({ positionals: [source = ''], flags }: CommandInput): Promise<number> {
  const receipts = parseReceipts(await readJson(source));
  const keys = await readKeySet(typeof flags.keys === 'string' ? flags.keys : keysUrlFor(source));
  const faults = await Promise.all(receipts.map((receipt) => findStatementProblem(receipt, keys)));
  for (const [at, fault] of faults.entries()) printResult(receipts[at] ?? {}, fault);
  return faults.every((fault) => fault === undefined) ? 0 : 1;
}

function printResult({ receipt_id: id, egress }: JsonObject, fault: string | undefined): void {
  if (fault === undefined) console.log(`${id}: valid${describeEgress(egress)}`);
  else console.error(`${id}: NOT valid: ${fault}`);
}

/** Where the gateway connected to for a call in an airgap. */
function describeEgress(egress: unknown): string {
  if (!isJsonObject(egress) || !isJsonObject(egress.requests)) return '';
  const hosts = Object.entries(egress.requests).map(([host, count]) => `${host} (${count})`);
  const connected = hosts.length === 0 ? 'nothing' : hosts.join(', ');
  return `; in an airgap, connected to ${connected}; ${egress.refused} connections refused`;
}

/** The gateway that serves a receipt also serves its keys; for a file they must be given. */
function keysUrlFor(source: string): string {
  if (!isAddress(source)) throw new Error('pass --keys with a JWKS file or URL to verify with');
  return new URL('/.well-known/jwks.json', source).href;
}

/** A single receipt, or a list of them. */
function parseReceipts(read: unknown): readonly JsonObject[] {
  const entries = isJsonObject(read) && Array.isArray(read.receipts) ? read.receipts : [read];
  const receipts = entries.filter(isJsonObject);
  if (receipts.length === 0 || receipts.length < entries.length)
    throw new Error('the input contains no receipt');
  return receipts;
}
