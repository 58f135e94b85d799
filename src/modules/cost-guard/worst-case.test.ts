import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requestFields } from '../../../test/support/request-fields.ts';
import { ClientPresence } from '../../kernel/client-presence.ts';
import { ClientRequest } from '../../kernel/client-request.ts';
import { Exchange } from '../../kernel/exchange.ts';
import { LazyJsonObject } from '../../kernel/json/lazy-json-object.ts';
import type { ChatRequest } from '../../kernel/message.ts';
import type { ModelPricing, RateCard } from '../../kernel/rate-card.ts';
import { Trace } from '../../kernel/trace.ts';
import { compileCard } from '../../providers/catalog/price-sheet.ts';
import { demo } from '../../providers/demo/demo.ts';
import { anthropicMessages, gemini, openaiChat, openaiResponses } from '../../wire/index.ts';
import { WorstCase } from './worst-case.ts';

const request: ChatRequest = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] };
const card = compileCard({ input: 1, output: 10 });
const modelPricing: ModelPricing = { card, estimated: false, contextTokens: 50_000, outputTokensMax: 4000 };

function exchangeOf(
  body: object,
  wire = anthropicMessages,
  model = 'm',
  headers: readonly string[] = [],
): Exchange {
  const fields = LazyJsonObject.of(Buffer.from(JSON.stringify(body)));
  return new Exchange({
    id: 'req_test',
    clientRequest: new ClientRequest({ wire, fields, headers, query: '' }),
    caller: { kind: 'local' },
    target: { provider: demo, model },
    presence: new ClientPresence(),
    trace: new Trace(0),
    credentials: { find: async () => undefined },
  });
}

function worstOf(body: object, over: { wire?: typeof openaiChat; model?: string; card?: RateCard } = {}) {
  const exchange = exchangeOf(body, over.wire, over.model);
  return new WorstCase(exchange, { ...modelPricing, card: over.card ?? card }, {});
}

const block = (content: object) => ({ ...request, messages: [{ role: 'user', content: [content] }] });
const data = 'A'.repeat(100_000);
const base64 = { type: 'base64', media_type: 'image/png', data };

test('text counts by its bytes', () => {
  const long = (content: string) =>
    worstOf({ ...request, messages: [{ role: 'user', content }] }).inputTokens;
  assert.equal(long('a'.repeat(10_000)) - long(''), 5000);
  assert.equal(long('水'.repeat(10_000)) - long(''), 15_000);
});

test('pictures count by their number, documents by their number and their bytes', () => {
  const image = worstOf(block({ type: 'image', source: base64 }));
  assert.ok(image.inputTokens > 5000 && image.inputTokens < 5400, String(image.inputTokens));
  const document = worstOf(block({ type: 'document', source: { ...base64, media_type: 'application/pdf' } }));
  assert.ok(document.inputTokens > 55_000 && document.inputTokens < 57_000, String(document.inputTokens));
  const shown = block({
    type: 'tool_result',
    tool_use_id: 't',
    content: [
      { type: 'image', source: base64 },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    ],
  });
  assert.ok(worstOf(shown).inputTokens > 10_000 && worstOf(shown).inputTokens < 10_500);
  const dear = worstOf(block({ type: 'image', source: base64 }), { model: 'gpt-4o-mini' });
  assert.ok(dear.inputTokens > 50_000);
});

test('pictures of every format are found', () => {
  const url = `data:image/png;base64,${data}`;
  const chat = {
    model: 'm',
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
  };
  const input = [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }];
  for (const { inputTokens } of [
    worstOf(chat, { wire: openaiChat }),
    worstOf({ model: 'm', input }, { wire: openaiResponses }),
  ])
    assert.ok(inputTokens > 5000 && inputTokens < 5400, String(inputTokens));
});

test('where the provider reads what is not in the request, the whole context counts', () => {
  const searching = { type: 'web_search_20250305', name: 'web_search' };
  const bodies: readonly [object, typeof openaiChat][] = [
    [{ ...request, tools: [searching] }, anthropicMessages],
    [{ ...request, mcp_servers: [{ type: 'url', url: 'https://example.com' }] }, anthropicMessages],
    [block({ type: 'document', source: { type: 'file', file_id: 'f' } }), anthropicMessages],
    [block({ type: 'document', source: { type: 'url', url: 'https://example.com' } }), anthropicMessages],
    [{ model: 'm', input: 'Hi', previous_response_id: 'resp_1' }, openaiResponses],
    [{ model: 'm', input: 'Hi', conversation: 'conv_1' }, openaiResponses],
    [{ model: 'm', input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }, openaiResponses],
    [{ model: 'm', input: [{ type: 'item_reference', id: 'i' }] }, openaiResponses],
    [{ ...request, web_search_options: {} }, openaiChat],
    [{ model: 'm', contents: { parts: { text: 'Hi' } }, cachedContent: 'cachedContents/1' }, gemini],
    [{ model: 'm', contents: { parts: { text: 'Hi' } }, tools: { code_execution: {} } }, gemini],
    [{ model: 'm', contents: { parts: { fileData: { fileUri: 'files/1' } } } }, gemini],
    [
      {
        model: 'm',
        contents: { parts: { fileData: { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' } } },
      },
      gemini,
    ],
    [block({ type: 'container_upload', file_id: 'f' }), anthropicMessages],
    [{ ...request, data_sources: [{ type: 'azure_search' }] }, openaiChat],
  ];
  for (const [body, wire] of bodies)
    assert.equal(worstOf(body, { wire }).inputTokens, 50_000, JSON.stringify(body));
  const { inputTokens, sentTokens } = worstOf({ ...request, tools: [searching] });
  assert.ok(sentTokens < inputTokens);
  assert.equal(worstOf(request, { model: 'groq/compound-beta' }).inputTokens, 50_000);
});

/** Fields of each format that name content stored by the provider, or that Weir doesn't know. */
const unsized: Readonly<Record<string, readonly string[]>> = {
  Messages: ['container', 'mcp_servers', 'thread', 'newest_field'],
  'Chat Completions': ['web_search_options', 'plugins', 'newest_field'],
  Responses: ['conversation', 'previous_response_id', 'prompt', 'newest_field'],
  Gemini: ['cachedContent', 'cached_content', 'continuationToken', 'newestField'],
};

test('of the fields of each format, those that may name something count as the whole context, and no others', () => {
  const wires = [anthropicMessages, openaiChat, openaiResponses, gemini];
  for (const [at, { format, plain, fields }] of requestFields.entries())
    for (const [field, values] of Object.entries(fields)) {
      if (field === 'tools') continue;
      const found = values.map((value) => {
        const body = { ...plain, model: 'm', [field]: value };
        const worst = worstOf(body, { wire: wires[at] ?? openaiChat });
        return worst.unboundedInput !== undefined && worst.inputTokens === 50_000;
      });
      assert.equal(found.includes(true), unsized[format]?.includes(field), `${format}: ${field}`);
    }
});

test('a thread that begins holds what its request holds, and one that goes on may hold anything', () => {
  const begun = worstOf({ ...request, thread: { type: 'create' } });
  assert.ok(begun.inputTokens < 1000);
  const { unboundedInput, inputTokens } = worstOf({
    ...request,
    thread: { type: 'continue', previous_message_id: 'msg_1' },
  });
  assert.deepEqual([unboundedInput, inputTokens], ['thread', 50_000]);
});

test('a beta that widens the context of a model widens what may be read', () => {
  const body = { ...request, thread: { type: 'continue', previous_message_id: 'msg_1' } };
  const headers = ['anthropic-beta', 'other-2025, context-1m-2025-08-07'];
  const widened = exchangeOf(body, anthropicMessages, 'm', headers);
  assert.equal(new WorstCase(widened, modelPricing, {}).inputTokens, 1_000_000);
});

test('searches are paid by the piece, as many as there may be', () => {
  const searching = compileCard({ input: 1, output: 10, webSearch: 10 });
  const searches = (tool: object) => {
    const body = { ...request, tools: [{ type: 'web_search_20250305', name: 'web_search', ...tool }] };
    return (worstOf(body, { card: searching }).cost - worstOf(body).cost) / 10_000_000;
  };
  assert.equal(searches({ max_uses: 3 }), 3);
  assert.equal(searches({}), 10);
});

test('a cache is reckoned with at the price of its time', () => {
  const caching = compileCard({ input: 1, output: 10, cacheWrite: 1.25, cacheWriteHour: 2 });
  const marked = (ttl: string) =>
    block({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl } });
  const inputCost = (body: object) => {
    const worst = worstOf(body, { card: caching });
    return worst.costWith(0) / worst.inputTokens;
  };
  assert.equal(inputCost(marked('5m')), 1250);
  assert.equal(inputCost(marked('1h')), 2000);
});

test('a cache of twelve hours is reckoned with wherever it is asked for', () => {
  const caching = compileCard({ input: 1, output: 10, cacheWrite: 1.25, cacheWriteHour: 2.5 });
  const inputCost = (body: object, wire = openaiResponses) => {
    const worst = worstOf(body, { card: caching, wire });
    return worst.costWith(0) / worst.inputTokens;
  };
  const asked = { model: 'm', input: 'Hi', max_output_tokens: 100 };
  assert.equal(inputCost({ ...asked, prompt_cache_options: { mode: 'implicit', ttl: '30m' } }), 1250);
  assert.equal(inputCost({ ...asked, prompt_cache_options: { mode: 'implicit', ttl: '12h' } }), 2500);
  const part = { type: 'input_text', text: 'Hi', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } };
  assert.equal(inputCost({ ...asked, input: [{ role: 'user', content: [part] }] }), 2500);
  const marked = { ...request, cache_control: { type: 'ephemeral', ttl: '1h' } };
  assert.equal(inputCost(marked, anthropicMessages), 2500);
});

test('what may be billed beside the answer is held', () => {
  const plain = worstOf(request);
  const dear = compileCard({ input: 5, output: 25 });
  const priceOf = (model: string) => (model === 'dear' ? { ...modelPricing, card: dear } : undefined);
  const further = (fields: object) => {
    const worst = new WorstCase(exchangeOf({ ...request, ...fields }), modelPricing, {}, priceOf);
    return { tokens: worst.inputTokens, cost: worst.cost - worst.inputTokens * 1000 - 100 * 10_000 };
  };
  assert.equal(further({}).cost, 0);
  const asked = further({ fallbacks: 'default' });
  assert.equal(asked.cost, asked.tokens * 1000 + 100 * 10_000);
  const named = further({ fallbacks: [{ model: 'dear', max_tokens: 50 }, { model: 'other' }] });
  assert.equal(named.cost, named.tokens * 6000 + 50 * 25_000 + 100 * 10_000);
  const edits = [{ type: 'compact_20260112' }];
  for (const fields of [{ compaction: { type: 'auto' } }, { context_management: { edits } }]) {
    const compacted = further(fields);
    assert.equal(compacted.cost, compacted.tokens * 1000 + 16_384 * 10_000);
  }
  const advisor = { type: 'advisor_20260301', name: 'advisor', model: 'dear', max_uses: 2, max_tokens: 500 };
  const advised = further({ tools: [advisor] });
  assert.equal(advised.cost, 2 * (advised.tokens * 5000 + 500 * 25_000));
  assert.ok(plain.cost < worstOf({ ...request, fallbacks: 'default' }).cost);
});

test('sound has its price only where there can be any', () => {
  const sounding = compileCard({ input: 1, output: 10, audioInput: 100, audioOutput: 200 });
  const plain = worstOf(request, { card: sounding });
  assert.equal(plain.cost, plain.inputTokens * 1000 + 100 * 10_000);
  const heard = {
    model: 'm',
    max_completion_tokens: 100,
    messages: [
      { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA', format: 'mp3' } }] },
    ],
  };
  const spoken = { ...request, modalities: ['text', 'audio'], audio: { voice: 'x', format: 'mp3' } };
  for (const body of [heard, spoken]) {
    const worst = worstOf(body, { wire: openaiChat, card: sounding });
    assert.equal(worst.cost, worst.inputTokens * 100_000 + 100 * 200_000);
  }
});

test('tiers, speeds and long inputs have their own prices', () => {
  const longInput = { above: 1000, input: 3, output: 30 };
  const tiered = compileCard({ input: 1, output: 10, longInput }, { factors: { priority: 2, fast: 6 } });
  const urgent = worstOf({ ...request, service_tier: 'priority' }, { wire: openaiChat, card: tiered });
  assert.equal(urgent.cost, 2 * (urgent.inputTokens * 1000 + 100 * 10_000));
  // A tier without a known price counts with the highest factor.
  const faster = worstOf({ ...request, service_tier: 'ultrafast' }, { wire: openaiChat, card: tiered });
  assert.equal(faster.cost, 6 * (faster.inputTokens * 1000 + 100 * 10_000));
  const google = {
    model: 'm',
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 100 },
  };
  for (const serviceTier of ['priority', 'SERVICE_TIER_PRIORITY']) {
    const first = worstOf({ ...google, serviceTier }, { wire: gemini, card: tiered });
    assert.equal(first.cost, 2 * (first.inputTokens * 1000 + 100 * 10_000));
  }
  const onVertex = exchangeOf(google, gemini, 'm', ['X-Vertex-AI-LLM-Shared-Request-Type', 'priority']);
  const header = new WorstCase(onVertex, { ...modelPricing, card: tiered }, {});
  assert.equal(header.cost, 2 * (header.inputTokens * 1000 + 100 * 10_000));
  // A cheaper tier may be full.
  const halved = compileCard({ input: 1, output: 10 }, { factors: { flex: 0.5 } });
  const flex = worstOf({ ...request, service_tier: 'flex' }, { wire: openaiChat, card: halved });
  assert.equal(flex.cost, flex.inputTokens * 1000 + 100 * 10_000);
  const fast = worstOf({ ...request, speed: 'fast' }, { card: tiered });
  assert.equal(fast.cost, 6 * (fast.inputTokens * 1000 + 100 * 10_000));
  const wide = worstOf({ ...request, system: 'x'.repeat(2000) }, { card: tiered });
  assert.equal(wide.cost, wide.inputTokens * 3000 + 100 * 30_000);
});

test('a limit that is found for a cost is the largest with which it is not passed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 500_000 }),
      fc.integer({ min: 0, max: 1_000_000_000 }),
      fc.integer({ min: 1, max: 4 }),
      (output, extra, n) => {
        const exchange = exchangeOf({ ...request, n }, openaiChat);
        const prices = { ...card, output, audioOutput: output };
        const worst = new WorstCase(exchange, { ...modelPricing, card: prices }, {});
        const cost = worst.costWith(0) + extra;
        const limit = worst.outputLimitFor(cost);
        assert.ok(limit >= 0 && worst.costWith(limit * n) <= cost);
        assert.ok(worst.costWith((limit + 2) * n) >= cost);
      },
    ),
  );
});

test('whatever is asked for, the worst case is a number', () => {
  const absurd = [
    { ...request, max_tokens: 1e308, n: 1e308 },
    { ...request, n: Number.MIN_VALUE, tools: [{ type: 'x', max_uses: 1e308 }] },
    {
      ...request,
      extensions: 5,
      output_config: 'none',
      thinking: { type: 'enabled', budget_tokens: 'many' },
    },
    block({ type: 'image' }),
    block({ type: 'document', source: null }),
    block({ type: 'tool_result', content: [null, 5, { type: 'image', source: 'x' }] }),
  ];
  for (const body of absurd) {
    const { cost, minimumCost } = worstOf(body);
    assert.ok(Number.isFinite(cost) && cost > 0 && minimumCost <= cost, JSON.stringify(body));
  }
});

test('a request that a module changed counts as it is now', () => {
  const exchange = exchangeOf(request);
  const grown = exchange.with({ request: { ...request, system: 'x'.repeat(10_000) } });
  assert.ok(new WorstCase(grown, modelPricing, {}).inputTokens > 5000);
});
