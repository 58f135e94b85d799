import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { someCall } from '../../../test/conformance/database/samples.ts';
import { cleanUp } from '../../../test/support/clean-up.ts';
import { emptyFolder } from '../../../test/support/weir-process.ts';
import { patientBounds } from '../../testing/empty-database.ts';
import { openSqlite } from './sqlite.ts';

test('a file shrinks when much of it is free', async (t) => {
  const file = join(emptyFolder(t), 'weir.db');
  const database = await openSqlite({ file, bounds: patientBounds });
  cleanUp(t, () => database.close());
  const pipeline = 'x'.repeat(8000);
  const size = async () => {
    await database.erasures.purgeDeleted();
    return statSync(file).size;
  };
  await database.requests.add(Array.from({ length: 300 }, () => someCall({ pipeline })));
  const full = await size();
  const plan = { nowMs: 0, keptFromMs: 0, spanMs: 1 };
  await database.requests.maintain(plan);
  assert.equal(await size(), full);
  await database.requests.forget('req_g', 1000);
  assert.equal(await size(), full);
  await database.requests.maintain(plan);
  assert.ok((await size()) < full / 2, `${await size()} of ${full} bytes`);
});
