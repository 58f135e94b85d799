import { isJsonObject } from '../../lib/json.ts';
import type { Units } from '../message.ts';
import { noTags, type Tags } from '../tags.ts';
import { type Attributes, effects } from '../trace.ts';
import type { LoggedAttempt, LoggedCall, LoggedChange, LoggedStep, LoggedTurn } from './request-log.ts';

// The parts of logged calls that are stored as JSON. What a newer version wrote and this one can't read is left out.

export function readSteps(steps: unknown): readonly LoggedStep[] {
  return Array.isArray(steps) ? steps.filter(isStep) : [];
}

export function readChanges(changes: unknown): readonly LoggedChange[] {
  return Array.isArray(changes) ? changes.filter(isChange) : [];
}

export function readAttempts(attempts: unknown): readonly LoggedAttempt[] {
  return Array.isArray(attempts) ? attempts.filter(isAttempt) : [];
}

export function readTurn(turn: unknown): LoggedTurn | null {
  return isTurn(turn) ? turn : null;
}

export function readTags(tags: unknown): Tags {
  return isTags(tags) ? tags : noTags;
}

const unitNames = ['images', 'seconds', 'characters', 'searches'] as const satisfies readonly (keyof Units)[];

/** Pictures, seconds and the like that are amounts; null if there are none. */
export function readUnits(units: unknown): Units | null {
  if (!isJsonObject(units)) return null;
  const amounts = unitNames.flatMap((name) => {
    const amount = units[name];
    return typeof amount === 'number' && amount > 0 && amount <= Number.MAX_SAFE_INTEGER
      ? [[name, Math.round(amount * 1000) / 1000] as const]
      : [];
  });
  return amounts.length === 0 ? null : Object.fromEntries(amounts);
}

const endings: Readonly<Record<LoggedCall['ending'], true>> = { complete: true, aborted: true, failed: true };

export function isEnding(name: string): name is LoggedCall['ending'] {
  return Object.hasOwn(endings, name);
}

const effectNames: ReadonlySet<unknown> = new Set(effects);

function isStep(value: unknown): value is LoggedStep {
  return (
    isJsonObject(value) &&
    typeof value.module === 'string' &&
    effectNames.has(value.effect) &&
    typeof value.ms === 'number' &&
    (value.savedNanoUsd === undefined || typeof value.savedNanoUsd === 'number') &&
    isAttributes(value.facts)
  );
}

function isAttributes(value: unknown): value is Attributes {
  return (
    isJsonObject(value) &&
    Object.values(value).every(
      (fact) => typeof fact === 'string' || typeof fact === 'number' || fact === true,
    )
  );
}

function isChange(value: unknown): value is LoggedChange {
  return (
    isJsonObject(value) &&
    (value.what === 'left-out' || value.what === 'header') &&
    typeof value.name === 'string'
  );
}

function isAttempt(value: unknown): value is LoggedAttempt {
  return (
    isJsonObject(value) &&
    typeof value.ending === 'string' &&
    isEnding(value.ending) &&
    [value.provider, value.model].every((name) => typeof name === 'string') &&
    [value.askedBy, value.errorCode].every((name) => name === null || typeof name === 'string') &&
    [value.startedMs, value.endedMs].every((ms) => typeof ms === 'number') &&
    [
      ...[value.leftMs, value.connectedMs, value.headMs, value.contentMs],
      ...[value.inputTokens, value.outputTokens, value.costNanoUsd],
    ].every((figure) => figure === null || typeof figure === 'number')
  );
}

function isTurn(value: unknown): value is LoggedTurn {
  return (
    isJsonObject(value) &&
    typeof value.tools === 'string' &&
    typeof value.system === 'string' &&
    isJsonObject(value.called) &&
    Object.values(value.called).every((times) => typeof times === 'number')
  );
}

function isTags(value: unknown): value is Tags {
  return isJsonObject(value) && Object.values(value).every((tag) => typeof tag === 'string');
}
