import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  combineSettings,
  envVariable,
  envVariablesByName,
  isComplete,
  ownsVariable,
  readSettingFields,
} from './settings.ts';

const count = z.coerce.number('must be a number').int().default(1);

const fields = {
  name: envVariable('NAME', z.string().optional()),
  room: combineSettings(
    { width: envVariable('WIDTH', count), height: envVariable('HEIGHT', count) },
    ({ width, height }) => width * height,
  ),
  ports: envVariablesByName('THE_*_PORT', count),
};

test('each field is read from its own variables, and has its default where there are none', () => {
  const { read, faults } = readSettingFields(
    fields,
    new Map([
      ['HEIGHT', '3'],
      ['WIDTH', '2'],
      ['THE_LEFT_PORT', '80'],
      ['THE_RIGHT2_PORT', '81'],
    ]),
  );
  assert.ok(isComplete<typeof fields>(read, faults));
  assert.deepEqual(read, {
    name: undefined,
    room: 6,
    ports: new Map(Object.entries({ left: 80, right2: 81 })),
  });
  assert.deepEqual(readSettingFields(fields, new Map()), {
    read: { name: undefined, room: 1, ports: new Map() },
    faults: [],
  });
});

test('every fault comes with its variable, beside what could be read', () => {
  const { read, faults } = readSettingFields(
    fields,
    new Map([
      ['NAME', 'somebody'],
      ['WIDTH', 'wide'],
      ['HEIGHT', 'high'],
      ['THE_LEFT_PORT', '80'],
      ['THE_RIGHT_PORT', 'starboard'],
    ]),
  );
  assert.deepEqual(
    faults.map(({ variable, message }) => `${variable}: ${message}`),
    ['WIDTH: must be a number', 'HEIGHT: must be a number', 'THE_RIGHT_PORT: must be a number'],
  );
  assert.equal(isComplete<typeof fields>(read, faults), false);
  assert.deepEqual(read, { name: 'somebody', room: undefined, ports: new Map([['left', 80]]) });
});

test('a variable that no field reads is distinguished from those of all kinds', () => {
  for (const ours of ['NAME', 'WIDTH', 'HEIGHT', 'THE_LEFT_PORT'])
    assert.ok(ownsVariable(fields, ours), ours);
  for (const other of ['NAMES', 'ROOM', 'THE_PORT', 'THE_OTHER_LEFT_PORT', 'the_left_port'])
    assert.ok(!ownsVariable(fields, other), other);
});
