import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { parseInput } from './input-validation.ts';

test('errors name each unknown field with its path', async () => {
  const schema = z.strictObject({ rules: z.array(z.strictObject({ name: z.string() })) });
  await assert.rejects(parseInput(schema, { rules: [{ name: 'a' }, { name: 'b', colour: 1 }], size: 2 }), {
    message: 'unknown fields: "rules.1.colour", "size"',
  });
});
