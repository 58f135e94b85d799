import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ChainCheck } from '../../src/audit/chain-check.ts';
import { openDatabase } from '../../src/gateway/parts/stores.ts';
import { type Environment, readSettings } from '../../src/gateway/settings.ts';
import { type AuditTable, chainStart } from '../../src/kernel/ports/audit.ts';
import { cleanUp } from './clean-up.ts';

/** The chains of a gateway that may be running. */
export async function openChains(t: TestContext, environment: Environment): Promise<AuditTable> {
  const database = await openDatabase(readSettings(environment));
  cleanUp(t, () => database.close());
  return database.audit;
}

/** The entries of a chain that has no fault, with their fields and their personal values. */
export async function readChain(audit: AuditTable, chain: string) {
  const check = new ChainCheck({ chain });
  const entries = (await audit.following(chain, 0, 1000)).map(({ text, values: groups }) => {
    const values = Object.assign({}, ...groups.map((group) => group.values));
    check.add(text, values);
    const personal = Object.entries(values).map(([name, given]) => [name, Object(given).value]);
    return { text, fields: Object(JSON.parse(text)), personal: Object.fromEntries(personal) };
  });
  check.finish((await audit.end(chain)) ?? chainStart);
  assert.deepEqual(check.faults, []);
  return entries;
}
