import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { blocksIn } from './support/documents.ts';
import { eventually } from './support/eventually.ts';

/** Texts and pairs that the models have processed. */
async function processed(url: string): Promise<number> {
  const { text } = await call(url, { path: '/metrics' });
  return Number(/^weir_embedder_answers_total (\d+)$/m.exec(text)?.[1]);
}

test('the documented example hits on a fresh gateway: the first prompt is indexed, and the judge is there', async (t) => {
  const weir = await startTestGateway();
  cleanUp(t, () => weir.close());
  const [example = ''] = blocksIn('docs/reference/modules/semantic-cache.md', 'sh');
  assert.match(example, /"How do I reset my password\?"/);
  const ask = async (content: string, person: number) => {
    const messages = [{ role: 'user', content }];
    const body = { model: 'demo-1', max_tokens: 100, messages, metadata: { user_id: `person ${person}` } };
    const headers = ['x-weir-pipeline', 'semantic-cache?shadow=0'];
    return (await call(weir.url, { path: '/v1/messages', headers, body })).headers;
  };
  assert.equal(await processed(weir.url), 0, 'nothing runs before a pipeline uses it');
  assert.equal((await ask('How do I reset my password?', 0))['x-weir-cache'], 'miss');
  // The pair that loads the judge, and the prompt.
  await eventually(async () => ((await processed(weir.url)) >= 2 ? true : undefined));
  let person = 0;
  const reworded = await eventually(async () => {
    if (person > 0) await ask('How do I reset my password?', person);
    await eventually(async () => {
      const { text } = await call(weir.url, { path: '/metrics' });
      return /^weir_afterwork_waiting 0$/m.test(text) ? true : undefined;
    });
    const headers = await ask('how can i reset my password', person++);
    // A busy machine.
    return /aside=(?:late|busy)/.test(String(headers['x-weir-modules'])) ? undefined : headers;
  });
  assert.equal(reworded['x-weir-cache'], 'hit');
  assert.match(String(reworded['x-weir-modules']), /^semantic-cache;hit;p=0\.9/);
});

test('where the pipeline of the gateway has it, models are ready before the first call', async (t) => {
  const weir = await startTestGateway({ WEIR_PIPELINE: 'semantic-cache' });
  cleanUp(t, () => weir.close());
  await eventually(async () => ((await processed(weir.url)) > 0 ? true : undefined));
});
