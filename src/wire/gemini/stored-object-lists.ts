import type { BatchFormat } from '../../kernel/batch.ts';
import { GatewayError } from '../../kernel/errors.ts';
import type { StoredObject, StoredObjectList } from '../../kernel/stored-object.ts';
import type { JsonObject } from '../../lib/json.ts';
import { booleanOf, numberOf, objectOf, objectsOf, stringOf, timeOf } from '../json-values.ts';
import { firstSegment, geminiPage, geminiQuery } from '../stored-object-list.ts';
import { readField, toSnakeCase } from './fields.ts';
import { generatePath, generatePathOf } from './path.ts';

/** Google's files: what clients upload, and what batches write. */
export const geminiFiles: StoredObjectList = {
  name: 'gemini-files',
  title: 'file',
  idOf: firstSegment,
  objectIn(answer) {
    // An upload ends with the file inside of another object.
    const file = objectOf(answer.file) ?? answer;
    const name = stringOf(file.name);
    return name?.startsWith('files/') ? { id: name.slice('files/'.length), value: file } : undefined;
  },
  readQuery: geminiQuery,
  encodePage: (page) => geminiPage('files', page),
  encodeResultFile: (id) => ({ name: `files/${id}` }),
  batches: () => geminiBatches,
};

const batchFormat: BatchFormat = {
  requestIn(fields, path) {
    const input = objectOf(readOnce(objectOf(fields.get('batch')) ?? {}, 'inputConfig')) ?? {};
    const file = stringOf(readOnce(input, 'fileName'));
    const inlined = objectOf(input.requests);
    if (file !== undefined && inlined !== undefined)
      throw new GatewayError('invalid_request', 'a batch has either a file or requests, not both');
    const callPath = generatePathOf(path);
    const calls = objectsOf(inlined?.requests).map(({ request }) => objectOf(request) ?? {});
    const other = calls.map(modelIn).find((model) => model !== undefined && generatePath(model) !== callPath);
    if (other !== undefined)
      throw new GatewayError('invalid_request', `a request names "${other}", and the batch another model`);
    return {
      callPath,
      calls: file === undefined ? calls : undefined,
      inputFile: file?.replace(/^files\//, ''),
    };
  },
  file: {
    names: ['request'],
    callIn(line) {
      const body = objectOf(line.request);
      const model = body && modelIn(body);
      if (body === undefined) return undefined;
      return model === undefined
        ? { path: generatePath('*'), body, hasLateModel: true }
        : { path: generatePath(model), body };
    },
  },
  stateOf(batch) {
    const state = stringOf(objectOf(batch.metadata)?.state) ?? '';
    const file = resultFileOf(batch);
    return {
      isFinal: booleanOf(batch.done) === true || finalState.test(state),
      hasResults: file !== undefined || inlinedResultsIn(batch) !== undefined,
      resultFiles: file === undefined ? [] : [file],
    };
  },
  summaryOf({ metadata }) {
    const described = objectOf(metadata) ?? {};
    const counts = objectOf(readField(described, 'batchStats')) ?? {};
    // Google's integers are texts.
    const count = (name: string) => {
      const value = readField(counts, name);
      return value === undefined ? undefined : numberOf(Number(value));
    };
    return {
      state: (stringOf(described.state) ?? '').replace(/^BATCH_STATE_/, '').toLowerCase(),
      calls: count('requestCount'),
      completed: count('successfulRequestCount'),
      failed: count('failedRequestCount'),
      madeAtMs: timeOf(readField(described, 'createTime')),
    };
  },
  // A line of a file has the answer beside the caller's key for it.
  resultIn: ({ response }) => ({ answer: objectOf(response) }),
  resultsIn: inlinedResultsIn,
};

/** Google's batches: operations whose metadata have the state, and the results or the name of a file with them. */
export const geminiBatches: StoredObjectList = {
  name: 'gemini-batches',
  title: 'batch',
  idOf: firstSegment,
  objectIn: batchIn,
  objectsIn: ({ operations }) => objectsOf(operations),
  readQuery: geminiQuery,
  encodePage: (page) => geminiPage('operations', page),
  files: geminiFiles,
  batch: batchFormat,
};

/** Without results, which may be long. */
function batchIn(answer: JsonObject): StoredObject | undefined {
  const name = stringOf(answer.name);
  if (name?.startsWith('batches/') !== true) return undefined;
  const { response, metadata, ...rest } = answer;
  const { inputConfig, output, ...described } = objectOf(metadata) ?? {};
  const file = resultFileOf(answer);
  const value = {
    ...rest,
    metadata: { ...described, ...(file !== undefined && { output: { responsesFile: `files/${file}` } }) },
  };
  return { id: name.slice('batches/'.length), value };
}

/** The results are in two places, of which one may be missing. */
function outputsOf({ response, metadata }: JsonObject): readonly JsonObject[] {
  return [objectOf(objectOf(metadata)?.output), objectOf(response)].filter((output) => output !== undefined);
}

function resultFileOf(batch: JsonObject): string | undefined {
  const names = outputsOf(batch).map((output) => stringOf(readField(output, 'responsesFile')));
  return names.find((name) => name?.startsWith('files/'))?.slice('files/'.length);
}

function inlinedResultsIn(batch: JsonObject): readonly JsonObject[] | undefined {
  const lists = outputsOf(batch).flatMap((output) => {
    const inlined = objectOf(readField(output, 'inlinedResponses'));
    return inlined === undefined ? [] : [objectsOf(readField(inlined, 'inlinedResponses'))];
  });
  return lists.toSorted((one, other) => other.length - one.length)[0];
}

/** The model that a request names itself. */
function modelIn({ model }: JsonObject): string | undefined {
  return stringOf(model)?.replace(/^models\//, '');
}

/** Google would have to choose between two spellings of a field, and might choose the other one. */
function readOnce(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name) && Object.hasOwn(object, toSnakeCase(name)))
    throw new GatewayError('invalid_request', `"${name}" is given twice`);
  return readField(object, name);
}

const finalState = /_(?:SUCCEEDED|FAILED|CANCELLED|EXPIRED)$/;
