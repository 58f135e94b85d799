import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { headerOf } from '../../kernel/headers.ts';
import { parseBody } from '../../kernel/parse-body.ts';
import { checked, invalid } from './checked.ts';
import type { DescribedBody, OwnRequest } from './route.ts';

/** How a route reads its body. */
export interface BodyRule<Body> {
  /** Undefined for a body that nobody looks at. */
  readonly described: DescribedBody | undefined;
  read(request: Pick<OwnRequest, 'headers' | 'readBody'>): Promise<Body>;
}

export const noBody: BodyRule<undefined> = { described: undefined, read: async () => undefined };

/** A JSON object of exactly these fields; without a body it is `{}` where that is enough for the schema. */
export function jsonBody<Shape extends z.ZodRawShape>(shape: Shape): BodyRule<z.output<z.ZodObject<Shape>>> {
  const schema = z.strictObject(shape);
  const required = !schema.safeParse({}).success;
  return {
    described: { schema, required },
    async read({ headers, readBody }) {
      const type = headerOf(headers, 'content-type');
      const bytes = await readBody();
      if (bytes.byteLength === 0 && !required) return checked(schema, {});
      if (type !== undefined && !isJson(type))
        throw new GatewayError('unsupported_media_type', 'this route takes application/json');
      const body = parseBody(bytes);
      checkText(body, '');
      return checked(schema, body);
    },
  };
}

function isJson(contentType: string): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Databases and other programs end or garble a text there, so that two texts could pass for one. */
function checkText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw invalid('has a NUL character or half of a surrogate pair', path);
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const at = path === '' ? key : path;
      checkText(key, at);
      checkText(inner, at);
    }
}
