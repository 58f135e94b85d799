import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { wireFormats } from '../src/wire/index.ts';
import { fields } from './texts/fields.ts';
import { faultOf } from './texts/judge.ts';
import { described, formerFaults, someTrials, type Trial } from './texts/plan.ts';
import { models, modules, Subject } from './texts/subject.ts';
import { units } from './texts/units.ts';

const subject = await Subject.start();
after(() => subject.close());

async function faultsOf(trials: readonly Trial[]): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const trial of trials) {
    const fault = await faultOf(subject, trial.way, trial.unit);
    if (fault !== undefined) faults.push(`${described(trial)}: ${fault}`);
  }
  return faults;
}

test('long runs of any text take a time that grows with their length, wherever they are sent', async () => {
  assert.deepEqual(await faultsOf(someTrials()), []);
});

test('so do texts that once held the gateway', async () => {
  assert.deepEqual(await faultsOf(formerFaults), []);
});

test('calls with such texts are answered and not only refused, through every module and to every provider', async () => {
  const [field] = fields;
  assert.ok(field !== undefined);
  for (const [at, module] of Object.keys(modules).entries())
    for (const provider of Object.keys(models)) {
      const { name: format } = wireFormats[at % wireFormats.length] ?? assert.fail();
      const played = await subject.measure({ field, module, format, provider }, 'And the blue ones?');
      const statuses = played?.answers.map((answer) => answer?.status);
      assert.deepEqual(new Set(statuses), new Set([200]), `${module}, ${format} to ${provider}`);
    }
});

test('the trials of each run have every unit, field, module, format and provider', () => {
  const trials = someTrials();
  const missing = (all: readonly string[], of: (trial: Trial) => string) =>
    all.filter((name) => !trials.some((trial) => of(trial) === name));
  const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  assert.deepEqual(
    missing(names(units), ({ unit }) => unit.name),
    [],
  );
  assert.deepEqual(
    missing(names(fields), ({ way }) => way.field.name),
    [],
  );
  assert.deepEqual(
    missing(Object.keys(modules), ({ way }) => way.module),
    [],
  );
  assert.deepEqual(
    missing(names(wireFormats), ({ way }) => way.format),
    [],
  );
  assert.deepEqual(
    missing(Object.keys(models), ({ way }) => way.provider),
    [],
  );
});
