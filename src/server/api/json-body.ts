import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { headerOf } from '../../kernel/headers.ts';
import { parseBody } from '../../kernel/parse-body.ts';
import type { ApiRequest, BodyDescription } from './route.ts';
import { invalidFieldError, parseWithSchema } from './validation.ts';

/** How a route reads its body. */
export interface BodyParser<Body> {
  /** Undefined for a body that nobody looks at. */
  readonly description: BodyDescription | undefined;
  parse(request: Pick<ApiRequest, 'headers' | 'readBody'>): Promise<Body>;
}

export const noBody: BodyParser<undefined> = { description: undefined, parse: async () => undefined };

/** A JSON object of exactly these fields; without a body it is `{}` where that is enough for the schema. */
export function jsonBody<Shape extends z.ZodRawShape>(
  shape: Shape,
): BodyParser<z.output<z.ZodObject<Shape>>> {
  const schema = z.strictObject(shape);
  const required = !schema.safeParse({}).success;
  return {
    description: { schema, required },
    async parse({ headers, readBody }) {
      const type = headerOf(headers, 'content-type');
      const bytes = await readBody();
      if (bytes.byteLength === 0 && !required) return parseWithSchema(schema, {});
      if (type !== undefined && !isJson(type))
        throw new GatewayError('unsupported_media_type', 'this route takes application/json');
      const body = parseBody(bytes);
      checkStorableText(body, '');
      return parseWithSchema(schema, body);
    },
  };
}

function isJson(contentType: string): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Databases and other programs end or garble a text there, so that two texts could pass for one. */
function checkStorableText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw invalidFieldError('has a NUL character or half of a surrogate pair', path);
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const at = path === '' ? key : path;
      checkStorableText(key, at);
      checkStorableText(inner, at);
    }
}
