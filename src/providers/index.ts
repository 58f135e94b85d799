import type { Provider } from '../kernel/provider.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import { cerebras } from './cerebras.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import { demo } from './demo/demo.ts';
import { fireworks } from './fireworks.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { jina } from './jina.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import { openrouter } from './openrouter.ts';
import { together } from './together.ts';
import { vertex } from './vertex.ts';
import { vllm } from './vllm.ts';
import { voyage } from './voyage.ts';
import { weir } from './weir.ts';
import { xai } from './xai.ts';

/** The built-in providers. If two offer a model of the same name, the first in this list serves it. */
export const builtInProviders: readonly Provider[] = [
  anthropic,
  openai,
  gemini,
  mistral,
  deepseek,
  xai,
  groq,
  cerebras,
  together,
  fireworks,
  openrouter,
  cohere,
  voyage,
  jina,
  azure,
  bedrock,
  vertex,
  ollama,
  vllm,
  demo,
  weir,
];
