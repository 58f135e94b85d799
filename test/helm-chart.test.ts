import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };
import { helmValues } from '../scripts/docs/helm-values-page.ts';
import { readSettings, settingVariables } from '../src/gateway/settings.ts';
import { at, fieldsOf } from './support/at.ts';
import {
  chartDefaults,
  chartFile,
  chartFolder,
  closedPaths,
  readByTemplates,
  schemaFaults,
  valuePaths,
} from './support/chart.ts';

const root = join(import.meta.dirname, '..');
const kustomization = 'deploy/kubernetes';
const manifest = (file: string): unknown => parse(readFileSync(join(root, kustomization, file), 'utf8'));
const paths = valuePaths(chartDefaults);
const closed = new Set(closedPaths());

function valueAt(path: string): unknown {
  return at(chartDefaults, ...path.split('.'));
}

/** The given values in place of the defaults, as Helm does it. */
function withValue(path: string, value: unknown, values: unknown = chartDefaults): unknown {
  const [name = '', ...rest] = path.split('.');
  const inner = rest.length === 0 ? value : withValue(rest.join('.'), value, at(values, name));
  return { ...fieldsOf(values), [name]: inner };
}

test('the chart has the version of the package', () => {
  const { version, appVersion } = Object(parse(chartFile('Chart.yaml')));
  assert.deepEqual([version, appVersion], [packageJson.version, packageJson.version]);
});

test('the schema of the chart takes its values, and knows no others', () => {
  assert.deepEqual(schemaFaults(chartDefaults), []);
  const { global: _, ...known } = fieldsOf(at(JSON.parse(chartFile('values.schema.json')), 'properties'));
  assert.deepEqual(Object.keys(fieldsOf(chartDefaults)), Object.keys(known));
});

test('the schema of the chart refuses a misspelt name wherever names are given', () => {
  assert.ok(closed.size > 20);
  for (const path of closed) {
    const misspelt = path === '' ? 'imgae' : `${path}.nmae`;
    assert.notDeepEqual(schemaFaults(withValue(misspelt, 'x')), [], misspelt);
  }
});

test('the schema of the chart refuses values of another type', () => {
  for (const path of paths.filter((one) => !one.startsWith('settings.') && isNamed(one))) {
    const wrong = Array.isArray(valueAt(path)) ? 'text' : ['a list'];
    assert.notDeepEqual(schemaFaults(withValue(path, wrong)), [], path);
  }
});

/** Not within a map that Kubernetes defines, such as a probe. */
function isNamed(path: string): boolean {
  return closed.has(path.split('.').slice(0, -1).join('.'));
}

test('no secret can stand in the settings of the chart', () => {
  const secret = /_(SECRET|TOKEN|PASSPHRASE|KEY)$|_API_KEY$|^(DATABASE|REDIS)_URL$|_SMTP_URL$|_HEADERS$/;
  const secrets = settingVariables
    .filter((name) => secret.test(name))
    .map((name) => name.replace('*', 'OPENAI'));
  assert.ok(secrets.length > 12);
  for (const name of secrets)
    assert.notDeepEqual(schemaFaults(withValue('settings', { [name]: 'x' })), [], name);
  for (const address of ['https://user:secret@proxy.internal', 'http://:secret@proxy'])
    assert.notDeepEqual(schemaFaults(withValue('settings', { HTTPS_PROXY: address })), []);
  assert.notDeepEqual(schemaFaults(withValue('database.url', 'postgres://weir:secret@db/weir')), []);
  assert.notDeepEqual(schemaFaults(withValue('redis.url', 'redis://:secret@valkey')), []);
  assert.deepEqual(schemaFaults(withValue('database.url', 'postgres://weir@db.internal:5432/weir')), []);
  assert.deepEqual(schemaFaults(withValue('redis.url', 'rediss://valkey.internal:6379/2')), []);
});

test('every value of the chart has a comment', () => {
  const documented = new Set(helmValues(chartFile('values.yaml')).map(({ path }) => path));
  assert.deepEqual(
    paths.filter((path) => !prefixes(path).some((one) => documented.has(one) && !closed.has(one))),
    [],
  );
});

test('templates of the chart read every value, and no other', () => {
  const read = readByTemplates();
  assert.deepEqual(
    paths.filter((path) => !prefixes(path).some((one) => read.has(one) && !closed.has(one))),
    [],
  );
  assert.deepEqual(
    [...read].filter((path) => valueAt(path) === undefined),
    [],
  );
});

/** `a`, `a.b` and `a.b.c`. */
function prefixes(path: string): readonly string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

test('the chart and the plain manifests agree', () => {
  const deployment = manifest('deployment.yaml');
  const pod = at(deployment, 'spec', 'template', 'spec');
  const container = at(pod, 'containers', 0);
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe', 'resources', 'securityContext'])
    assert.deepEqual(valueAt(name), at(container, name), name);
  const { revisionHistoryLimit, minReadySeconds, progressDeadlineSeconds, strategy } = Object(
    at(deployment, 'spec'),
  );
  const own = { revisionHistoryLimit, minReadySeconds, progressDeadlineSeconds, strategy };
  for (const [name, value] of Object.entries(own)) assert.deepEqual(valueAt(name), value, name);
  assert.equal(valueAt('terminationGracePeriodSeconds'), at(pod, 'terminationGracePeriodSeconds'));
  assert.deepEqual(valueAt('podSecurityContext'), at(pod, 'securityContext'));
  const settings = parseEnv(readFileSync(join(root, kustomization, 'settings.env'), 'utf8'));
  assert.deepEqual(valueAt('settings'), { ...settings, WEIR_BASE_URL: '' });
});

test('the gateway knows the settings of the chart', () => {
  const { unknownVariables } = readSettings({
    ...Object.fromEntries(
      Object.entries(fieldsOf(valueAt('settings'))).map(([name, value]) => [name, String(value)]),
    ),
    WEIR_BASE_URL: 'https://weir.example.com',
  });
  assert.deepEqual(unknownVariables, []);
});

test('the chart has the alerts and the dashboard that stand elsewhere in the folder', () => {
  for (const [own, original] of [
    ['files/alerts.yaml', 'deploy/prometheus/alerts.yaml'],
    ['files/dashboard.json', 'deploy/grafana/weir.json'],
  ] as const)
    assert.equal(chartFile(own), readFileSync(join(root, original), 'utf8'));
  const files = globSync('files/*', { cwd: chartFolder }).map((file) => file.replaceAll('\\', '/'));
  const read = globSync('templates/*.yaml', { cwd: chartFolder }).map(chartFile).join('\n');
  assert.deepEqual(
    files.filter((file) => !read.includes(`.Files.Get "${file}"`)),
    [],
  );
});
