import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { Refusals } from './refusals.ts';

test('the first refusals of a kind are logged at once, and the others as a number at the end of the interval', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const lines: string[] = [];
  const metrics = new Metrics();
  const refusals = new Refusals({
    metrics,
    log: createLog('info', { write: (line) => void lines.push(line) }),
  });
  for (let n = 0; n < 12; n++) refusals.record({ status: 401, code: 'invalid_api_key' }, { id: `req_${n}` });
  refusals.record({ status: 503, code: 'storage_unavailable' }, {});
  const read = () => lines.splice(0).map((line) => JSON.parse(line));
  const first = read();
  assert.deepEqual(
    first.map(({ level, code }) => `${level} ${code}`),
    [...Array(5).fill('info invalid_api_key'), 'warn storage_unavailable'],
  );
  assert.equal(first[0].id, 'req_0');
  t.mock.timers.tick(10_000);
  assert.deepEqual(
    read().map(({ code, more, msg }) => [code, more, msg]),
    [['invalid_api_key', 7, 'and 7 more requests were refused']],
  );
  refusals.record({ status: 401, code: 'invalid_api_key' }, {});
  assert.equal(read().length, 1);
  assert.match(metrics.render(), /^weir_refused_total\{status="401",code="invalid_api_key"\} 13$/m);
});
