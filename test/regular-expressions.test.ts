import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { MatchLogic } from '@pydantic/genai-prices';
import { z } from 'zod';
import { ApiKeyFormat } from '../src/accounts/api-key-format.ts';
import { buildResponseHead } from '../src/http/response-head.ts';
import { redactBytes } from '../src/kernel/redact-secrets.ts';
import { envVariablesByName } from '../src/lib/settings.ts';
import { matchesRule } from '../src/providers/catalog/model-names.ts';
import { publishedModels } from '../src/providers/catalog/published-models.ts';
import { builtInProviders } from '../src/providers/index.ts';
import { providerKeyPattern } from '../src/providers/provider-directory.ts';
import { faultOf } from './regular-expressions/check.ts';
import { type Expression, expressionsIn } from './regular-expressions/find.ts';
import { watchRegExp } from './regular-expressions/recorded.ts';

const files = globSync('src/**/*.ts')
  .map((file) => file.replaceAll(sep, '/'))
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/assembly/'));
const found = files.map(expressionsIn);

test('every regular expression of src takes linear time, or its text is cut to 200 characters where it is used', async () => {
  const built = await builtExpressions();
  const unseen = found
    .flatMap((file) => file.built)
    .filter((place) => !built.some((one) => one.place === place));
  assert.deepEqual(unseen, [], 'built in a function that this test has to call in builtExpressions');
  const all = new Map(
    [...found.flatMap((file) => file.literals), ...built].map((one) => [
      `/${one.source}/${one.flags} ${one.isBounded}`,
      one,
    ]),
  );
  assert.ok(all.size > 500, `${all.size} were found`);
  assert.deepEqual(
    [...all.values()].flatMap((one) => faultOf(one) ?? []),
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

const asked = { isHeadRequest: false, keepsAlive: true, isHttp10: false, date: 'today', idleSeconds: 5 };

/** Those that files build when they are loaded, and those that functions build when they are called. */
async function builtExpressions(): Promise<readonly Expression[]> {
  const watched = watchRegExp();
  try {
    for (const [at, file] of files.entries())
      if ((found[at]?.built.length ?? 0) > 0) await import(`${pathToFileURL(file).href}?watched`);
    new ApiKeyFormat('gw');
    providerKeyPattern(builtInProviders);
    redactBytes(Buffer.from('{}'), ['sk-test/1']);
    envVariablesByName('WEIR_*_BASE_URL', z.string());
    for (const count of [1, 40]) buildResponseHead(200, Array(count).fill(['name', 'value']).flat(), asked);
    for (const { priceId = '' } of builtInProviders)
      for (const { model } of publishedModels(priceId))
        for (const rule of patternsIn(model.match)) matchesRule(rule, 'name');
  } finally {
    watched.stop();
  }
  return watched.built.filter(({ place }) => place.startsWith('src/'));
}

function patternsIn(rule: MatchLogic): readonly MatchLogic[] {
  if ('regex' in rule) return [rule];
  return 'or' in rule ? rule.or.flatMap(patternsIn) : 'and' in rule ? rule.and.flatMap(patternsIn) : [];
}
