import assert from 'node:assert/strict';
import { test } from 'node:test';
import { declarationsOf } from './tool-declarations.ts';

test('a tool is declared with its descriptions, and what is not required is marked', () => {
  const declared = declarationsOf([
    {
      name: 'level',
      description: 'The level of a river',
      input_schema: {
        type: 'object',
        properties: {
          river: { type: 'string', description: 'Its name' },
          unit: { enum: ['m', 'ft'] },
          days: { type: 'array', items: { type: 'integer' } },
        },
        required: ['river'],
      },
    },
    { name: 'now' },
  ]);
  assert.equal(
    declared,
    `namespace functions {

// The level of a river
type level = (_: {
// Its name
river: string,
unit?: "m" | "ft",
days?: number[],
}) => any;

type now = () => any;

} // namespace functions`,
  );
});

test('a schema of any shape can be declared', () => {
  const typeOf = (schema: unknown) =>
    /\n\w+: (.*),\n\}\)/s.exec(
      declarationsOf([{ name: 't', input_schema: { properties: { a: schema }, required: ['a'] } }]),
    )?.[1];
  assert.equal(typeOf({ type: ['string', 'null'] }), 'string | null');
  assert.equal(typeOf({ anyOf: [{ type: 'boolean' }, { type: 'number' }] }), 'boolean | number');
  assert.equal(typeOf({ type: 'object' }), 'object');
  assert.equal(typeOf({ type: 'object', properties: { b: {} } }), '{\nb?: any,\n}');
  assert.equal(typeOf({ type: 'array' }), 'any[]');
  for (const schema of [true, null, 7, {}, { type: 'of its own' }, { properties: 3 }])
    assert.equal(typeOf(schema), 'any');
});
