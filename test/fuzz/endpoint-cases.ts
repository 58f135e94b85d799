import type { JsonObject } from '../../src/lib/json.ts';
import type { Case } from './cases.ts';
import type { Dialect } from './dialects.ts';
import { goodAnswer, hostileAnswer } from './hostile-answer.ts';
import { mutatedJson } from './mutated-json.ts';
import type { Random } from './random.ts';

/** An endpoint without a canonical form: a good request to it and a good answer. */
interface Endpoint extends Pick<Dialect, 'name' | 'whole' | 'frames'> {
  readonly path: string;
  readonly model: string;
  readonly request: JsonObject;
  /** Whether the request is a form with a file. */
  readonly isForm?: true;
  /** Whether its provider has another form. */
  readonly isTranslated?: true;
  readonly streams?: true;
}

const usage = { prompt_tokens: 3, total_tokens: 3, input_tokens: 3, output_tokens: 1 };
const vectors = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [0.1, -0.2] }],
  model: 'm',
  usage,
};
const pictures = { created: 1, data: [{ b64_json: 'AAAA', revised_prompt: 'a <EMAIL_1>' }], usage };
const ranking = {
  results: [{ index: 0, relevance_score: 0.5, document: { text: 'x <EMAIL_1>' } }],
  meta: { billed_units: { search_units: 1 } },
};
const transcript = {
  text: 'To <EMAIL_1>',
  segments: [{ text: 'To' }],
  words: [{ word: 'To' }],
  usage,
  duration: 2,
};
const mail = 'write to ann@example.com';
const documents = [mail, { text: 'b', image: 'A'.repeat(40) }];

const endpoints: readonly Endpoint[] = [
  {
    ...{ name: 'embeddings', path: '/v1/embeddings', model: 'text-embedding-3-small' },
    ...{ request: { input: [mail, 'b'], dimensions: 2, user: 'x' }, whole: vectors, frames: [] },
  },
  {
    ...{ name: 'embeddings of tokens', path: '/v1/embeddings', model: 'text-embedding-3-small' },
    ...{ request: { input: [[1, 2], [3]], encoding_format: 'base64' }, whole: vectors, frames: [] },
  },
  {
    ...{
      name: 'embeddings at Cohere',
      path: '/v1/embeddings',
      model: 'cohere/embed-v4.0',
      isTranslated: true,
    },
    request: { input: Array.from({ length: 100 }, (_, at) => `${mail} ${at}`), encoding_format: 'base64' },
    whole: { embeddings: { float: [[0.1, 0.2]] }, meta: { billed_units: { input_tokens: 3 } } },
    frames: [],
  },
  {
    ...{ name: 'embeddings at Voyage', path: '/v1/embeddings', model: 'voyage-3.5', isTranslated: true },
    ...{ request: { input: mail, dimensions: 2 }, whole: vectors, frames: [] },
  },
  {
    ...{ name: 'embeddings at Mistral', path: '/v1/embeddings', model: 'mistral-embed', isTranslated: true },
    ...{ request: { input: [mail], encoding_format: 'base64' }, whole: vectors, frames: [] },
  },
  {
    ...{ name: 'pictures', path: '/v1/images/generations', model: 'gpt-image-1', streams: true },
    ...{ request: { prompt: mail, n: 2, partial_images: 1 }, whole: pictures },
    frames: [
      { event: 'image_generation.partial_image', data: { b64_json: 'AA', partial_image_index: 0 } },
      { event: 'image_generation.completed', data: { b64_json: 'AA', revised_prompt: '<EMAIL_1>', usage } },
    ],
  },
  {
    ...{ name: 'edits', path: '/v1/images/edits', model: 'gpt-image-1', isForm: true },
    ...{ request: { prompt: mail, n: '2', image: '' }, whole: pictures, frames: [] },
  },
  {
    ...{
      name: 'transcriptions',
      path: '/v1/audio/transcriptions',
      model: 'whisper-1',
      isForm: true,
      streams: true,
    },
    ...{ request: { file: '', prompt: mail, language: 'en' }, whole: transcript },
    frames: [
      { event: '', data: { type: 'transcript.text.delta', delta: 'To <EM' } },
      { event: '', data: { type: 'transcript.text.delta', delta: 'AIL_1>' } },
      { event: '', data: { type: 'transcript.text.done', text: 'To <EMAIL_1>', usage } },
    ],
  },
  {
    ...{ name: 'speech', path: '/v1/audio/speech', model: 'tts-1', streams: true },
    ...{ request: { input: mail, voice: 'alloy' }, whole: { sound: 'x' } },
    frames: [{ event: '', data: { type: 'speech.audio.done', audio: 'AA', usage } }],
  },
  {
    ...{ name: 'moderations', path: '/v1/moderations', model: 'omni-moderation-latest' },
    request: {
      input: [
        { type: 'text', text: mail },
        { type: 'image_url', image_url: { url: 'https://x.example/a' } },
      ],
    },
    ...{ whole: { id: 'm', results: [{ flagged: false }] }, frames: [] },
  },
  {
    ...{ name: 'ranking', path: '/v2/rerank', model: 'cohere/rerank-v3.5' },
    ...{ request: { query: mail, documents, top_n: 1 }, whole: ranking, frames: [] },
  },
  {
    ...{ name: 'ranking at Voyage', path: '/v1/rerank', model: 'rerank-2.5', isTranslated: true },
    ...{ request: { query: mail, documents: [mail] }, frames: [] },
    whole: { data: [{ index: 0, relevance_score: 0.5, document: 'x' }], usage },
  },
];

const pipelines = [
  '',
  'exact-cache',
  'guardrails?models=off',
  'guardrails?models=off&media=report&output=redact',
  'guardrails?models=off&media=report&output=block&pii=monitor',
  'exact-cache,guardrails?models=off&media=report,cost-guard?request=1000',
];

/** A call with a fault in its request or in its answer. */
export function endpointCase(number: number, random: Random): Case {
  const endpoint = random.pick(endpoints);
  const { model, path, isForm, isTranslated, streams } = endpoint;
  const streamed = streams === true && random.happens(0.5);
  const isHostileClient = random.happens(0.5);
  const pipeline = random.pick(pipelines);
  const dialect: Dialect = { ...endpoint, path: () => path, models: [model], requests: [endpoint.request] };
  const fields = { ...endpoint.request, model, ...(streamed && { stream: true }) };
  return {
    ...{ side: 'endpoints', number, streamed, path },
    client: dialect,
    // Only bytes that nobody translates can be compared.
    provider: isTranslated === true ? { ...dialect } : dialect,
    headers: [
      ...(pipeline === '' ? [] : ['x-weir-pipeline', pipeline]),
      ...(isForm === true ? ['content-type', 'multipart/form-data; boundary=b'] : []),
    ],
    body: isForm === true ? formOf(fields, random, isHostileClient) : jsonOf(fields, random, isHostileClient),
    answer: isHostileClient ? goodAnswer(dialect, streamed) : hostileAnswer(dialect, streamed, random),
    leaves: random.happens(0.05),
  };
}

function jsonOf(fields: JsonObject, random: Random, isHostile: boolean): string {
  if (!isHostile) return JSON.stringify(fields);
  const json = mutatedJson(fields, random, random.happens(0.3) ? 2 : 1);
  return random.happens(0.95) ? json : json.slice(0, random.below(json.length));
}

const oddParts = [
  '--b--\r\n',
  '--b\r\n',
  '--bb\r\n',
  '\r\n',
  '--b\r\n\r\n\r\n',
  '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\ngpt-image-1\r\n',
  '--b\r\ncontent-disposition: form-data; name=n\r\n\r\n-7\r\n',
  '--b\r\ncontent-disposition: form-data; name="n"; filename="n"\r\n\r\n9\r\n',
  '--b\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\nx\r\n',
  '--b\r\ncontent-disposition: form-data; name="prompt"\r\ncontent-transfer-encoding: base64\r\n\r\nYQ==\r\n',
  `--b\r\ncontent-disposition: form-data; name="prompt"\r\n\r\n${'x '.repeat(600_000)}\r\n`,
  `--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n${'y'.repeat(1_200_000)}\r\n`,
  `--b\r\nx: ${'h'.repeat(20_000)}\r\n\r\n`,
  '--b\r\ncontent-disposition: form-data; name="q"\r\n\r\nz\r\n'.repeat(1100),
];

/** A form whose parts stand in any order. */
function formOf(fields: JsonObject, random: Random, isHostile: boolean): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const more = name === 'file' || name === 'image' ? '; filename="f.bin"' : '';
    return `--b\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${String(value)}\r\n`;
  });
  if (isHostile) {
    const turn = random.next();
    const at = random.below(parts.length + 1);
    if (turn < 0.6) parts.splice(at, 0, random.pick(oddParts));
    else if (turn < 0.8) parts.splice(random.below(parts.length), 1);
    else parts.reverse();
  } else if (random.happens(0.5)) parts.reverse();
  const form = `${parts.join('')}--b--\r\n`;
  return isHostile && random.happens(0.2) ? form.slice(0, random.below(form.length)) : form;
}
