import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { isJsonObject, type JsonObject } from '../src/lib/json.ts';
import { FakeUpstream } from '../src/testing/fake-upstream.ts';
import { startTestGateway } from '../src/testing/test-gateway.ts';
import { call, type RawAnswer } from './support/call.ts';
import { answerNumberIn, numberedAnswers } from './support/numbered-answers.ts';
import { type RequestFields, requestFields } from './support/request-fields.ts';

const fake = await FakeUpstream.start(numberedAnswers());
const weir = await startTestGateway({
  WEIR_ANTHROPIC_BASE_URL: fake.url,
  WEIR_OPENAI_BASE_URL: fake.url,
  WEIR_GEMINI_BASE_URL: fake.url,
  // Without vectors, semantic-cache answers by its keys alone.
  WEIR_EMBEDDINGS: 'off',
});
after(async () => {
  await weir.close();
  await fake.close();
});

const caches = ['exact-cache?scope=account', 'semantic-cache?shadow=0&scope=account'] as const;

interface Asking {
  readonly path: string;
  readonly headers: readonly string[];
  readonly body: JsonObject;
}

function ask({ path, headers, body }: Asking, pipeline: string): Promise<RawAnswer> {
  return call(weir.url, { path, headers: [...headers, 'x-weir-pipeline', pipeline], body });
}

/** Fields that name what the provider knows and the request doesn't say. */
const kept: readonly (readonly [format: string, field: string, mine: unknown, yours: unknown])[] = [
  ['Responses', 'previous_response_id', 'resp_seven', 'resp_nine'],
  ['Responses', 'conversation', 'conv_seven', 'conv_nine'],
  ['Responses', 'prompt', { id: 'pmpt_seven' }, { id: 'pmpt_nine' }],
  ['Gemini', 'cachedContent', 'cachedContents/seven', 'cachedContents/nine'],
  [
    'Messages',
    'thread',
    { type: 'continue', previous_message_id: 'seven' },
    { type: 'continue', previous_message_id: 'nine' },
  ],
];

for (const [format, field, mine, yours] of kept)
  for (const cache of caches)
    test(`${cache}: ${format}, the same words with another ${field} are another question`, async () => {
      const { path, headers, plain } = named(format);
      const first = await ask({ path, headers, body: { ...plain, [field]: mine } }, cache);
      const second = await ask({ path, headers, body: { ...plain, [field]: yours } }, cache);
      assert.deepEqual([first.status, second.status], [200, 200]);
      assert.notEqual(answerNumberIn(second.text), answerNumberIn(first.text));
    });

for (const [format, field] of [
  ['Responses', 'conversation'],
  ['Messages', 'thread'],
  ['Messages', 'container'],
] as const)
  for (const cache of caches)
    test(`${cache}: ${format}, a call that changes its ${field} is never answered from memory`, async () => {
      const { path, headers, plain } = named(format);
      const asking = { path, headers, body: { ...plain, [field]: 'one' } };
      const [first, second] = [await ask(asking, cache), await ask(asking, cache)];
      assert.notEqual(answerNumberIn(second.text), answerNumberIn(first.text));
      assert.equal(second.headers['x-weir-cache'], 'bypass');
    });

for (const fields of requestFields) {
  const { format, path, headers, plain, rich, harmless } = fields;

  for (const cache of caches) {
    test(`${cache}: ${format}, any change to a request asks the provider`, async () => {
      const bodies = [
        ...changesOf(plain).map((change) => ({ ...change, what: `plain: ${change.what}` })),
        ...changesOf(rich).map((change) => ({ ...change, what: `rich: ${change.what}` })),
        ...additionsTo(fields),
      ];
      const seen = new Map<string, string>();
      for (let at = 0; at < bodies.length; at += 8)
        await Promise.all(
          bodies.slice(at, at + 8).map(async ({ what, body }) => {
            const { text, status } = await ask({ path, headers, body }, cache);
            const count = status === 200 ? answerNumberIn(text) : undefined;
            if (count === undefined) return;
            assert.equal(seen.get(count), undefined, `"${what}" got the answer to "${seen.get(count)}"`);
            seen.set(count, what);
          }),
        );
      assert.ok(seen.size > bodies.length * 0.7, `only ${seen.size} of ${bodies.length} were answered`);
    });

    test(`${cache}: ${format}, what can't change an answer makes no difference`, async () => {
      const first = await ask({ path, headers, body: plain }, cache);
      for (const [field, value] of Object.entries(harmless)) {
        const again = await ask({ path, headers, body: { ...plain, [field]: value } }, cache);
        assert.equal(answerNumberIn(again.text), answerNumberIn(first.text), field);
      }
    });

    test(`${cache}: ${format}, a header of the provider's API or a query asks the provider`, async () => {
      const prefix = format === 'Messages' ? 'anthropic-' : format === 'Gemini' ? 'x-goog-' : 'openai-';
      const seen = new Set<string | undefined>();
      const variants: readonly Asking[] = [
        { path, headers, body: plain },
        ...['beta', 'version', 'organization', 'project', 'brand-new'].flatMap((name) =>
          ['a', 'b'].map((value) => {
            const others = headers.filter((_, at) => headers[at - (at % 2)] !== prefix + name);
            return { path, headers: [...others, prefix + name, value], body: plain };
          }),
        ),
        { path: `${path}?beta=true`, headers, body: plain },
        { path, headers: [headers[0] ?? '', `${headers[1]}-other`, ...headers.slice(2)], body: plain },
        ...(format === 'Gemini'
          ? [{ path: path.replace('2.5-flash', '2.5-pro'), headers, body: plain }]
          : []),
      ];
      for (const variant of variants) {
        const { text, status } = await ask(variant, cache);
        assert.equal(status, 200);
        seen.add(answerNumberIn(text));
      }
      assert.equal(seen.size, variants.length);
    });
  }
}

function named(format: string): RequestFields {
  const found = requestFields.find((one) => one.format === format);
  assert.ok(found !== undefined);
  return found;
}

interface Change {
  readonly what: string;
  readonly body: JsonObject;
}

/** A request, and with one thing in it changed, left out or added, anywhere. */
function changesOf(body: JsonObject): readonly Change[] {
  const changes: Change[] = [{ what: 'as it is', body }];
  const visit = (value: unknown, place: readonly string[]) => {
    const told = place.join('.');
    const withValue = (other: unknown) => replaced(body, place, other);
    if (place.length > 0) changes.push({ what: `without ${told}`, body: withValue(undefined) });
    if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, [...place, String(at)]);
    else if (isJsonObject(value)) {
      changes.push({ what: `more in ${told}`, body: withValue({ ...value, brand_new: 'a' }) });
      for (const [field, inner] of Object.entries(value)) visit(inner, [...place, field]);
    } else changes.push({ what: `another ${told}`, body: withValue(other(value)) });
  };
  visit(body, []);
  return changes;
}

function other(value: unknown): unknown {
  if (typeof value === 'number') return value / 2;
  if (typeof value === 'boolean') return !value;
  return typeof value === 'string' ? `${value}x` : 'x';
}

function replaced(value: unknown, place: readonly string[], by: unknown): JsonObject {
  const whole = replacedIn(value, place, by);
  return isJsonObject(whole) ? whole : {};
}

function replacedIn(value: unknown, [first, ...rest]: readonly string[], by: unknown): unknown {
  if (first === undefined) return by;
  if (Array.isArray(value)) {
    const inner = replacedIn(value[Number(first)], rest, by);
    return inner === undefined
      ? value.filter((_, at) => at !== Number(first))
      : value.map((item: unknown, at) => (at === Number(first) ? inner : item));
  }
  return isJsonObject(value) ? { ...value, [first]: replacedIn(value[first], rest, by) } : value;
}

function additionsTo({ format, plain, fields }: RequestFields): readonly Change[] {
  const top = Object.entries(fields).flatMap(([field, values]) =>
    values.map((value) => ({
      what: `plain with ${field}: ${JSON.stringify(value)}`,
      body: { ...plain, [field]: value },
    })),
  );
  if (format !== 'Gemini') return top;
  const { generationConfig } = plain;
  const config = Object.entries(geminiConfig).flatMap(([field, values]) =>
    values.map((value) => ({
      what: `plain with generationConfig.${field}: ${JSON.stringify(value)}`,
      body: { ...plain, generationConfig: { ...Object(generationConfig), [field]: value } },
    })),
  );
  return [...top, ...config];
}

const geminiConfig: RequestFields['fields'] = {
  topP: [0.1, 0.2],
  topK: [1, 2],
  candidateCount: [2, 3],
  responseLogprobs: [true, false],
  logprobs: [1, 2],
  presencePenalty: [0.1, 0.2],
  frequencyPenalty: [0.1, 0.2],
  seed: [1, 2],
  responseMimeType: ['application/json', 'text/x.enum'],
  responseSchema: [{ type: 'OBJECT' }, { type: 'STRING' }],
  responseJsonSchema: [{ type: 'object' }, { type: 'string' }],
  routingConfig: [{ a: 1 }, { a: 2 }],
  responseModalities: [['TEXT'], ['IMAGE']],
  mediaResolution: ['A', 'B'],
  speechConfig: [{ a: 1 }, { a: 2 }],
  audioTimestamp: [true, false],
  thinkingConfig: [{ thinkingBudget: 100 }, { thinkingBudget: 200 }],
  imageConfig: [{ a: 1 }, { a: 2 }],
  brandNew: ['a', 'b'],
};
