import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { failedError } from './server-errors.ts';

/** A result in the form of revision 2026-07-28. Its other fields are passed on as they are. */
export function checkResult(server: string, method: string, result: JsonObject): JsonObject {
  const { resultType = 'complete', inputRequests, requestState } = result;
  if (resultType === 'input_required') {
    const asks = isJsonObject(inputRequests) && Object.values(inputRequests).every(isQuestion);
    if (!asks && !(inputRequests === undefined && typeof requestState === 'string'))
      throw failedError(server, `asks for input in answer to ${method} and does not say for what`);
    if (requestState !== undefined && typeof requestState !== 'string')
      throw failedError(server, `answered ${method} with a requestState that is no text`);
    return result;
  }
  if (resultType !== 'complete')
    throw failedError(server, `answered ${method} with a kind of result that the gateway does not know`);
  const field = fieldOf[method];
  if (field !== undefined && !Array.isArray(result[field]) && result.structuredContent === undefined)
    throw failedError(server, `answered ${method} without "${field}"`);
  return result.resultType === undefined ? { ...result, resultType } : result;
}

/** The list that each result has. */
const fieldOf: Readonly<Record<string, string>> = {
  'tools/call': 'content',
  'prompts/get': 'messages',
  'resources/read': 'contents',
};

function isQuestion(value: unknown): boolean {
  return isJsonObject(value) && typeof value.method === 'string';
}
