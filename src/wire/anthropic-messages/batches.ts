import type { RelayRoute } from '../../kernel/relay.ts';
import type { StoredObjectList } from '../../kernel/stored-object.ts';
import { numberOf, objectOf, objectsOf, stringOf, timeOf } from '../json-values.ts';
import { anthropicPage, anthropicQuery, firstSegment } from '../stored-object-list.ts';

/** Anthropic's message batches: the calls are in the request, the results behind a path of the batch. */
export const anthropicBatches: StoredObjectList = {
  name: 'anthropic-batches',
  title: 'batch',
  idOf: firstSegment,
  objectIn(answer) {
    const id = stringOf(answer.id);
    return id === undefined || answer.type !== 'message_batch' ? undefined : { id, value: answer };
  },
  readQuery: anthropicQuery,
  encodePage: anthropicPage,
  // Anthropic's SDK reads results from there.
  addressField: 'results_url',
  batch: {
    requestIn: (fields) => ({
      callPath: '/v1/messages',
      calls: objectsOf(fields.get('requests')).map(({ params }) => objectOf(params) ?? {}),
    }),
    stateOf({ processing_status: status, request_counts: counts }) {
      const hasResults = Number(objectOf(counts)?.succeeded ?? 0) > 0;
      return { isFinal: status === 'ended', hasResults, resultFiles: [] };
    },
    summaryOf({ processing_status: status, request_counts: requestCounts, created_at: createdAt }) {
      const counts = objectOf(requestCounts) ?? {};
      const sum = (...names: readonly string[]) =>
        names.reduce((total, name) => total + (numberOf(counts[name]) ?? 0), 0);
      return {
        state: stringOf(status) ?? '',
        calls: sum('processing', 'succeeded', 'errored', 'canceled', 'expired'),
        completed: sum('succeeded'),
        failed: sum('errored', 'canceled', 'expired'),
        madeAtMs: timeOf(createdAt),
      };
    },
    resultIn(line) {
      const result = objectOf(line.result);
      return { answer: result?.type === 'succeeded' ? objectOf(result.message) : undefined };
    },
  },
};

const shared = {
  purpose: 'relay',
  endpoint: 'message-batches',
  body: 'none',
  defaultProvider: 'anthropic',
  price: 'free',
} as const;

const path = '/v1/messages/batches';

export const anthropicBatchRoutes: readonly RelayRoute[] = [
  {
    ...shared,
    method: 'POST',
    path,
    summary: 'Make a batch of messages',
    body: 'json',
    bodySchema: {
      type: 'object',
      required: ['requests'],
      properties: { requests: { type: 'array', items: { type: 'object' } } },
      additionalProperties: true,
    },
    storedObject: { list: anthropicBatches, action: 'create' },
  },
  {
    ...shared,
    method: 'GET',
    path,
    summary: 'List batches of messages',
    storedObject: { list: anthropicBatches, action: 'list' },
  },
  {
    ...shared,
    method: 'GET',
    path: `${path}/*/results`,
    summary: 'The results of a batch of messages',
    storedObject: { list: anthropicBatches, action: 'content' },
  },
  {
    ...shared,
    method: 'POST',
    path: `${path}/*/cancel`,
    summary: 'Cancel a batch of messages',
    storedObject: { list: anthropicBatches, action: 'read' },
  },
  {
    ...shared,
    method: 'GET',
    path: `${path}/*`,
    summary: 'A batch of messages and its state',
    storedObject: { list: anthropicBatches, action: 'read' },
  },
  {
    ...shared,
    method: 'DELETE',
    path: `${path}/*`,
    summary: 'Delete a batch of messages',
    storedObject: { list: anthropicBatches, action: 'delete' },
  },
];
