import type { StoredObjectList } from '../../kernel/stored-object.ts';
import { numberOf, objectOf, stringOf } from '../json-values.ts';
import { firstSegment, openaiPage, openaiQuery } from '../stored-object-list.ts';

/** Files in OpenAI's API, which other providers have too. */
export const openaiFiles: StoredObjectList = {
  name: 'openai-files',
  title: 'file',
  idOf: firstSegment,
  objectIn(answer) {
    const id = stringOf(answer.id);
    return id === undefined ? undefined : { id, value: answer, purpose: stringOf(answer.purpose) };
  },
  readQuery: openaiQuery,
  encodePage: openaiPage,
  encodeResultFile: (id) => ({ id, object: 'file', purpose: 'batch_output' }),
  batches: () => openaiBatches,
};

/** Batches in OpenAI's API: a file of calls, and files of results. */
export const openaiBatches: StoredObjectList = {
  name: 'openai-batches',
  title: 'batch',
  idOf: firstSegment,
  objectIn(answer) {
    const id = stringOf(answer.id);
    return id === undefined ? undefined : { id, value: answer };
  },
  readQuery: openaiQuery,
  encodePage: openaiPage,
  files: openaiFiles,
  batch: {
    requestIn: (fields) => ({
      callPath: stringOf(fields.get('endpoint')) ?? '',
      inputFile: stringOf(fields.get('input_file_id')),
    }),
    file: {
      names: ['url', 'body'],
      callIn({ url, body }) {
        const call = objectOf(body);
        return call && { path: stringOf(url) ?? '', body: call };
      },
    },
    stateOf({ status, output_file_id: output, error_file_id: errors }) {
      const resultFiles = [output, errors].flatMap((id) => stringOf(id) ?? []);
      const isFinal = finalStates.has(stringOf(status) ?? '');
      return { isFinal, hasResults: stringOf(output) !== undefined, resultFiles };
    },
    summaryOf({ status, request_counts: requestCounts, created_at: createdAt }) {
      const counts = objectOf(requestCounts);
      const seconds = numberOf(createdAt);
      return {
        state: stringOf(status) ?? '',
        calls: numberOf(counts?.total),
        completed: numberOf(counts?.completed),
        failed: numberOf(counts?.failed),
        madeAtMs: seconds === undefined ? undefined : seconds * 1000,
      };
    },
    resultIn(line) {
      const response = objectOf(line.response);
      const isAnswer = numberOf(response?.status_code) === okStatus;
      return { answer: isAnswer ? objectOf(response?.body) : undefined };
    },
  },
};

const finalStates: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled']);
const okStatus = 200;
