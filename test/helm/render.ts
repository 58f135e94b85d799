import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { fieldsOf } from '../support/at.ts';
import { chartFolder, schemaFaults } from '../support/chart.ts';

export interface Rendering {
  readonly release?: string;
  readonly namespace?: string;
  readonly values: object;
}

/** The objects of a rendering, and its notes where the renderer shows them; or why there is none. */
export interface Rendered {
  readonly objects: readonly unknown[];
  readonly text: string;
  readonly fault: string | undefined;
}

/** HELM is Helm, CHART_RENDERER a program that is built from render.go; scripts/test-helm.ts sets one of them. */
export function renderAll(renderings: readonly Rendering[], temporaryFolder: string): readonly Rendered[] {
  const { HELM, CHART_RENDERER = '' } = process.env;
  if (HELM !== undefined) return renderings.map((one) => renderWithHelm(HELM, one, temporaryFolder));
  const tasks = renderings.map(({ release = 'weir', namespace = 'weir', values }) => ({
    release,
    namespace,
    values: JSON.stringify(values),
  }));
  const output = execFileSync(CHART_RENDERER, [chartFolder], {
    input: JSON.stringify(tasks),
    maxBuffer: 256 * 1024 * 1024,
    encoding: 'utf8',
  });
  const results: unknown = JSON.parse(output);
  return Array.isArray(results) ? results.map(renderedOf) : [];
}

function renderedOf(result: unknown): Rendered {
  const { files, error, values } = fieldsOf(result);
  const faults = schemaFaults(values);
  if (faults.length > 0) return { objects: [], text: '', fault: faults.join('\n') };
  if (typeof error === 'string') return { objects: [], text: '', fault: error };
  const manifests = Object.entries(fieldsOf(files)).filter(([name]) => name.endsWith('.yaml'));
  return readObjects(manifests.map(([name, text]) => `---\n# ${name}\n${String(text)}`).join('\n'));
}

function renderWithHelm(
  helm: string,
  { release = 'weir', namespace = 'weir', values }: Rendering,
  folder: string,
): Rendered {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, JSON.stringify(values));
  const args = ['template', release, chartFolder, '--namespace', namespace, '--values', file];
  const { stdout, stderr, status } = spawnSync(helm, args, { encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 });
  return status === 0 ? readObjects(stdout) : { objects: [], text: '', fault: stderr };
}

/** As YAML 1.2 and as YAML 1.1: Kubernetes’ own parser is between them, so both must read the same. */
function readObjects(text: string): Rendered {
  const [one, other] = (['1.2', '1.1'] as const).map((version) =>
    parseAllDocuments(text, { version }).map((document) => {
      const [fault] = [...document.errors, ...document.warnings];
      if (fault !== undefined) throw new Error(`${fault.message}\n${text}`);
      return document.toJS();
    }),
  );
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`YAML 1.1 reads this differently:\n${text}`);
  return { objects: (one ?? []).filter((object) => object !== null), text, fault: undefined };
}
