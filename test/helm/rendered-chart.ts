import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { at } from '../support/at.ts';
import { modelsOfKubernetes } from '../support/kubernetes-manifests.ts';
import { emptyFolder } from '../support/weir-process.ts';
import { type Rendered, renderAll } from './render.ts';
import { features } from './value-sets.ts';

const modelFolders = new Map(
  (process.env.CHART_MODELS ?? '').split('\n').map((folder) => [folder.split('/').at(-1), folder]),
);

/** The packages with the objects of operators. */
const ofOperators: readonly (readonly [group: RegExp, name: string])[] = [
  [/^external-secrets\.io\//, 'external-secrets'],
  [/^gateway\.networking\.k8s\.io\//, 'gateway-api'],
  [/^keda\.sh\//, 'keda'],
  [/^monitoring\.coreos\.com\//, 'prometheus-operator'],
];

/** Where the models of an object are, also of those that operators know. */
export function modelsOf(version: string): string {
  const [, name] = ofOperators.find(([group]) => group.test(version)) ?? [];
  const folder = modelFolders.get(name);
  return folder === undefined ? modelsOfKubernetes(version) : join(folder, version);
}

export function find({ objects }: Rendered, kind: string, name?: string): unknown {
  return objects.find(
    (object) =>
      at(object, 'kind') === kind && (name === undefined || at(object, 'metadata', 'name') === name),
  );
}

export function podOf(rendered: Rendered): unknown {
  return at(find(rendered, 'Deployment'), 'spec', 'template', 'spec');
}

export function variablesOf(rendered: Rendered): Readonly<Record<string, unknown>> {
  const env = at(podOf(rendered), 'containers', 0, 'env');
  return Object.fromEntries(
    (Array.isArray(env) ? env : []).map((one) => [at(one, 'name'), at(one, 'value') ?? at(one, 'valueFrom')]),
  );
}

/** The chart with these values, which it has to take. */
export function render(values: object, t: TestContext): Rendered {
  const [rendered] = renderAll([{ values }], emptyFolder(t));
  assert.ok(rendered);
  assert.equal(rendered.fault, undefined);
  return rendered;
}

export function feature(name: string, t: TestContext): Rendered {
  return render(features[name] ?? assert.fail(name), t);
}
