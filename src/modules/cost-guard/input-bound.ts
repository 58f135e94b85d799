import {
  type ChatRequest,
  type Exchange,
  isJsonObject,
  type Message,
  type Tool,
  wiresOf,
} from '../../module-api.ts';
import { CostFactors } from './cost-factors.ts';

/** An upper bound of a call's input tokens, estimated from its request. */
export interface InputBound {
  readonly tokens: number;
  readonly factors: CostFactors;
}

/**
 * Token counts, fitted to recorded calls with `npm run eval:cost-bound` so that about one in a thousand exceeds the
 * bound. docs/decisions/0014-cost-guard.md has the measurements.
 */
const tokenCoefficients = {
  /** Per byte of the body: long texts need up to 0.35, Chinese and lists of numbers up to 0.46. */
  perByte: 0.5,
  /** The provider's own system prompt. */
  base: 200,
  /** Instructions for tool calls, schemas and citations, which the provider adds. */
  explained: 700,
  /** Instructions that come with a reasoning mode. */
  mode: 2000,
  /** One picture in full resolution, or the first page of a document; its bytes are added. */
  media: 5000,
  /** Each tool that the provider itself describes to the model. */
  describedTool: 800,
} as const;

/** Bills a picture as thirty times as many tokens as similar models, at a lower price per token. */
const modelsWithCostlyMedia = /gpt-4o-mini/;
const higherMedia = 50_000;

/** Estimates by byte length, without a tokenizer. */
export function inputBound(
  { clientRequest, isUnmodified, target }: Exchange,
  request: ChatRequest,
): InputBound {
  const isTranslated = !wiresOf(target).includes(clientRequest.wire);
  const factors = new CostFactors(request, isTranslated);
  // A modified request differs from the received bytes.
  const bytes = isUnmodified ? clientRequest.bytes.byteLength : jsonBytesOf(request);
  const perMedia = modelsWithCostlyMedia.test(target.model) ? higherMedia : tokenCoefficients.media;
  const tokens =
    Math.ceil(Math.max(0, bytes - factors.pictureBytes) * tokenCoefficients.perByte) +
    tokenCoefficients.base +
    (factors.needsInstructions ? tokenCoefficients.explained : 0) +
    (isJsonObject(factors.fields.reasoning) && factors.fields.reasoning.mode != null
      ? tokenCoefficients.mode
      : 0) +
    factors.providerTools * tokenCoefficients.describedTool +
    factors.media * perMedia;
  return { tokens, factors };
}

function jsonBytesOf({ messages, tools, ...rest }: ChatRequest): number {
  const lists = { messages: [], ...(tools !== undefined && { tools: [] }) };
  const items = [...messages, ...(tools ?? [])];
  return items.reduce((sum, item) => sum + itemBytesOf(item), jsonLength({ ...rest, ...lists }));
}

/** Most messages and tools of a conversation were measured for an earlier call. */
const bytesByItem = new WeakMap<Message | Tool, number>();

function itemBytesOf(item: Message | Tool): number {
  const known = bytesByItem.get(item);
  if (known !== undefined) return known;
  const bytes = jsonLength(item) + separatorBytes;
  bytesByItem.set(item, bytes);
  return bytes;
}

function jsonLength(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const separatorBytes = 1;
