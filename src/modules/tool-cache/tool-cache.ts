import {
  abstains,
  type ChatRequest,
  type Exchange,
  hasFormatOnlyFields,
  isJsonObject,
  isLostInRewrite,
  type Kit,
  type Module,
  withoutAnnotations,
  withTools,
} from '../../module-api.ts';
import { idempotentToolsOf } from './idempotent-tools.ts';
import { repeatedCharsMin } from './limits.ts';
import { type ToolCacheOptions, toolCacheOptions } from './options.ts';
import { hasRepeatedResult, referRepeatedResults } from './repeated-results.ts';
import { recordSavings } from './savings.ts';

type ToolCacheKit = Kit<ToolCacheOptions>;

const name = 'tool-cache';

/** Folds repeated calls of an answer, and sends repeated results of a conversation once. */
export const toolCache: Module<ToolCacheOptions> = {
  api: 1,
  name,
  summary: 'Folds identical tool calls of an answer, and sends identical tool results once.',
  status: 'production',
  protective: false,
  order: 70,
  ifBroken: 'skip',
  touches: ['tools', 'history', 'newest-turn', 'output-limit', 'reply'],
  options: toolCacheOptions,
  toolAnswerSeconds: ({ ttl }) => ttl,

  async handle(received, next, kit) {
    const aside = skipReasonOf(received, kit.options);
    if (aside !== undefined) {
      kit.note({ aside });
      return next(received);
    }
    const foldable = foldableToolsOf(received, kit.options);
    const exchange = removeAnnotations(received, kit);
    const { request } = exchange;
    if ((foldable.size === 0 && !hasRepeatedResult(request)) || (await abstains(exchange, name, kit)))
      return next(exchange);
    return withTools([], {
      exchange,
      next,
      kit,
      ...(foldable.size > 0 && { isFoldable: (tool: string) => foldable.has(tool) }),
      arrange: (restored) => referResults(exchange, restored, kit),
    });
  },
};

function skipReasonOf(exchange: Exchange, options: ToolCacheOptions): string | undefined {
  if (isSmall(exchange, options)) return 'small';
  return hasFormatOnlyFields(exchange) ? 'request-fields' : undefined;
}

/** Whether the request is too small for repeated results and has no idempotent tools, as far as that is known without parsing it. */
function isSmall({ clientRequest, isUnmodified }: Exchange, { plan, idempotent }: ToolCacheOptions): boolean {
  const { buffer, byteOffset, byteLength } = clientRequest.bytes;
  if (!isUnmodified || idempotent.length > 0 || byteLength >= 2 * repeatedCharsMin) return false;
  const body = Buffer.from(buffer, byteOffset, byteLength);
  return plan === 'listed' || !(body.includes('readOnlyHint') || body.includes('idempotentHint'));
}

/** The tools whose repeated calls are folded; none if the answer can't be rewritten. */
function foldableToolsOf({ request }: Exchange, options: ToolCacheOptions): ReadonlySet<string> {
  return request.tools?.some(isLostInRewrite) === true ? new Set() : idempotentToolsOf(request, options);
}

function removeAnnotations(exchange: Exchange, kit: ToolCacheKit): Exchange {
  const { request } = exchange;
  const { tools = [] } = request;
  const plain = withoutAnnotations(tools);
  const edited = { ...request, tools: plain };
  return plain === tools || !kit.prefix.isPreserved(edited) ? exchange : exchange.with({ request: edited });
}

/** The request with references in place of repeated results, unless that would break a prefix that the provider has cached. */
async function referResults(
  exchange: Exchange,
  request: ChatRequest,
  kit: ToolCacheKit,
): Promise<ChatRequest> {
  if (kit.mayBeShortenedDownstream) {
    kit.note({ aside: 'order' });
    return request;
  }
  const referred = await referRepeatedResults(request, kit.decisions, !isTrimmedByProvider(exchange));
  if (referred.count === 0) return request;
  if (!kit.prefix.isPreserved(referred.request)) {
    kit.note({ aside: 'prefix' });
    return request;
  }
  kit.note({ referred: referred.count });
  recordSavings(exchange, referred, kit);
  return referred.request;
}

/** Whether the provider itself may leave out earlier results. */
function isTrimmedByProvider({ request, clientRequest: { fields } }: Exchange): boolean {
  const managed = fields.get('context_management');
  const edits: unknown = request.context_management?.edits ?? managed;
  return (
    fields.get('truncation') === 'auto' ||
    (Array.isArray(edits) &&
      edits.some((edit) => isJsonObject(edit) && !String(edit.type).startsWith('clear_thinking')))
  );
}
