import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnedKey, scaled, steadyQuarter } from '../../../test/support/learned-key.ts';
import { dayMs, quarterMs } from './activity.ts';
import { beginDay, finishQuarter, newKeyState } from './key-state.ts';
import { decodePast, decodeState, encodePast, encodeState } from './key-state-codec.ts';
import { look } from './key-watch.ts';

const startMs = Date.UTC(2026, 5, 3, 12);
const usual = scaled(steadyQuarter, 2 / 3);

test('what is known of a key is the same after it was stored', () => {
  const { state, past } = learnedKey(startMs);
  const stored = decodeState(encodeState(state));
  assert.equal(encodePast(decodePast(encodePast(past))), encodePast(past));
  assert.ok(stored);
  assert.equal(encodeState(stored), encodeState(state));
  assert.equal(encodeState(state).length < 4000, true, 'it is read and written every quarter of an hour');
  const jump = scaled(usual, 3);
  const endMs = startMs + 20 * 60_000;
  assert.deepEqual(
    look(stored, [jump, jump], endMs).map(({ measure, kind }) => [measure, kind]),
    look(state, [jump, jump], endMs).map(({ measure, kind }) => [measure, kind]),
  );
});

test('a jump to twice or three times the usual is found, half as much more is not, and neither is a burst of some minutes', () => {
  const found = (first: number, second: number) =>
    look(learnedKey(startMs).state, [scaled(usual, first), scaled(usual, second)], startMs + 20 * 60_000).map(
      ({ measure }) => measure,
    );
  assert.deepEqual(found(1, 1), []);
  assert.deepEqual(found(1.5, 1.5), []);
  assert.deepEqual(found(3, 3), ['spend']);
  assert.deepEqual(found(1, 6), []);
});

test('an incident is one: it is found once, ends when all is as before, and is quiet for a day', () => {
  const { state } = learnedKey(startMs);
  const seen: [number, string][] = [];
  const lookAt = (minutes: number, factor: number) => {
    const halves = scaled(usual, factor);
    for (const { kind } of look(state, [halves, halves], startMs + minutes * 60_000))
      seen.push([minutes, kind]);
  };
  for (let minutes = 0; minutes < 60; minutes += 5) lookAt(minutes, 4);
  for (let minutes = 60; minutes < 180; minutes += 5) lookAt(minutes, 1);
  for (let minutes = 180; minutes < 240; minutes += 5) lookAt(minutes, 4);
  assert.deepEqual(seen, [
    [0, 'detected'],
    [100, 'ended'],
  ]);
});

test('nothing is said of a new key, and a job at a fixed hour is usual after a week', () => {
  const state = newKeyState(startMs);
  let past = beginDay(state, [], startMs);
  const found: number[] = [];
  for (let atMs = startMs; atMs < startMs + 21 * dayMs; atMs += quarterMs) {
    const isJob = atMs % dayMs < 4 * quarterMs;
    const activity = scaled(steadyQuarter, isJob ? 8 : 1);
    past = beginDay(state, past, atMs);
    finishQuarter(state, atMs, activity);
    const half = scaled(activity, 2 / 3);
    if (look(state, [half, half], atMs + quarterMs).length > 0) found.push((atMs - startMs) / dayMs);
  }
  assert.deepEqual(found, []);
});
