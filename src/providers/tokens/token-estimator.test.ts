import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { ChatRequest } from '../../kernel/message.ts';
import { demo } from '../demo/demo.ts';
import { groq } from '../groq.ts';
import { limits } from '../limits.ts';
import { openai } from '../openai.ts';
import { TokenEstimator } from './token-estimator.ts';

const estimator = new TokenEstimator();
after(() => estimator.close());

const says = (content: string): ChatRequest => ({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
const gpt4o = { provider: openai, model: 'gpt-4o' };
const estimate = (request: ChatRequest) => estimator.estimate(request, gpt4o);

/** What a message by itself adds to its text. */
const around = 7;

describe('an estimate', () => {
  test('is what OpenAI counts, for a plain message', async () => {
    assert.equal(await estimate(says('Hello')), around + 1);
    assert.equal(await estimate(says('antidisestablishmentarianism')), around + 6);
  });

  // The example of OpenAI's cookbook, with the count that their API reports.
  test('is close to what OpenAI counts, with a tool', async () => {
    const tokens = await estimate({
      model: 'gpt-4o',
      system: 'You are a helpful assistant that can answer to questions about the weather.',
      messages: [{ role: 'user', content: "What's the weather like in San Francisco?" }],
      tools: [
        {
          name: 'get_current_weather',
          description: 'Get the current weather in a given location',
          input_schema: {
            type: 'object',
            properties: {
              location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
              unit: {
                type: 'string',
                description: 'The unit of temperature to return',
                enum: ['celsius', 'fahrenheit'],
              },
            },
            required: ['location'],
          },
        },
      ],
    });
    assert.ok(Math.abs(tokens - 101) <= 5, String(tokens));
  });

  test('goes by the model, and not by who serves it', async () => {
    const request = says('Hello');
    const oss = await estimator.estimate(request, { provider: groq, model: 'openai/gpt-oss-120b' });
    assert.ok(oss > (await estimate(request)));
  });

  test('is the count of the provider itself, where it counts by itself', async () => {
    const resolved = { provider: demo, model: 'demo-1' };
    assert.equal(await estimator.estimate(says('Hello'), resolved), demo.countTokens?.(says('Hello')));
  });

  test('refuses a block that is not one, as the call itself would', async () => {
    const broken = JSON.parse('{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text"}]}]}');
    await assert.rejects(estimate(broken), { code: 'invalid_request' });
  });
});

describe('traps', () => {
  test('what looks like a special token is text', async () => {
    for (const special of ['<|endoftext|>', '<|im_start|>', '<|fim_prefix|>', '<|endofprompt|>'])
      assert.ok((await estimate(says(`before ${special} after`))) > around + 3, special);
  });

  test('100,000 equal characters count as they would in one piece', async () => {
    assert.equal(await estimate(says('a'.repeat(100_000))), around + 100_000 / 8);
    assert.ok((await estimate(says(' '.repeat(100_000)))) < around + 1500);
    assert.ok((await estimate(says('ab'.repeat(50_000)))) <= around + 50_000);
    assert.ok((await estimate(says('水'.repeat(100_000)))) <= around + 100_000);
  });

  test('a word of 300 letters is cut, and counts the same but for the cut', async () => {
    const word = 'antidisestablishmentarianism'.repeat(11);
    const pieces = Math.ceil(word.length / limits.tokenizedRunMax);
    assert.ok(Math.abs((await estimate(says(word))) - (around + 66)) <= 3 * pieces);
  });

  test('a character of two units is not cut in half', async () => {
    const one = (await estimate(says('🌊'))) - around;
    const many = (await estimate(says('🌊'.repeat(1000)))) - around;
    assert.ok(many <= 1000 * one, `${many} and ${one}`);
  });

  test('a text beyond all measure is counted from a sample of it', async () => {
    const paragraph = 'Water finds its own level, and a weir holds it back.\n';
    const inOne = (await estimate(says(paragraph.repeat(100)))) - around;
    const inAll = (await estimate(says(paragraph.repeat(200_000)))) - around;
    assert.ok(Math.abs(inAll / (2000 * inOne) - 1) < 0.01, `${inAll} and ${inOne}`);
  });

  test('the thread that answers calls goes on while a long text is counted', async () => {
    let turns = 0;
    const turning = setInterval(() => turns++, 1);
    // No two words alike, so that nothing is remembered: some tenths of a second.
    const words = Array.from({ length: 40_000 }, (_, at) => ((at * 2_654_435_761) % 2 ** 32).toString(36));
    await estimate(says(words.join('x')));
    clearInterval(turning);
    assert.ok(turns > 10, String(turns));
  });

  test('more counts than may wait are answered all the same', async () => {
    const text = 'Water finds its own level. '.repeat(100);
    const all = await Promise.all(
      Array.from({ length: 3 * limits.pendingTokenCountsMax }, () => estimate(says(text))),
    );
    const exact = Math.min(...all);
    for (const tokens of all) assert.ok(tokens <= 1.2 * exact, `${tokens} and ${exact}`);
  });

  test('a tokenizer that ended is started again', async () => {
    const own = new TokenEstimator();
    assert.equal(await own.estimate(says('Hello'), gpt4o), around + 1);
    await own.close();
    assert.equal(await own.estimate(says('Hello'), gpt4o), around + 1);
    await own.close();
  });
});
