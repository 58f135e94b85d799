import { isJsonObject } from '../../lib/json.ts';

/** A parameter of a tool that is repeated in a header, so that proxies can route by it. */
export interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

/** The parameters that a tool's schema marks with `x-mcp-header`; undefined if a mark is against the rules. */
export function headerParametersOf(schema: unknown): readonly HeaderParameter[] | undefined {
  const found: HeaderParameter[] = [];
  if (!collect(schema, [], found)) return undefined;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : undefined;
}

/** The headers of one call. Parameters without a value have none. */
export function parameterHeaders(
  parameters: readonly HeaderParameter[],
  input: unknown,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parameters.flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((at, step) => (isJsonObject(at) ? at[step] : undefined), input);
      const text =
        typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
          ? String(value)
          : undefined;
      return text === undefined ? [] : [[`mcp-param-${header.toLowerCase()}`, headerText(text)]];
    }),
  );
}

/** A text as a header can carry it. */
export function headerText(text: string): string {
  const isPlain = /^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

/** Marks are on properties only, and those below `properties` all the way. False if one is elsewhere. */
function collect(schema: unknown, path: readonly string[], found: HeaderParameter[]): boolean {
  if (!isJsonObject(schema)) return true;
  const mark = schema['x-mcp-header'];
  if (mark !== undefined) {
    const isAllowed =
      path.length > 0 && typeof mark === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/.test(mark);
    if (!isAllowed || !['string', 'integer', 'boolean'].includes(String(schema.type))) return false;
    found.push({ path, header: mark });
  }
  return Object.entries(schema).every(([key, value]) => {
    if (key === 'properties' && isJsonObject(value))
      return Object.entries(value).every(([name, property]) => collect(property, [...path, name], found));
    return key === 'default' || key === 'examples' || key === 'enum' || key === 'const' || !hasMark(value);
  });
}

function hasMark(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMark);
  if (!isJsonObject(value)) return false;
  return value['x-mcp-header'] !== undefined || Object.values(value).some(hasMark);
}
