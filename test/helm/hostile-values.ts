import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { at, fieldsOf } from '../support/at.ts';
import { emptyFolder } from '../support/weir-process.ts';
import { renderAll } from './render.ts';
import { find, render, variablesOf } from './rendered-chart.ts';
import { hostileTexts } from './value-sets.ts';

describe('the chart', () => {
  test('refuses values that do not work together, and says why', (t) => {
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ settings: { WEIR_DRAIN: '10m' } }, /terminationGracePeriodSeconds must be 640 or more/],
      [{ settings: { WEIR_DRAIN_NOTICE: '90s' } }, /terminationGracePeriodSeconds must be 420 or more/],
      [{ settings: { WEIR_MODE: 'local' } }, /local takes one pod/],
      [{ settings: { OPENAI_API_KEY: 'x' } }, /settings/],
      [{ config: { a: 1 }, configExisting: 'b' }, /config or configExisting/],
      [{ config: 'a: [' }, /config is not YAML/],
      [
        { config: { providers: { openai: { keys: ['sk-1'] } } } },
        /config\.providers\.openai\.keys is a secret/,
      ],
      [
        { config: { otel: { headers: { Authorization: 'Bearer x' } } } },
        /headers\.Authorization is a secret/,
      ],
      [{ config: 'metrics: {token: abc}' }, /config\.metrics\.token is a secret/],
      [
        { config: { storage: { database: 'postgres://u:p@db/weir' } } },
        /config\.storage\.database is a secret/,
      ],
      [
        { secrets: { values: { A: 'b' }, external: { enabled: true } } },
        /secrets\.values or secrets\.external/,
      ],
      [{ secrets: { external: { enabled: true } } }, /store\.name is missing/],
      [{ httpRoute: { enabled: true } }, /parentRefs is missing/],
      [{ autoscaling: { minReplicas: 20 } }, /maxReplicas must be/],
      [{ autoscaling: { cpuPercent: 0 } }, /nothing to go by/],
      [{ autoscaling: { openCalls: 5, keda: { enabled: true } } }, /keda\.prometheus is missing/],
      [{ database: { url: 'postgres://u:p@db/weir' } }, /database/],
      [{ database: { url: 'postgres://db/weir', urlSecret: { name: 'a' } } }, /database\.url or/],
      [{ redis: { url: 'redis://valkey', urlSecret: { name: 'a' } } }, /redis\.url or/],
      [{ image: { tga: 'x' } }, /image|tga/],
    ];
    const rendered = renderAll(
      refused.map(([values]) => ({ values })),
      emptyFolder(t),
    );
    for (const [index, [, expected]] of refused.entries())
      assert.match(rendered[index]?.fault ?? 'none', expected);
  });

  test('keeps hostile texts as they are', (t) => {
    const numbered = Object.fromEntries(hostileTexts.map((text, index) => [`T${index}`, text]));
    const rendered = render(
      {
        settings: {
          ...numbered,
          NUMBER: 1_000_000,
          FRACTION: 0.5,
          SWITCH: true,
          OTEL_SWITCH: true,
          NOTHING: null,
        },
        config: { texts: hostileTexts, named: numbered, count: 1_000_000 },
        secrets: { values: numbered },
        commonAnnotations: numbered,
        podAnnotations: numbered,
        service: { annotations: numbered },
        extraEnv: hostileTexts.map((value, index) => ({ name: `T${index}`, value })),
        metrics: { job: 'a "job" \\ {{ }}', alerts: { enabled: true }, serviceMonitor: { enabled: true } },
        autoscaling: {
          openCalls: 1_000_00,
          keda: { enabled: true, prometheus: 'http://p', query: 'sum(a{b="c"})' },
        },
      },
      t,
    );
    const settings = fieldsOf(at(find(rendered, 'ConfigMap', 'weir-settings'), 'data'));
    assert.deepEqual(
      { ...settings },
      {
        ...numbered,
        NUMBER: '1000000',
        FRACTION: '0.5',
        SWITCH: 'on',
        OTEL_SWITCH: 'true',
        WEIR_MODE: 'cloud',
        WEIR_TRUST_PROXY: '10.0.0.0/8',
        WEIR_DRAIN: '5m',
        WEIR_DRAIN_NOTICE: '10s',
      },
    );
    assert.deepEqual(at(find(rendered, 'Secret'), 'stringData'), numbered);
    assert.deepEqual(at(find(rendered, 'ServiceAccount'), 'metadata', 'annotations'), numbered);
    assert.deepEqual(at(find(rendered, 'Service'), 'metadata', 'annotations'), numbered);
    const { WEIR_CONFIG, ...variables } = variablesOf(rendered);
    assert.equal(WEIR_CONFIG, '/etc/weir/weir.yaml');
    assert.deepEqual(variables, numbered);
    const file: unknown = parse(String(at(find(rendered, 'ConfigMap', 'weir-config'), 'data', 'weir.yaml')));
    assert.deepEqual(file, { texts: hostileTexts, named: numbered, count: 1_000_000 });
    const alerts = JSON.stringify(find(rendered, 'PrometheusRule'));
    assert.ok(alerts.includes(JSON.stringify('up{job="a \\"job\\" \\\\ {{ }}"}').slice(1, -1)));
    assert.equal(
      at(find(rendered, 'ScaledObject'), 'spec', 'triggers', 1, 'metadata', 'query'),
      'sum(a{b="c"})',
    );
  });
});
