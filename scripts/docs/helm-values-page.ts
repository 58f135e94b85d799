import { parse } from 'yaml';
import { at } from '../../test/support/at.ts';

interface ChartValue {
  /** Such as `image.tag`. */
  readonly path: string;
  readonly meaning: string;
  readonly preset: unknown;
}

/** The values of a chart that have a comment above them. */
export function helmValues(text: string): readonly ChartValue[] {
  const defaults: unknown = parse(text);
  const values: ChartValue[] = [];
  const path: string[] = [];
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const [, said] = /^ *# (.*)$/.exec(line) ?? [];
    const [, indent = '', name] = /^( *)([A-Za-z_]+):/.exec(line) ?? [];
    if (said !== undefined) comment.push(said);
    else {
      if (name !== undefined) {
        path.splice(indent.length / 2, path.length, name);
        if (comment.length > 0)
          values.push({ path: path.join('.'), meaning: comment.join(' '), preset: at(defaults, ...path) });
      }
      comment = [];
    }
  }
  return values;
}

/** The reference of the chart's values. */
export function helmValuesPage(text: string): string {
  const rows = helmValues(text).map(
    ({ path, meaning, preset }) => `| \`${path}\` | ${presetCell(preset)} | ${cell(meaning)} |`,
  );
  return `# Values of the Helm chart

For \`helm install --values values.yaml\`, or \`--set image.tag=1.2.3\`. [Deploying](../guides/deploying.md#helm) shows how to use the chart. A map that is given is
merged with its default; a list replaces it, and \`null\` takes a default away. A misspelt name is refused.

| value | default | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

/** Long defaults stand in the file. */
function presetCell(preset: unknown): string {
  if (preset === '') return 'none';
  const text = typeof preset === 'string' ? preset : JSON.stringify(preset);
  return text.length > 60 ? '[see there](../../deploy/helm/weir/values.yaml)' : `\`${cell(text)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
