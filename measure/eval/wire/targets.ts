import { anthropicRefusals } from './refusals/anthropic.ts';
import { chatRefusals } from './refusals/chat.ts';
import {
  cerebrasRefusals,
  deepseekRefusals,
  groqRefusals,
  mistralRefusals,
  xaiRefusals,
} from './refusals/compatible.ts';
import { converseRefusals } from './refusals/converse.ts';
import { geminiRefusals } from './refusals/gemini.ts';
import { interactionsRefusals } from './refusals/interactions.ts';
import { openaiChatRefusals, openaiResponsesRefusals } from './refusals/openai.ts';
import type { Refusal } from './refusals/refusal.ts';

/** A model that calls are sent to, and what its provider is known to refuse. */
export interface Target {
  readonly provider: string;
  readonly model: string;
  /** The formats that its provider speaks, the one first that clients of others are served in. */
  readonly speaks: readonly string[];
  readonly refusals: readonly Refusal[];
}

const messages = 'anthropic.messages';
const chat = 'openai.chat';
const responses = 'openai.responses';
const gemini = 'gemini.generateContent';
const interactions = 'gemini.interactions';
const converse = 'bedrock.converse';

/** Of every provider models that differ in what they take. */
export const targets: readonly Target[] = [
  claude('claude-3-5-haiku-20241022'),
  claude('claude-sonnet-4-5'),
  claude('claude-opus-4-8'),
  { provider: 'openai', model: 'gpt-4o', speaks: [chat, responses], refusals: openaiChatRefusals },
  { provider: 'openai', model: 'gpt-5-mini', speaks: [chat, responses], refusals: openaiChatRefusals },
  { provider: 'openai', model: 'gpt-5.3-codex', speaks: [responses], refusals: openaiResponsesRefusals },
  { provider: 'mistral', model: 'mistral-large-2512', speaks: [chat], refusals: mistralRefusals },
  { provider: 'mistral', model: 'magistral-medium-latest', speaks: [chat], refusals: mistralRefusals },
  { provider: 'groq', model: 'openai/gpt-oss-120b', speaks: [chat, responses], refusals: groqRefusals },
  { provider: 'groq', model: 'llama-3.3-70b-versatile', speaks: [chat, responses], refusals: groqRefusals },
  { provider: 'cerebras', model: 'gpt-oss-120b', speaks: [chat], refusals: cerebrasRefusals },
  { provider: 'deepseek', model: 'deepseek-chat', speaks: [chat], refusals: deepseekRefusals },
  { provider: 'gemini', model: 'gemini-2.5-pro', speaks: [gemini, interactions], refusals: geminiRefusals },
  {
    provider: 'gemini',
    model: 'gemini-3-pro-preview',
    speaks: [gemini, interactions],
    refusals: geminiRefusals,
  },
  {
    provider: 'gemini',
    model: 'gemini-omni-1.1-flash',
    speaks: [interactions],
    refusals: interactionsRefusals,
  },
  { provider: 'xai', model: 'grok-4-0709', speaks: [chat, responses], refusals: xaiRefusals },
  {
    provider: 'openrouter',
    model: 'anthropic/claude-sonnet-4.5',
    speaks: [chat, responses],
    refusals: chatRefusals,
  },
  bedrock('eu.amazon.nova-lite-v1:0'),
  bedrock('us.meta.llama4-maverick-17b-instruct-v1:0'),
  bedrock('openai.gpt-oss-120b-1:0'),
  bedrock('arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3'),
];

function bedrock(model: string): Target {
  return { provider: 'bedrock', model, speaks: [converse], refusals: converseRefusals };
}

function claude(model: string): Target {
  return { provider: 'anthropic', model, speaks: [messages], refusals: anthropicRefusals };
}
