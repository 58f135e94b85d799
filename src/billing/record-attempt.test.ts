import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../kernel/caller.ts';
import { demo } from '../providers/demo/demo.ts';
import { recordAttempt } from './record-attempt.ts';

type EndedAttempt = Parameters<typeof recordAttempt>[1];

const account: Caller = { kind: 'account', accountId: 'a', keyId: 'k' };
const usage = { input_tokens: 3, output_tokens: 4 };
const clientAttempt: EndedAttempt = {
  target: { provider: demo, model: 'demo-1' },
  usage,
  bill: { nanoUsd: 5, estimated: false },
  isModuleCall: false,
  askedBy: undefined,
};

function recorded(attempt: EndedAttempt, caller = account): unknown[] {
  const records: unknown[] = [];
  const recorder = {
    recordAttempt: (...record: unknown[]) => records.push(['attempt', ...record]),
    recordModule: (...record: unknown[]) => records.push(['module', ...record]),
  };
  recordAttempt(recorder, attempt, { caller, tags: { team: 'search' } }, 7);
  return records;
}

function askedByModule(isModuleCall: boolean, nanoUsd: number | undefined): EndedAttempt {
  const bill = nanoUsd === undefined ? undefined : { nanoUsd, estimated: false };
  return { ...clientAttempt, bill, isModuleCall, askedBy: 'ipc' };
}

const spent = {
  accountId: 'a',
  keyId: 'k',
  provider: 'demo',
  model: 'demo-1',
  usage,
  tags: { team: 'search' },
};
const attemptRecord = (costNanoUsd: number | undefined) => ['attempt', { ...spent, costNanoUsd }, 7];

test('an attempt is charged to the key of its caller', () => {
  assert.deepEqual(recorded(clientAttempt), [attemptRecord(5)]);
});

test("a module's own call is charged to the caller and to the module", () => {
  assert.deepEqual(recorded(askedByModule(true, 9)), [
    attemptRecord(9),
    ['module', { accountId: 'a', module: 'ipc', spentNanoUsd: 9 }, 7],
  ]);
});

test("a module's retry of the client's request is charged to the caller only", () => {
  assert.deepEqual(recorded(askedByModule(false, 9)), [attemptRecord(9)]);
});

test('an attempt without a known price is recorded with its usage, and costs its module nothing', () => {
  assert.deepEqual(recorded(askedByModule(true, undefined)), [attemptRecord(undefined)]);
});

test('attempts of all anonymous sessions are charged to one holder', () => {
  assert.deepEqual(recorded(clientAttempt, { kind: 'sandbox', sessionRef: 's' }), [
    ['attempt', { ...spent, accountId: 'sandbox', keyId: '', costNanoUsd: 5 }, 7],
  ]);
});
