import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { documentedMetrics } from './support/documented-metrics.ts';
import { textOf } from './support/documents.ts';

describe('metrics follow the conventions of Prometheus', () => {
  const metrics = documentedMetrics();

  test('names have lower case, one prefix, and their unit at the end', () => {
    assert.ok(metrics.length > 90);
    for (const { name } of metrics) {
      assert.match(name, /^(weir|process|nodejs)_[a-z0-9]+(_[a-z0-9]+)*$/);
      assert.doesNotMatch(name, /_(bytes|seconds|usd)_(?!total$)/, `${name}: the unit belongs to the end`);
      assert.doesNotMatch(
        name,
        /_(ms|us|milliseconds|minutes|hours|days|kb|mb|kilobytes|megabytes|cents|percent)(_|$)/,
        `${name}: base units are seconds, bytes and dollars`,
      );
      assert.doesNotMatch(name, /_(counter|gauge|histogram|count|sum|bucket)$/, name);
    }
  });

  test('counters, and only they, end with _total; histograms have a unit', () => {
    for (const { name, type } of metrics) {
      assert.equal(type === 'counter', name.endsWith('_total'), `${name} is a ${type}`);
      if (type === 'histogram') assert.match(name, /_(seconds|bytes)$/);
    }
  });

  test('labels have lower case and repeat neither the name nor a reserved one', () => {
    for (const { name, labels } of metrics)
      for (const label of labels) {
        assert.match(label, /^[a-z]+(_[a-z]+)*$/, `${name}{${label}}`);
        assert.ok(!['le', 'quantile', 'job', 'instance', 'worker'].includes(label), `${name}{${label}}`);
      }
  });
});

describe('alerts and the Grafana dashboard', () => {
  const { groups } = parse(textOf('deploy/prometheus/alerts.yaml'));
  const rules: readonly AlertRule[] = groups.flatMap((group: { readonly rules: unknown }) => group.rules);
  const { panels }: { readonly panels: readonly Panel[] } = JSON.parse(textOf('deploy/grafana/weir.json'));
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

  test('use metrics that exist, with labels that they have', () => {
    const labelsOf = new Map(documentedMetrics().flatMap(seriesOf));
    const expressions = [...rules.map(({ expr }) => expr), ...queries];
    assert.ok(rules.length > 10 && queries.length > 50);
    for (const expr of expressions)
      for (const [, name = '', matchers = ''] of expr.matchAll(metricPattern)) {
        const labels = labelsOf.get(name) ?? assert.fail(`${name} in ${expr}`);
        for (const [, label = ''] of matchers.matchAll(/(\w+)(?:=|!=|=~|!~)"/g))
          assert.ok(labels.includes(label), `${name}{${label}} in ${expr}`);
      }
  });

  test('the dashboard has a row for each subject, and its panels overlap nowhere', () => {
    assert.deepEqual(
      panels.flatMap(({ type, title }) => (type === 'row' ? [title] : [])),
      ['Traffic', 'Errors', 'Latency', 'Money', 'Modules', 'Caches', 'Providers', 'Stores', 'Process'],
    );
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    assert.equal(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size, panels.length);
    const variable = ['$', '{datasource}'].join('');
    for (const { datasource } of panels.flatMap(({ targets = [] }) => targets))
      assert.equal(datasource.uid, variable);
  });

  test('each alert has a case in which it fires and one in which it does not', () => {
    const { tests } = parse(textOf('deploy/prometheus/alerts.test.yaml'));
    const cases: readonly AlertCase[] = tests.flatMap(
      (one: { alert_rule_test: unknown }) => one.alert_rule_test,
    );
    const alerts = rules.map(({ alert }) => alert).toSorted();
    const tested = (fires: boolean) =>
      cases
        .filter((one) => one.exp_alerts.length > 0 === fires)
        .map(({ alertname }) => alertname)
        .toSorted();
    assert.deepEqual(tested(true), alerts);
    assert.deepEqual(tested(false), alerts);
  });
});

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
}

interface AlertCase {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
}

/** A metric of the gateway with its matchers. */
const metricPattern = /\b((?:weir|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;

/** The series of a metric with their labels; Prometheus adds `job` and `instance`, several processes `worker`. */
function seriesOf({ name, type, labels }: ReturnType<typeof documentedMetrics>[number]) {
  const names = type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
  return names.map((series) => [series, [...labels, 'job', 'instance', 'worker', 'le']] as const);
}
