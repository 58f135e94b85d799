import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bytes } from '../web/parts/format.ts';
import { modulesOfKey, withModule, withoutModule } from '../web/parts/pipeline/module-places.ts';

test('sizes are rounded as people say them', () => {
  assert.deepEqual([0, 999, 1200, 64_400, 999_960, 2.5e9].map(bytes), [
    '0 B',
    '999 B',
    '1.2 KB',
    '64 KB',
    '1.0 MB',
    '2.5 GB',
  ]);
});

describe('a module in a pipeline', () => {
  const known = [
    { name: 'exact-cache', order: 10, protective: false },
    { name: 'own', order: null, protective: false },
    { name: 'ipc', order: 50, protective: false },
    { name: 'cost-guard', order: 100, protective: true },
  ];

  test('is added where it does best, and removed', () => {
    assert.equal(withModule('cost-guard?day=5', 'ipc', known), 'ipc,cost-guard?day=5');
    assert.equal(withModule('exact-cache,cost-guard', 'ipc', known), 'exact-cache,ipc,cost-guard');
    assert.equal(withModule('none', 'own', known), 'own');
    assert.equal(withModule('cost-guard', 'own', known), 'cost-guard,own');
    assert.equal(withModule('ipc?target=9', 'ipc', known), 'ipc?target=9');
    assert.equal(withoutModule('exact-cache?ttl=1h,ipc:long', 'ipc'), 'exact-cache?ttl=1h');
    assert.equal(withoutModule('ipc', 'ipc'), 'none');
  });

  test('is on for a key by its own list, by the gateway’s, or because it protects', () => {
    const gateway = { pipeline: 'ipc,cost-guard?day=5', source: 'environment' };
    assert.deepEqual([...modulesOfKey(null, gateway, known)], ['ipc', 'cost-guard']);
    assert.deepEqual([...modulesOfKey('exact-cache', gateway, known)], ['exact-cache', 'cost-guard']);
    assert.deepEqual([...modulesOfKey('none', { ...gateway, source: 'default' }, known)], []);
  });
});
