import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { MatchLogic } from '@pydantic/genai-prices';
import { z } from 'zod';
import { TokenFormat } from '../../src/accounts/token-format.ts';
import { documentSchemas } from '../../src/gateway/configuration-file/document-schemas.ts';
import { describedModules } from '../../src/gateway/described-modules.ts';
import { buildResponseHead } from '../../src/http/response-head.ts';
import { redactBytes } from '../../src/kernel/redact-secrets.ts';
import { envVariablesByName } from '../../src/lib/settings.ts';
import { createRestorer } from '../../src/modules/guardrails/redaction/restorer.ts';
import { matchesRule } from '../../src/providers/catalog/model-names.ts';
import { publishedModels } from '../../src/providers/catalog/published-models.ts';
import { builtInProviders } from '../../src/providers/index.ts';
import { providerKeyPattern } from '../../src/providers/provider-directory.ts';
import { type Expression, expressionsIn } from './find.ts';
import { watchRegExp } from './recorded.ts';

export interface SourceExpressions {
  /** Each of them once. */
  readonly all: readonly Expression[];
  /** Places that build an expression, but did not while this ran. */
  readonly unseen: readonly string[];
}

/** The regular expressions of `src`: literals, and those that files and functions build. */
export async function sourceExpressions(): Promise<SourceExpressions> {
  const files = globSync('src/**/*.ts')
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/assembly/'));
  const found = files.map((file) => ({ file, ...expressionsIn(file) }));
  const built = await builtExpressions(found.filter((one) => one.built.length > 0).map(({ file }) => file));
  const all = new Map(
    [...found.flatMap(({ literals }) => literals), ...built].map((one) => [
      `/${one.source}/${one.flags} ${one.isBounded}`,
      one,
    ]),
  );
  const unseen = found
    .flatMap((file) => file.built)
    .filter((place) => !built.some((one) => one.place === place));
  return { all: [...all.values()], unseen };
}

const asked = { isHeadRequest: false, keepsAlive: true, isHttp10: false, date: 'today', idleSeconds: 5 };

/** Those that files build when they are loaded, and those that functions build when they are called. */
async function builtExpressions(files: readonly string[]): Promise<readonly Expression[]> {
  const watched = watchRegExp();
  try {
    for (const file of files) await import(`${pathToFileURL(file).href}?watched`);
    new TokenFormat('gw', 'live');
    providerKeyPattern(builtInProviders);
    documentSchemas(describedModules());
    redactBytes(Buffer.from('{}'), ['sk-test/1']);
    envVariablesByName('WEIR_*_BASE_URL', z.string());
    const values = ['CREDIT_CARD', 'EMAIL'].map((kind) => ({
      kind,
      placeholder: `<${kind}_1>`,
      value: 'a',
      before: '',
      since: '',
    }));
    createRestorer(values, { thoughts: false });
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
