import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { findStatementProblem } from '../lib/signed-statement.ts';
import type { CommandInput } from './command.ts';

/** Verifies one receipt, or each of a list, with the public keys; resolves to the exit code. */
export async function verifyReceipt({ positionals: [source = ''], flags }: CommandInput): Promise<number> {
  const receipts = parseReceipts(await readJson(source));
  const keys = parseKeySet(await readJson(typeof flags.keys === 'string' ? flags.keys : keysUrlFor(source)));
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

async function readJson(source: string): Promise<unknown> {
  const text = isAddress(source) ? await fetchText(source) : await readFile(source, 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${source} is not JSON`, { cause });
  }
}

async function fetchText(address: string): Promise<string> {
  const answer = await fetch(address, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer.text();
}

function isAddress(source: string): boolean {
  return /^https?:\/\//.test(source);
}

/** A single receipt, or a list of them. */
function parseReceipts(read: unknown): readonly JsonObject[] {
  const entries = isJsonObject(read) && Array.isArray(read.receipts) ? read.receipts : [read];
  const receipts = entries.filter(isJsonObject);
  if (receipts.length === 0 || receipts.length < entries.length)
    throw new Error('the input contains no receipt');
  return receipts;
}

function parseKeySet(read: unknown): JSONWebKeySet {
  if (!isJsonObject(read) || !Array.isArray(read.keys))
    throw new Error('the keys are not a JSON Web Key Set');
  return { keys: read.keys.filter(isJsonObject).map((key) => ({ ...key, kty: String(key.kty) })) };
}
