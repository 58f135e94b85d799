import type { Overlay } from '../model-entry.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { deepseek } from './deepseek.ts';
import { cohere, voyage } from './endpoints.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { mistral } from './mistral.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { vertex } from './vertex.ts';
import { xai } from './xai.ts';

/** Overlays on the price data, by provider name. */
export const overlays: ReadonlyMap<string, Overlay> = new Map(
  Object.entries({
    ...{
      anthropic,
      bedrock,
      cohere,
      deepseek,
      gemini,
      groq,
      mistral,
      openai,
      openrouter,
      vertex,
      voyage,
      xai,
    },
    // The same models at the same list prices.
    azure: openai,
  }),
);
