import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { faultOf } from './regular-expressions/check.ts';
import { expressionsIn } from './regular-expressions/find.ts';
import { sourceExpressions } from './regular-expressions/source-expressions.ts';
import { readVerified } from './regular-expressions/verified.ts';

test('every regular expression of src takes linear time, or its text is cut to 200 characters where it is used', async () => {
  const { all, unseen } = await sourceExpressions();
  assert.deepEqual(unseen, [], 'built in a function that builtExpressions has to call');
  assert.ok(all.length > 500, `${all.length} were found`);
  const verified = readVerified();
  assert.deepEqual(
    all.filter((one) => !verified.has(one)).flatMap((one) => faultOf(one) ?? []),
    [],
  );
});

test('what is too slow is found, wherever it is written', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-expressions-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'some.ts');
  writeFileSync(
    file,
    String.raw`
      const linear = /^a+b/;
      const copied = new RegExp(linear, 'g');
      export const quadratic = { within: (text: string) => text.replace(/\s+$/, '') };
      const exponential = (text: string) => /^(?:a|a)*$/.test(text.slice(0, 200));
      const short = (text: string) => /\s+$/.test(text.slice(-200)) || text.slice(0, 80).replace(/\s+$/, '');
      const long = (text: string) => /\s+$/.test(text.slice(0, 201)) || /\s+$/.test(text.slice(at, at + 9));
      const built = new RegExp(long.name);
    `,
  );
  const { literals, built } = expressionsIn(file);
  const lines = (places: readonly string[]) => places.map((place) => Number(place.slice(file.length + 1)));
  assert.deepEqual(lines(built), [8]);
  assert.deepEqual(
    lines(literals.filter((one) => faultOf(one) !== undefined).map(({ place }) => place)),
    [4, 5, 7, 7],
  );
});
