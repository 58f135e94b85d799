import { z } from 'zod';
import { GatewayError } from '../../kernel/errors.ts';
import type { ModelListFormat, NamedModel } from '../model-list-format.ts';
import { gemini } from './gemini.ts';

const modelSchema = z.object({
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  supportedGenerationMethods: z.array(z.string()),
});

const listSchema = z.object({ models: z.array(modelSchema), nextPageToken: z.string().optional() });

/** Google's own limits. */
const pageSizeDefault = 50;
const pageSizeMax = 1000;

/** Google's paginated model list. */
export const geminiModels = createModelDialect('models/', '/v1beta/models');

/** The same for clients of Vertex AI, which get a single model by its full name. */
export const vertexModels = createModelDialect(
  'publishers/google/models/',
  '/v1beta1/publishers/google/models',
);

function createModelDialect(prefix: string, path: string): ModelListFormat {
  const encodeModel = ({ id, title, owner }: NamedModel): z.infer<typeof modelSchema> => ({
    name: prefix + id,
    displayName: title,
    description: `Served by ${owner}`,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  });
  return {
    wire: gemini,
    path,
    query: {
      pageSize: `Page size, 1 to ${pageSizeMax} (default ${pageSizeDefault})`,
      pageToken: 'nextPageToken of the previous page',
    },
    listSchema,
    modelSchema,
    isSpokenBy: () => true,
    encodeList(models, query): z.infer<typeof listSchema> {
      const size = Math.min(integerParam(query, 'pageSize', pageSizeDefault) || pageSizeDefault, pageSizeMax);
      const from = integerParam(query, 'pageToken', 0);
      const page = models.slice(from, from + size).map(encodeModel);
      return from + size < models.length
        ? { models: page, nextPageToken: String(from + size) }
        : { models: page };
    },
    encodeModel,
  };
}

function integerParam(query: URLSearchParams, name: string, fallback: number): number {
  const value = query.get(name);
  if (value === null || value === '') return fallback;
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new GatewayError('invalid_request', `"${name}" must be an integer of at least 0`, { param: name });
}
