import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import { parseInput } from '../../kernel/input-validation.ts';
import { parseBody } from '../../kernel/json/parse-body.ts';
import type { StandardSchema } from '../../kernel/standard-schema.ts';
import { headerOf } from '../../lib/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import { describeSchema } from './describe-schema.ts';
import type { ApiRequest, BodyDescription } from './route.ts';
import { invalidFieldError, parseWithSchema } from './validation.ts';

type WholeBodySource = Pick<ApiRequest, 'headers' | 'readBody'>;

export interface BodyParser<Body, Source = WholeBodySource & Pick<ApiRequest, 'streamBody'>> {
  /** Undefined if the route ignores its body. */
  readonly description: BodyDescription | undefined;
  parse(request: Source): Promise<Body>;
}

export const noBody: BodyParser<undefined> = { description: undefined, parse: async () => undefined };

/** A body of any size, which the route reads chunk by chunk. */
export function streamedBody(contentType: string, bytesMax: number): BodyParser<AsyncIterable<Uint8Array>> {
  return {
    description: { required: true, contentType },
    parse: async ({ streamBody }) => streamBody(bytesMax),
  };
}

/** A JSON object with exactly these fields; an empty body is read as `{}` if the schema allows that. */
export function jsonBody<Shape extends z.ZodRawShape>(
  shape: Shape,
): BodyParser<z.output<z.ZodObject<Shape>>, WholeBodySource> {
  return bodyParserOf(z.strictObject(shape));
}

/** The schemas of all routes take milliseconds to try, so that this is not done at start. */
function bodyParserOf<Schema extends z.ZodType>(
  schema: Schema,
): BodyParser<z.output<Schema>, WholeBodySource> {
  const description: BodyDescription = {
    schema,
    get required() {
      return !schema.safeParse({}).success;
    },
  };
  return {
    description,
    parse: async (request) => parseWithSchema(schema, await parseJson(request, description)),
  };
}

/** The same with a schema of any library. */
export function schemaBody<Body>(schema: StandardSchema<Body>): BodyParser<Body> {
  const empty = schema['~standard'].validate({});
  const required = empty instanceof Promise || empty.issues !== undefined;
  const description = { schema: describeSchema(schema), required };
  return {
    description,
    parse: async (request) => parseInput(schema, await parseJson(request, description)),
  };
}

/** A text, such as lines of JSON. */
export function textBody<Body>(schema: StandardSchema<Body>): BodyParser<Body> {
  return {
    description: { schema: describeSchema(schema), required: true },
    parse: async ({ readBody }) => parseInput(schema, Buffer.from(await readBody()).toString('utf8')),
  };
}

/** A form with these fields; others are left out, as OAuth wants it. */
export function formBody<Shape extends z.ZodRawShape>(
  shape: Shape,
): BodyParser<z.output<z.ZodObject<Shape>>, WholeBodySource> {
  const schema = z.object(shape);
  const contentType = 'application/x-www-form-urlencoded';
  return {
    description: { schema: describeSchema(schema), contentType, required: true },
    async parse({ headers, readBody }) {
      const type = headerOf(headers, 'content-type') ?? '';
      const bytes = await readBody();
      if (!/^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type))
        throw new GatewayError('unsupported_media_type', `unsupported content-type; send ${contentType}`);
      const fields = Object.fromEntries(new URLSearchParams(Buffer.from(bytes).toString('utf8')));
      checkStorableText(fields, '');
      return parseInput(schema, fields);
    },
  };
}

async function parseJson(
  { headers, readBody }: Pick<ApiRequest, 'headers' | 'readBody'>,
  description: Pick<BodyDescription, 'required'>,
): Promise<JsonObject> {
  const type = headerOf(headers, 'content-type');
  const bytes = await readBody();
  if (bytes.byteLength === 0 && !description.required) return {};
  if (type !== undefined && !isJson(type))
    throw new GatewayError('unsupported_media_type', 'unsupported content-type; send application/json');
  const body = parseBody(bytes);
  checkStorableText(body, '');
  return body;
}

/** Any JSON object, whose fields the route checks itself. */
const anyObject = z.record(z.string(), z.unknown());
export const jsonObjectBody: BodyParser<JsonObject, WholeBodySource> = {
  description: { schema: anyObject, required: true },
  parse: async (request) => parseWithSchema(anyObject, await parseJson(request, { required: true })),
};

function isJson(contentType: string): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType);
}

/** Databases truncate or garble text at these characters, so two different texts could become equal. */
function checkStorableText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw invalidFieldError('must not contain NUL characters or lone surrogates', path);
  } else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const at = path === '' ? key : path;
      checkStorableText(key, at);
      checkStorableText(inner, at);
    }
}
