import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, describe, test } from 'node:test';
import golden from '../../models/golden.json' with { type: 'json' };
import { eventually } from '../../test/support/eventually.ts';
import type { InferenceResult } from './inference.ts';
import { limits } from './limits.ts';
import { LocalModels } from './local-models.ts';
import { findModelFiles } from './model-files.ts';
import { TextEmbeddings } from './text-embeddings.ts';

const patiently = { deadlineMs: 60_000 };
/** The deadline of modules' work after calls. */
const afterCalls = { deadlineMs: 15_000 };

describe('models in a process of their own', () => {
  const troubles: string[] = [];
  const models = new LocalModels({ findFiles: findModelFiles, onFailure: (how) => void troubles.push(how) });
  const embeddings = new TextEmbeddings({ source: 'local', models });
  after(() => models.close());
  const meaning = (text: string, deadlineMs = patiently.deadlineMs) =>
    models.infer({ model: 'meaning', text, tokensMax: undefined }, deadlineMs);

  test('a caller with a short deadline learns that they are starting, and a patient one gets an answer', async () => {
    assert.equal(models.pid, undefined);
    assert.deepEqual(await embeddings.one('How do I reset my password?'), { why: 'starting' });
    const { vector, tokens } = await embeddings.one('How do I reset my password?', afterCalls);
    assert.equal(vector?.space, 'minilm-l6-v2-int8/384');
    assert.equal(tokens, 7);
    assert.ok(Math.abs(Math.hypot(...(vector?.values ?? [])) - 1) < 1e-5);
    assert.equal(embeddings.state().why, undefined);
  });

  test('who allows few missing vectors learns at once that there are more', async () => {
    const before = models.figures.answered;
    const texts = ['How do I reset my password?', 'one more', 'two more'];
    assert.deepEqual(await embeddings.many(texts, { ...patiently, missingMax: 1 }), { why: 'late' });
    assert.equal(models.figures.answered, before, 'nothing was computed');
    const { vectors } = await embeddings.many(texts, { ...patiently, missingMax: 2 });
    assert.equal(vectors?.length, 3);
  });

  test('they say what they said where they were made', async () => {
    for (const { before, now, logit, cosine } of golden.judge) {
      const { vectors } = await embeddings.many([before, now], patiently);
      const { logits } = await embeddings.sameAnswer([{ before, now }], patiently);
      const score = (logits?.[0] ?? Number.NaN) + 10 * dot(vectors?.[0]?.values, vectors?.[1]?.values);
      // Same and different answers are 8 apart. Processors without VNNI instructions saturate, and differ by up to 0.31.
      assert.ok(Math.abs(score - (logit + 10 * cosine)) < 0.5, `${before} | ${now}: ${score}`);
    }
    for (const { text, firstValues } of golden.tools) {
      const { vector } = await embeddings.one(text, { use: 'tools', ...patiently });
      assert.equal(vector?.space, 'weir-tools-1/384');
      firstValues.forEach((value, at) => {
        assert.ok(Math.abs(value - (vector?.values[at] ?? Number.NaN)) < 0.03, text);
      });
    }
  });

  test('a text that was read is remembered', async () => {
    const before = models.figures.answered;
    const asked = await Promise.all([
      embeddings.one('How do I reset my password?'),
      embeddings.one('How do I reset my password?', { use: 'judging' }),
    ]);
    assert.deepEqual(
      asked.map(({ why }) => why),
      [undefined, undefined],
    );
    assert.equal(models.figures.answered, before);
  });

  test('what is remembered for one tenant is made anew for another', async () => {
    const before = models.figures.answered;
    for (const scope of ['account:a', 'account:b', 'account:a'])
      assert.equal((await embeddings.one('Nobody else asks this', { scope, ...patiently })).why, undefined);
    assert.equal(models.figures.answered, before + 2);
  });

  test('of a long text beginning and end are read, unless it must not be long', async () => {
    const long = `${'alpha beta gamma '.repeat(200)}and ${'the end of it '.repeat(500)}`;
    const { vector, tokens = 0 } = await embeddings.one(long, patiently);
    assert.ok(tokens > 252);
    assert.ok(Math.abs(Math.hypot(...(vector?.values ?? [])) - 1) < 1e-5);
    assert.deepEqual(await embeddings.one(long, { tokensMax: 62, ...patiently }), { why: 'long' });
    assert.deepEqual(await embeddings.one('one two three four', { tokensMax: 3, ...patiently }), {
      why: 'long',
    });
    const many = 'word '.repeat(127);
    const { logits } = await embeddings.sameAnswer(
      [
        { before: many, now: 'word' },
        { before: '', now: 'word' },
      ],
      patiently,
    );
    assert.equal(logits?.[0], undefined);
    assert.equal(typeof logits?.[1], 'number');
  });

  test('more than can be done in time is refused at once, and more than may wait always', async () => {
    const hurried = Array.from({ length: 100 }, (_, at) =>
      meaning(`${at} ${'some words '.repeat(40)}`, 5000),
    );
    const refused = (await Promise.all(hurried)).filter((answer) => 'why' in answer && answer.why === 'busy');
    assert.ok(refused.length > 50 && refused.length < 100, String(refused.length));
    const patient = Array.from({ length: limits.embedderWaitingMax + 20 }, (_, at) => meaning(`${at}`));
    const urgent = meaning('a call does not wait behind them');
    assert.deepEqual(await urgent, { why: 'busy' });
    const answers = await Promise.all(patient);
    assert.equal(answers.filter((answer) => 'values' in answer).length, limits.embedderWaitingMax);
  });

  test('a caller that waited too long gets a timeout, and the next gets an answer', async () => {
    assert.deepEqual(await meaning('some words '.repeat(100), 1), { why: 'late' });
    assert.ok('values' in (await meaning('and then')));
  });

  test('when the process is killed, waiting callers get an error, and it is started again', async () => {
    const { pid } = models;
    assert.ok(pid !== undefined);
    const waiting: Promise<InferenceResult>[] = [
      meaning('words '.repeat(100)),
      meaning('more words '.repeat(100)),
    ];
    process.kill(pid, 'SIGKILL');
    assert.deepEqual(await Promise.all(waiting), [{ why: 'down' }, { why: 'down' }]);
    assert.deepEqual(troubles, ['SIGKILL']);
    assert.deepEqual(await meaning('while it rests'), { why: 'down' });
    assert.equal(embeddings.state().why, 'down');
    await eventually(async () => ('values' in (await meaning('again')) ? true : undefined));
    assert.notEqual(models.pid, pid);
    assert.equal(embeddings.state().why, undefined);
  });

  test('when they are closed the process is gone', async () => {
    const { pid } = models;
    await models.close();
    assert.throws(() => process.kill(pid ?? 0, 0), { code: 'ESRCH' });
    assert.deepEqual(await meaning('too late'), { why: 'down' });
  });
});

test('where something is not installed there are no vectors, and nothing is started', async () => {
  const models = new LocalModels({ findFiles: () => undefined });
  const embeddings = new TextEmbeddings({ source: 'local', models });
  assert.deepEqual(await embeddings.one('text', patiently), { why: 'missing' });
  assert.deepEqual(await embeddings.sameAnswer([{ before: 'a', now: 'b' }]), { why: 'missing' });
  assert.equal(embeddings.state().why, 'missing');
  assert.equal(models.pid, undefined);
  assert.equal(embeddings.figures.aside, 2);
});

test('who closes them waits for their end, also where nothing else is left to do', () => {
  const address = (name: string) => JSON.stringify(import.meta.resolve(name));
  const script = `
    import { LocalModels } from ${address('./local-models.ts')};
    import { findModelFiles } from ${address('./model-files.ts')};
    const models = new LocalModels({ findFiles: findModelFiles });
    await models.infer({ model: 'meaning', text: 'text', tokensMax: undefined }, 1000);
    await models.close();
    process.stdout.write('closed');`;
  const args = ['--input-type=module', '--eval', script];
  assert.equal(execFileSync(process.execPath, args, { encoding: 'utf8' }), 'closed');
});

test('weights that are not those that were meant are not used', async (t) => {
  const files = findModelFiles() ?? assert.fail('the models are not installed');
  const troubles: string[] = [];
  const models = new LocalModels({
    findFiles: () => ({ ...files, published: { ...files.published, sha256: '0' } }),
    onFailure: (how) => void troubles.push(how),
  });
  t.after(() => models.close());
  const answer = await models.infer({ model: 'meaning', text: 'text', tokensMax: undefined }, 60_000);
  assert.deepEqual(answer, { why: 'missing' });
  assert.match(troubles.join(), /model\.fp16\.safetensors has an unexpected SHA-256/);
});

function dot(one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}
