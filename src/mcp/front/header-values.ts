import { isJsonObject, type JsonObject } from '../../lib/json.ts';

const sentinel = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

/** The text of a header that may be written in Base64; undefined if it can't be read. */
export function headerText(value: string): string | undefined {
  const trimmed = value.trim();
  if (!trimmed.startsWith('=?base64?') || !trimmed.endsWith('?=')) return trimmed;
  const encoded = sentinel.exec(trimmed)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** An argument of a tool that clients repeat in a header. */
interface HeaderArgument {
  readonly header: string;
  readonly path: readonly string[];
}

/** The arguments that a tool's schema marks with `x-mcp-header`. */
export function headerArguments(schema: unknown, path: readonly string[] = []): readonly HeaderArgument[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties) || path.length > 8) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const place = [...path, name];
    const header = isJsonObject(property) ? property['x-mcp-header'] : undefined;
    const own =
      typeof header === 'string' ? [{ header: `mcp-param-${header.toLowerCase()}`, path: place }] : [];
    return [...own, ...headerArguments(property, place)];
  });
}

/** Undefined for what headers can't say. */
export function argumentText(input: unknown, path: readonly string[]): string | undefined {
  const value = path.reduce<unknown>((place, name) => (isJsonObject(place) ? place[name] : undefined), input);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value))
    ? String(value)
    : undefined;
}

/** Whether a header says the same as an argument: numbers may be written in two ways. */
export function isSameArgument(header: string, argument: string): boolean {
  if (header === argument) return true;
  const number = /^-?\d+(\.\d+)?$/;
  return number.test(header.slice(0, 200)) && number.test(argument) && Number(header) === Number(argument);
}

export function inputOf({ arguments: input }: JsonObject): JsonObject {
  return isJsonObject(input) ? input : {};
}
