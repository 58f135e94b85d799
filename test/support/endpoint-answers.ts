/** What a provider answers at an endpoint without a canonical form; undefined at any other. */
export function endpointAnswer(url: string): object | undefined {
  return answers.find(([path]) => url.endsWith(path))?.[1];
}

const answers: readonly (readonly [string, object])[] = [
  [
    '/embeddings',
    {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }],
      model: 'embedding-1',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    },
  ],
  [
    '/images/generations',
    {
      created: 1,
      data: [{ b64_json: 'AAAA' }],
      usage: { input_tokens: 9, output_tokens: 90, total_tokens: 99 },
    },
  ],
  ['/audio/speech', { sound: 'AAAA' }],
  ['/rerank', { results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } }],
  ['/v2/embed', { embeddings: { float: [[0.25, -0.5]] }, meta: { billed_units: { input_tokens: 4 } } }],
];
