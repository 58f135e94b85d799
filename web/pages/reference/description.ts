import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/client.ts';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly format?: string;
  readonly default?: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface OperationDescription {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
}

export interface Operation extends OperationDescription {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

/** By tag, in the order in which the description has them. */
export const description = queryOptions({
  queryKey: ['openapi'],
  queryFn: async () => {
    const answer = await fetch('/openapi.json');
    if (!answer.ok) throw new ApiError(answer.status, await answer.json());
    const { paths } = (await answer.json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDescription>>>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        // A local gateway refuses what belongs to accounts: nothing to read there.
        .filter(([, { summary }]) => summary !== 'Not available in local mode')
        .map(
          ([method, described]): Operation => ({
            ...described,
            id: `${method} ${path}`,
            method: method.toUpperCase(),
            path,
          }),
        ),
    );
    // What most people come for stands first.
    const inference = operations.filter(({ tags }) => tags.includes('Inference'));
    const rest = operations.filter(({ tags }) => !tags.includes('Inference'));
    return Map.groupBy([...inference, ...rest], ({ tags: [tag = 'Other'] }) => tag);
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function jsonSchemaOf(content: Content | undefined): Schema | undefined {
  return content?.content?.['application/json']?.schema;
}

/** `string`, `integer or null`, `list of object`. */
export function nameOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(nameOf))].join(' or ');
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  if (schema.type === 'array')
    return `list of ${schema.items === undefined ? 'anything' : nameOf(schema.items)}`;
  return typeof schema.type === 'string' ? schema.type : 'anything';
}

/** A body to begin with. */
export function sampleOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return schema.anyOf[0] === undefined ? null : sampleOf(schema.anyOf[0]);
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {})]),
      );
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return '';
  }
}
