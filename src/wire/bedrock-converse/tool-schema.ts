import { limits as kernelLimits } from '../../kernel/limits.ts';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { objectOf, omitUndefined } from '../json-values.ts';
import { limits } from '../limits.ts';

/** A tool's input schema: always an object, without `$schema` and `$id`. */
export function toolSchema(schema: JsonObject, isNova: boolean): JsonObject {
  const { $schema: _, $id: __, ...rest } = schema;
  const objectSchema: JsonObject = { ...rest, type: 'object' };
  return isNova ? novaSchema(objectSchema) : objectSchema;
}

/** Nova's top-level fields: https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html */
function novaSchema({ type, properties, required, $defs, definitions }: JsonObject): JsonObject {
  const places = { $defs: objectOf($defs) ?? {}, definitions: objectOf(definitions) ?? {} };
  const resolved = new RefResolver(places).resolve(objectOf(properties) ?? {}, []);
  return omitUndefined({ type, properties: resolved, required });
}

/** Inlines references; a recursive or external one becomes an unrestricted schema. */
class RefResolver {
  readonly #definitions: Readonly<Record<string, JsonObject>>;
  #values = 0;

  constructor(places: Readonly<Record<string, JsonObject>>) {
    this.#definitions = places;
  }

  resolve(value: unknown, within: readonly string[], depth = 0): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (++this.#values > limits.resolvedSchemaValuesMax || depth > kernelLimits.jsonDepthMax) return {};
    if (Array.isArray(value)) return value.map((one) => this.resolve(one, within, depth + 1));
    const { $ref, ...rest }: JsonObject = { ...value };
    const fields = Object.entries(rest).map(([name, field]) => [
      name,
      this.resolve(field, within, depth + 1),
    ]);
    const named = typeof $ref !== 'string' || within.includes($ref) ? undefined : this.#lookUp($ref);
    const resolved = named === undefined ? {} : this.resolve(named, [...within, String($ref)], depth + 1);
    return { ...(isJsonObject(resolved) && resolved), ...Object.fromEntries(fields) };
  }

  #lookUp(reference: string): unknown {
    const [, keyword = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
    const named = this.#definitions[keyword];
    return named !== undefined && Object.hasOwn(named, name) ? named[name] : undefined;
  }
}
