import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ollama } from '../ollama.ts';
import { openai } from '../openai.ts';
import { openaiCompatible } from '../openai-compatible.ts';
import { ModelCatalog } from './model-catalog.ts';
import { requirePrice, type UnknownModelPolicy } from './require-price.ts';

const modelCatalog = new ModelCatalog();
const mine = openaiCompatible({ name: 'mine', title: 'Mine', baseUrl: 'http://mine.invalid' });
const check = (provider: typeof openai, model: string, unknown: UnknownModelPolicy) =>
  requirePrice(modelCatalog.priced(provider, model), { provider, model }, unknown);

test('what is not known goes through, or is refused with its name', () => {
  for (const [provider, model] of [
    [openai, 'gpt-99'],
    [mine, 'llama'],
  ] as const) {
    check(provider, model, 'estimate');
    assert.throws(() => check(provider, model, 'refuse'), {
      code: 'model_not_priced',
      status: 400,
      message: new RegExp(`"${model}".*${provider.name}/${model}`),
    });
  }
});

test('what is known or free is never refused', () => {
  check(openai, 'gpt-4o', 'refuse');
  check(ollama, 'llama', 'refuse');
});
