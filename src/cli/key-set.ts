import { readFile } from 'node:fs/promises';
import type { JSONWebKeySet } from 'jose';
import { isJsonObject } from '../lib/json.ts';

/** Public keys from a file or a URL. */
export async function readKeySet(source: string): Promise<JSONWebKeySet> {
  const read = await readJson(source);
  if (!isJsonObject(read) || !Array.isArray(read.keys))
    throw new Error('the keys are not a JSON Web Key Set');
  return { keys: read.keys.filter(isJsonObject).map((key) => ({ ...key, kty: String(key.kty) })) };
}

export async function readJson(source: string): Promise<unknown> {
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

export function isAddress(source: string): boolean {
  return /^https?:\/\//.test(source);
}
