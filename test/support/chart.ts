import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { at, fieldsOf } from './at.ts';

/** The Helm chart. */
export const chartFolder = join(import.meta.dirname, '..', '..', 'deploy', 'helm', 'weir');

export function chartFile(name: string): string {
  return readFileSync(join(chartFolder, name), 'utf8');
}

export const chartDefaults: unknown = parse(chartFile('values.yaml'));

const schema = JSON.parse(chartFile('values.schema.json'));
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** What the schema says against values, with their paths; none where Helm would take them. */
export function schemaFaults(values: unknown): readonly string[] {
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

/** The paths of all values, such as `image.tag`. Lists and empty maps are values. */
export function valuePaths(values: unknown, path: readonly string[] = []): readonly string[] {
  const fields = Object.entries(fieldsOf(values));
  if (Array.isArray(values) || fields.length === 0) return [path.join('.')];
  return fields.flatMap(([name, value]) => valuePaths(value, [...path, name]));
}

/** The values that the schema leaves no freedom in, so that a misspelt name is refused. */
export function closedPaths(of: unknown = schema, path: readonly string[] = []): readonly string[] {
  const properties = Object.entries(fieldsOf(at(of, 'properties')));
  const own = at(of, 'additionalProperties') === false ? [path.join('.')] : [];
  return [...own, ...properties.flatMap(([name, inner]) => closedPaths(inner, [...path, name]))];
}

/** What templates read, such as `image.tag` or `resources`; a map that is passed on as a whole is one. */
export function readByTemplates(): ReadonlySet<string> {
  const texts = globSync('templates/**/*.*', { cwd: chartFolder }).map(chartFile);
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path)),
  );
}
