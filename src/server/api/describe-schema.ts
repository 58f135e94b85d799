import { z } from 'zod';
import type { StandardSchema } from '../../kernel/standard-schema.ts';

/** A schema for the OpenAPI description: Zod's own, or the JSON Schema of another library. */
export function describeSchema(schema: StandardSchema<unknown>): z.ZodType {
  if (schema instanceof z.ZodType) return schema;
  const { $schema, ...described } = schema['~standard'].jsonSchema?.input({ target: 'draft-2020-12' }) ?? {};
  return z.unknown().meta(described);
}
