import { type ChatRequest, type Exchange, isJsonObject, wiresOf } from '../../module-api.ts';
import { CostFactors } from './cost-factors.ts';

/** What a call can have for input at most, as far as its request tells. */
export interface InputBound {
  readonly tokens: number;
  readonly factors: CostFactors;
}

/**
 * Numbers of tokens, fitted to recorded calls with `npm run eval:cost-bound`, so that hardly one in a thousand is above
 * the bound. docs/decisions/0014-cost-guard.md has what was measured.
 */
const tokenCoefficients = {
  /** For a byte of the body: long texts have up to 0.35, Chinese and lists of numbers up to 0.46. */
  perByte: 0.5,
  /** What providers say to their models before everything else. */
  base: 200,
  /** How to call tools, to keep to a schema or to quote a document is explained to the model. */
  explained: 700,
  /** A mode of reasoning may come with instructions of its own. */
  mode: 2000,
  /** One picture in full resolution, or the first page of a document; its bytes come on top. */
  media: 5000,
  /** Each tool that the provider describes to the model by itself. */
  describedTool: 800,
} as const;

/** Counts pictures as thirty times as many tokens as its siblings do, at a price that makes up for it. */
const modelsWithCostlyMedia = /gpt-4o-mini/;
const higherMedia = 50_000;

/** No tokenizer runs here: what is long is counted by its length. */
export function inputBound(
  { clientRequest, isUnmodified, target }: Exchange,
  request: ChatRequest,
): InputBound {
  const isTranslated = !wiresOf(target).includes(clientRequest.wire);
  const factors = new CostFactors(request, isTranslated);
  // What a module changed, or an earlier call had in it, isn't what came in.
  const bytes = isUnmodified ? clientRequest.bytes.byteLength : Buffer.byteLength(JSON.stringify(request));
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
