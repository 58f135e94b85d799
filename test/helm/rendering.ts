import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { at, fieldsOf } from '../support/at.ts';
import { chartFolder } from '../support/chart.ts';
import { findManifestFaults } from '../support/kubernetes-manifests.ts';
import { emptyFolder } from '../support/weir-process.ts';
import { type Rendered, renderAll } from './render.ts';
import { feature, find, modelsOf, podOf, render, variablesOf } from './rendered-chart.ts';
import { configuration, everything, features, plainManifests } from './value-sets.ts';

const deploy = join(chartFolder, '..', '..');
describe('the chart', () => {
  test('with each feature alone, and with all of them, is what Kubernetes takes', async (t) => {
    const names = [...Object.keys(features), 'everything'];
    const sets = [...Object.values(features), everything];
    const rendered = renderAll(
      [
        ...sets.map((values) => ({ values })),
        { values: everything, release: 'a'.repeat(53), namespace: 'another' },
        { values: {}, release: '123' },
      ],
      emptyFolder(t),
    );
    for (const [index, { fault }] of rendered.entries()) assert.equal(fault, undefined, String(names[index]));
    const objects = rendered.flatMap((one) => one.objects);
    assert.ok(objects.length > 200);
    assert.deepEqual(await findManifestFaults(objects, emptyFolder(t), modelsOf), []);
    for (const object of objects)
      assert.ok(String(at(object, 'metadata', 'name')).length <= 63, JSON.stringify(at(object, 'metadata')));
  });

  test('with everything has an object of every kind', (t) => {
    const kinds = [everything, { secrets: { values: { A: 'b' } } }, {}].flatMap((values) =>
      render(values, t).objects.map((object) => String(at(object, 'kind'))),
    );
    assert.deepEqual([...new Set(kinds)].toSorted(), [
      'ConfigMap',
      'Deployment',
      'ExternalSecret',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'ScaledObject',
      'Secret',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
  });

  test('selects the pods that it makes, whatever its names', (t) => {
    for (const values of [{}, features.names ?? {}, everything]) {
      const rendered = render(values, t);
      const labels = fieldsOf(at(find(rendered, 'Deployment'), 'spec', 'template', 'metadata', 'labels'));
      const selectors = rendered.objects.flatMap((object) => [
        at(object, 'spec', 'selector', 'matchLabels') ?? [],
        at(object, 'kind') === 'Service' ? at(object, 'spec', 'selector') : [],
        at(object, 'spec', 'podSelector', 'matchLabels') ?? [],
      ]);
      const given = selectors.flat();
      assert.ok(given.length >= 3);
      for (const selector of given)
        for (const [name, value] of Object.entries(fieldsOf(selector))) assert.equal(labels[name], value);
    }
  });

  test('mounts weir.yaml as a folder, so that changes arrive, and rolls no pod for them', (t) => {
    const [one, other] = [
      feature('config', t),
      render({ config: { ...configuration, log: { level: 'debug' } } }, t),
    ];
    const text = String(at(find(one, 'ConfigMap', 'weir-config'), 'data', 'weir.yaml'));
    assert.deepEqual(parse(text), configuration);
    const container = at(podOf(one), 'containers', 0);
    const mounts = at(container, 'volumeMounts');
    assert.deepEqual(Array.isArray(mounts) ? mounts.at(-1) : undefined, {
      name: 'config',
      mountPath: '/etc/weir',
      readOnly: true,
    });
    assert.deepEqual(at(podOf(one), 'volumes', 2), { name: 'config', configMap: { name: 'weir-config' } });
    assert.deepEqual(variablesOf(one), { WEIR_CONFIG: '/etc/weir/weir.yaml' });
    assert.deepEqual(find(one, 'Deployment'), find(other, 'Deployment'));
    assert.equal(
      at(find(feature('configText', t), 'ConfigMap', 'weir-config'), 'data', 'weir.yaml'),
      '# kept\nlog: { level: debug }\n',
    );
    const existing = feature('configExisting', t);
    assert.deepEqual(at(podOf(existing), 'volumes', 2, 'configMap'), { name: 'weir-yaml' });
    assert.equal(find(existing, 'ConfigMap', 'weir-config'), undefined);
  });

  test('rolls pods for changed settings and secrets, and for weir.yaml where that is asked', (t) => {
    const annotations = (values: object) =>
      at(find(render(values, t), 'Deployment'), 'spec', 'template', 'metadata', 'annotations');
    assert.notDeepEqual(annotations({}), annotations({ settings: { WEIR_LOG_LEVEL: 'debug' } }));
    const secret = (A: string) => annotations({ secrets: { values: { A } } });
    assert.notDeepEqual(secret('one'), secret('two'));
    const file = (level: string) => annotations({ configRolls: true, config: { log: { level } } });
    assert.notDeepEqual(file('info'), file('debug'));
  });

  test('takes variables from secrets, and addresses of stores from where they are', (t) => {
    const secretsOf = (rendered: Rendered) => {
      const from = at(podOf(rendered), 'containers', 0, 'envFrom');
      return (Array.isArray(from) ? from : []).flatMap((one) => at(one, 'secretRef', 'name') ?? []);
    };
    assert.deepEqual(secretsOf(feature('defaults', t)), ['weir-secrets']);
    assert.deepEqual(secretsOf(feature('secretsExisting', t)), ['one', 'two']);
    const external = feature('secretsExternal', t);
    assert.deepEqual(secretsOf(external), ['weir-secrets']);
    assert.equal(at(find(external, 'ExternalSecret'), 'spec', 'target', 'name'), 'weir-secrets');
    assert.deepEqual(at(find(external, 'ExternalSecret'), 'spec', 'data', 1), {
      secretKey: 'WEIR_SECRET',
      remoteRef: { key: 'weir', property: 'secret' },
    });
    const fromSecret = (name: string, key: string) => ({ secretKeyRef: { name, key } });
    assert.deepEqual(variablesOf(feature('stores', t)), {
      PGPASSWORD: fromSecret('db-user', 'password'),
      DATABASE_URL: 'postgres://weir@db.internal/weir',
      REDIS_URL: 'rediss://valkey.internal',
    });
    assert.deepEqual(variablesOf(feature('storesFromSecrets', t)), {
      DATABASE_URL: fromSecret('weir-db-app', 'uri'),
      REDIS_URL: fromSecret('weir-valkey', 'address'),
    });
  });

  test('scales by open calls, with the HorizontalPodAutoscaler or KEDA', (t) => {
    const scaler = find(feature('openCalls', t), 'HorizontalPodAutoscaler');
    assert.deepEqual(at(scaler, 'spec', 'metrics'), [
      {
        type: 'Pods',
        pods: {
          metric: { name: 'weir_open_calls' },
          target: { type: 'AverageValue', averageValue: '200' },
        },
      },
    ]);
    const keda = feature('keda', t);
    assert.equal(find(keda, 'HorizontalPodAutoscaler'), undefined);
    assert.deepEqual(at(find(keda, 'ScaledObject'), 'spec', 'triggers', 1), {
      type: 'prometheus',
      metricType: 'AverageValue',
      metadata: {
        serverAddress: 'http://prometheus.monitoring:9090',
        query: 'sum(weir_open_calls{namespace="weir",job="weir"})',
        threshold: '200',
      },
      authenticationRef: { name: 'prometheus' },
    });
    assert.equal(at(find(feature('withoutAutoscaler', t), 'Deployment'), 'spec', 'replicas'), 3);
    assert.equal(at(find(keda, 'Deployment'), 'spec', 'replicas'), undefined);
  });

  test('has the alerts and the dashboard of the folders beside it', (t) => {
    const original = readFileSync(join(deploy, 'prometheus/alerts.yaml'), 'utf8');
    assert.deepEqual(at(find(feature('alerts', t), 'PrometheusRule'), 'spec'), parse(original));
    const renamed = JSON.stringify(find(feature('alertsOfAnotherJob', t), 'PrometheusRule'));
    assert.ok(renamed.includes('up{job=\\"gateway\\"}') && !renamed.includes('job=\\"weir\\"'));
    const dashboard = at(find(feature('dashboard', t), 'ConfigMap', 'weir-dashboard'), 'data', 'weir.json');
    const board = readFileSync(join(deploy, 'grafana/weir.json'), 'utf8');
    assert.deepEqual(JSON.parse(String(dashboard)), JSON.parse(board));
    const endpoint = at(find(feature('serviceMonitor', t), 'ServiceMonitor'), 'spec', 'endpoints', 0);
    assert.deepEqual(at(endpoint, 'authorization', 'credentials'), {
      name: 'weir-secrets',
      key: 'WEIR_METRICS_TOKEN',
    });
    assert.deepEqual(at(endpoint, 'relabelings', 0), { targetLabel: 'job', replacement: 'gateway' });
  });

  test('lets nobody in where the network policy names nobody', (t) => {
    const policy = at(find(feature('closedNetwork', t), 'NetworkPolicy'), 'spec');
    assert.deepEqual([at(policy, 'ingress'), at(policy, 'egress')], [[], []]);
  });

  test('says the address of the first host, unless it is given', (t) => {
    const address = (values: object) =>
      at(find(render(values, t), 'ConfigMap', 'weir-settings'), 'data', 'WEIR_BASE_URL');
    assert.equal(address({}), undefined);
    assert.equal(address(plainManifests), 'https://weir.example.com');
    assert.equal(address(features.httpRoute ?? {}), 'https://weir.example.com');
    const given = { ...plainManifests, settings: { WEIR_BASE_URL: 'https://llm.example.com' } };
    assert.equal(address(given), 'https://llm.example.com');
  });

  test('renders every example of the guide', async (t) => {
    const guide = readFileSync(join(deploy, '../docs/guides/deploying.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```yaml\n(# values\.yaml\n.*?)^```$/gms)].map(
      ([, text = '']) => text,
    );
    assert.ok(blocks.length > 6);
    const examples = blocks.map((text) => ({ values: fieldsOf(parse(text)) }));
    const rendered = renderAll(examples, emptyFolder(t));
    for (const [index, { fault }] of rendered.entries())
      assert.equal(fault, undefined, String(blocks[index]));
    const objects = rendered.flatMap((one) => one.objects);
    assert.deepEqual(await findManifestFaults(objects, emptyFolder(t), modelsOf), []);
  });

  test('makes what the plain manifests describe', (t) => {
    const rendered = render(plainManifests, t);
    const files = {
      Deployment: 'deployment',
      Service: 'service',
      Ingress: 'ingress',
      PodDisruptionBudget: 'disruption-budget',
      HorizontalPodAutoscaler: 'autoscaler',
      NetworkPolicy: 'network-policy',
      ServiceAccount: 'service-account',
    };
    for (const [kind, file] of Object.entries(files)) {
      const plain: unknown = parse(readFileSync(join(deploy, `kubernetes/${file}.yaml`), 'utf8'));
      assert.deepEqual(shared(find(rendered, kind)), shared(plain), kind);
    }
  });
});

/** Without what only one of chart and kustomization knows: labels of releases, checksums, the image, defaults of Kubernetes. */
function shared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shared);
  if (typeof value !== 'object' || value === null) return value;
  const own = ['annotations', 'namespace', 'image', 'imagePullPolicy', 'app.kubernetes.io/instance'];
  const entries = Object.entries(value).filter(
    ([name, inner]) => !own.includes(name) && !(name === 'type' && inner === 'ClusterIP'),
  );
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === 'metadata' ? { name: at(inner, 'name') } : shared(inner)]),
  );
}
