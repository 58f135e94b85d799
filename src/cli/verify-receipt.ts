import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { findReceiptProblem } from '../receipts/verify-receipt.ts';
import type { CommandInput } from './command.ts';

/** Checks one receipt, or each of a list, with nothing but the keys; resolves to the exit code. */
export async function verifyReceipt({ positionals: [source = ''], flags }: CommandInput): Promise<number> {
  const receipts = parseReceipts(await readJson(source));
  const keys = parseKeySet(await readJson(typeof flags.keys === 'string' ? flags.keys : keysUrlFor(source)));
  const faults = await Promise.all(receipts.map((receipt) => findReceiptProblem(receipt, keys)));
  for (const [at, fault] of faults.entries()) printResult(receipts[at]?.receipt_id, fault);
  return faults.every((fault) => fault === undefined) ? 0 : 1;
}

function printResult(id: unknown, fault: string | undefined): void {
  if (fault === undefined) console.log(`${id}: valid`);
  else console.error(`${id}: NOT valid: ${fault}`);
}

/** The gateway that shows a receipt has its keys; a file has none beside it. */
function keysUrlFor(source: string): string {
  if (!isAddress(source))
    throw new Error('say with --keys which keys to check with, a JWKS file or its address');
  return new URL('/.well-known/jwks.json', source).href;
}

async function readJson(source: string): Promise<unknown> {
  const text = isAddress(source) ? await fetchText(source) : await readFile(source, 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${source} is no JSON`, { cause });
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

/** One, or those of a list. */
function parseReceipts(read: unknown): readonly JsonObject[] {
  const found = isJsonObject(read) && Array.isArray(read.receipts) ? read.receipts : [read];
  const receipts = found.filter(isJsonObject);
  if (receipts.length === 0 || receipts.length < found.length) throw new Error('there is no receipt in it');
  return receipts;
}

function parseKeySet(read: unknown): JSONWebKeySet {
  if (!isJsonObject(read) || !Array.isArray(read.keys)) throw new Error('the keys are no JSON Web Key Set');
  return { keys: read.keys.filter(isJsonObject).map((key) => ({ ...key, kty: String(key.kty) })) };
}
