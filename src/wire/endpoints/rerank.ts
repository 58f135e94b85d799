import type { Usage } from '../../kernel/message.ts';
import type { EndpointForm, RelayRequest, RelayRoute } from '../../kernel/relay.ts';
import type { JsonObject } from '../../lib/json.ts';
import { countOf, objectOf, objectsOf } from '../json-values.ts';
import { fieldOf } from './vectors.ts';

/** Cohere bills searches, all others tokens of the query and the documents. */
function usageOf(answer: JsonObject): Usage | undefined {
  const meta = objectOf(answer.meta);
  const searches = countOf(fieldOf(meta?.billed_units, 'search_units'));
  const tokens =
    countOf(fieldOf(answer.usage, 'total_tokens')) ?? countOf(fieldOf(meta?.tokens, 'input_tokens'));
  if (searches !== undefined) return { units: { searches } };
  return tokens === undefined ? undefined : { input_tokens: tokens, output_tokens: 0 };
}

function documentsIn({ fields }: RelayRequest): number {
  const documents = fields.get('documents');
  return Array.isArray(documents) ? documents.length : 0;
}

/** A search is a query with a hundred documents; documents of more than 500 tokens count several times. */
const documentsOfSearch = 100;
const bytesOfPart = 500;

function bound(request: RelayRequest): ReturnType<NonNullable<RelayRoute['bound']>> {
  const { bodyBytes = 0, fields } = request;
  const documents = documentsIn(request);
  const query = Buffer.byteLength(JSON.stringify(fields.get('query') ?? ''));
  return {
    // The query is read again with each document.
    inputTokens: bodyBytes + query * documents,
    outputTokens: 0,
    hasNoAudio: true,
    units: { searches: Math.ceil((documents + bodyBytes / bytesOfPart) / documentsOfSearch) },
  };
}

const route: RelayRoute = {
  purpose: 'relay',
  endpoint: 'rerank',
  method: 'POST',
  path: '/v1/rerank',
  summary: 'Cohere Rerank',
  body: 'json',
  bodySchema: {
    type: 'object',
    required: ['model', 'query', 'documents'],
    properties: {
      model: { type: 'string' },
      query: { type: 'string' },
      documents: { type: 'array', items: {} },
      top_n: { type: 'integer' },
    },
    additionalProperties: true,
  },
  texts: { request: { query: 'message', documents: 'document' }, answer: ['document'] },
  price: 'tokens',
  usageOf,
  bound,
};

/** Cohere's rerank, in both versions of its path. */
export const rerankRoutes: readonly RelayRoute[] = [route, { ...route, path: '/v2/rerank' }];

/** Voyage has its own names for `top_n` and for the results, which its SDK reads: the answer has both. https://docs.voyageai.com/reference/reranker-api. */
export const voyageRerankForm: EndpointForm = {
  encode: ({ top_n: top, max_tokens_per_doc: _, ...body }) => ({
    ...body,
    ...(top != null && { top_k: top }),
  }),
  decode(answer) {
    const tokens = countOf(fieldOf(answer.usage, 'total_tokens'));
    const results = objectsOf(answer.data).map(({ document, ...result }) => ({
      ...result,
      ...(typeof document === 'string' && { document: { text: document } }),
    }));
    return {
      ...answer,
      results,
      ...(tokens !== undefined && { meta: { tokens: { input_tokens: tokens } } }),
    };
  },
};
