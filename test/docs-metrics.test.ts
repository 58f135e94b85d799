import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call } from './support/call.ts';
import { cleanUp } from './support/clean-up.ts';
import { textOf } from './support/documents.ts';
import { replicaSettings } from './support/replicas.ts';
import { WeirProcess } from './support/weir-process.ts';

/** `name type labels` of each row in docs/reference/metrics.md. */
const documented = [
  ...textOf('docs/reference/metrics.md').matchAll(
    /^\| `((?:weir|process|nodejs)_\w+)` \| (\w+) \| (.*?) ?\|/gm,
  ),
].map(([, name = '', type = '', labels = '']) =>
  `${name} ${type} ${[...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label).join(' ')}`.trim(),
);

test('docs/reference/metrics.md has every metric with its type and labels, and no other', async (t) => {
  const local = await startTestGateway({ WEIR_METRICS_TOKEN: token });
  cleanUp(t, () => local.close());
  const body = { model: 'demo-1', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
  await call(local.url, { path: '/v1/messages', headers: ['x-weir-pipeline', 'exact-cache'], body });
  await call(local.url, { path: '/v1/messages/count_tokens', body });
  const shared = await replicaSettings(t, { WEIR_MODE: 'cloud', WEIR_METRICS_TOKEN: token });
  const replica = await startTestGateway(shared);
  cleanUp(t, () => replica.close());
  const workers = new WeirProcess(t, { environment: { WEIR_WORKERS: '2', WEIR_METRICS_TOKEN: token } });
  // The last one wins: it has had calls, which labels appear with.
  const urls = [replica.url, await workers.listening, local.url];
  const found = new Map((await Promise.all(urls.map(metricsAt))).flat());
  assert.deepEqual(
    documented.toSorted(),
    [...found].map(([name, described]) => `${name} ${described}`.trim()).toSorted(),
  );
});

const token = 'a token for whoever reads the metrics of this test';

/** The type and labels of each metric, by name; labels of buckets and processes left out. */
async function metricsAt(url: string): Promise<readonly (readonly [string, string])[]> {
  const { text } = await call(url, { path: '/metrics', headers: ['authorization', `Bearer ${token}`] });
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => {
    const [, labels = ''] = new RegExp(`^${name}(?:_bucket)?\\{(.*?)\\}`, 'm').exec(text) ?? [];
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
    return [
      name,
      `${type} ${names.filter((label) => label !== 'le' && label !== 'worker').join(' ')}`.trim(),
    ];
  });
}
