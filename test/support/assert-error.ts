import assert from 'node:assert/strict';
import { at } from './at.ts';
import type { RawAnswer } from './call.ts';

interface ExpectedError {
  readonly status: number;
  readonly type: string;
  readonly code?: string;
  readonly param?: string | null;
}

/** That an answer is an error of the gateway's own, in its one shape. */
export function assertError({ status, json, headers, text }: RawAnswer, expected: ExpectedError): void {
  assert.equal(status, expected.status, text);
  assert.equal(json.type, 'error');
  assert.equal(at(json, 'error', 'type'), expected.type, text);
  if (expected.code !== undefined) assert.equal(at(json, 'error', 'code'), expected.code, text);
  if (expected.param !== undefined) assert.equal(at(json, 'error', 'param'), expected.param, text);
  // Nothing but a person's doing helps, and clients that try again leave that person waiting.
  if (status >= 400 && status <= 404) assert.equal(headers['x-should-retry'], 'false', text);
  assert.equal(json.request_id, headers['x-request-id']);
}
