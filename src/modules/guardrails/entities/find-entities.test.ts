import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EntityLabel, TextModels } from '../../../module-api.ts';
import { findEntities } from './find-entities.ts';

/** Tags what is written as `[PERSON Maria]`, and removes the brackets first. */
function tagged(source: string) {
  const spans: { readonly start: number; readonly end: number; readonly label: EntityLabel }[] = [];
  let text = '';
  for (const part of source.split(/(\[[A-Z_]+ [^\]]+\])/)) {
    const [, label, value] = /^\[([A-Z_]+) (.+)\]$/s.exec(part) ?? [];
    if (value === undefined) text += part;
    else {
      spans.push({ start: text.length, end: text.length + value.length, label: label as EntityLabel });
      text += value;
    }
  }
  return { text, spans };
}

function modelsFor(sources: readonly ReturnType<typeof tagged>[], outside = 0.1): TextModels {
  return {
    async tagEntities(text, { deadlineMs = 0 } = {}) {
      if (deadlineMs <= 0) return { words: [], why: 'late' };
      const { spans } = sources.find((source) => source.text === text) ?? { spans: [] };
      const words = spans.flatMap(({ start, end, label }) =>
        Array.from(text.slice(start, end).matchAll(/[\p{L}\d]+|[^\s\p{L}\d]/gu), ({ index, 0: word }) => ({
          start: start + index,
          end: start + index + word.length,
          label,
          begins: index === 0,
          outside,
        })),
      );
      return { words, why: undefined };
    },
    scoreInjection: async () => ({ logit: undefined, start: 0, end: 0, why: 'off' }),
  };
}

async function found(source: string, kinds?: readonly string[], outside?: number) {
  const one = tagged(source);
  const options = { kinds: kinds && new Set(kinds), deadlineMs: 1000 };
  const { findings } = await findEntities([one.text], options, modelsFor([one], outside));
  return findings[0]?.map(({ start, end, kind }) => `${kind} ${one.text.slice(start, end)}`);
}

test('words of one entity are one finding, without titles, possessives and marks', async () => {
  assert.deepEqual(await found("ask [PERSON Dr. Anna Müller's] friend"), ['PERSON Anna Müller']);
  assert.deepEqual(await found('"[PERSON O’Brien,]" he wrote'), ['PERSON O’Brien']);
  assert.deepEqual(await found('see [PERSON Mr.]'), []);
  assert.deepEqual(await found('[PERSON Anna] [PERSON Bert]'), ['PERSON Anna', 'PERSON Bert']);
  assert.deepEqual(await found('[ADDRESS 14 Maple Street,] [ADDRESS Springfield]'), [
    'ADDRESS 14 Maple Street, Springfield',
  ]);
});

test('places, ages and nationalities count beside a person, dates and organizations if they are listed', async () => {
  const alone = 'a trip to [LOCATION Rome] with [ORGANIZATION Acme] on [DATE 3 May]';
  assert.deepEqual(await found(alone), []);
  assert.deepEqual(await found(alone, ['LOCATION', 'DATE']), ['LOCATION Rome', 'DATE 3 May']);
  assert.deepEqual(await found('[PERSON Maria] from [LOCATION Rome], [AGE 40], at [ORGANIZATION Acme]'), [
    'PERSON Maria',
    'LOCATION Rome',
    'AGE 40',
  ]);
  const far = `[PERSON Maria] ${'and so on '.repeat(30)} [LOCATION Rome] ${'and so on '.repeat(30)} [PERSON Bert]`;
  assert.deepEqual(await found(far), ['PERSON Maria', 'PERSON Bert']);
});

test('a word that is probably part of nothing is left out', async () => {
  assert.deepEqual(await found('[PERSON Maria]', undefined, 0.6), []);
});

test('the newest text is read first, and the reason is reported', async () => {
  const [one, two] = [tagged('[PERSON Maria]'), tagged('[PERSON Bert]')];
  const read: string[] = [];
  const models = modelsFor([one, two]);
  const textModels: TextModels = {
    ...models,
    tagEntities: (text, options) => {
      read.push(text);
      return models.tagEntities(text, options);
    },
  };
  await findEntities([one.text, two.text], { deadlineMs: 1000 }, textModels);
  assert.deepEqual(read, ['Bert', 'Maria']);
  assert.deepEqual(await findEntities([one.text], { deadlineMs: 0 }, textModels), {
    findings: [[]],
    why: 'late',
  });
});
