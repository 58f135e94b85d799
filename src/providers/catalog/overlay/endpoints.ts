import type { Overlay } from '../model-entry.ts';

/** Rerank by the search. Cohere's pricing page could not be read; this is the price in LiteLLM's list. */
export const cohere: Overlay = {
  sources: ['https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json'],
  checkedOn: '2026-11-19',
  models: [
    {
      id: 'rerank-v3.5',
      names: ['rerank-english-v3.0', 'rerank-multilingual-v3.0'],
      prices: { input: 0, output: 0, units: { searches: 2 } },
    },
  ],
};

/**
 * Rerank by the token. Voyage's pricing page could not be read; these three lists agree. MongoDB's page confirms that the query counts with
 * each document.
 */
export const voyage: Overlay = {
  sources: [
    'https://www.getmaxim.ai/bifrost/model-library/provider/voyage',
    'https://usagepricing.com/blueprint/voyage-ai',
    'https://openrouter.ai/voyageai',
    'https://www.mongodb.com/docs/vector-search/query/native-reranking/billing/',
  ],
  checkedOn: '2026-11-19',
  models: [
    { id: 'rerank-2.5', names: ['rerank-2', 'rerank-3'], prices: { input: 0.05, output: 0 } },
    { id: 'rerank-2.5-lite', names: ['rerank-2-lite', 'rerank-3-lite'], prices: { input: 0.02, output: 0 } },
  ],
};
