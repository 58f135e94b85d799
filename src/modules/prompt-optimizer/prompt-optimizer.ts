import {
  type ChatRequest,
  chooseWire,
  countMarkers,
  defineModule,
  digestOfText,
  digestOfTools,
  type Exchange,
  hasFormatOnlyFields,
  isHeldOut,
  type Kit,
  stepsAside,
} from '../../module-api.ts';
import { type ArrangedContent, arrangeContent, unarranged } from './arrange.ts';
import {
  type IdentifiedCall,
  identifyCall,
  type Recollection,
  recallCalls,
  storeCall,
} from './call-memory.ts';
import type { CallRecord } from './call-record.ts';
import { digestSent, findFirstDifference } from './explain-break.ts';
import { charsPerToken, requestBytesMin } from './limits.ts';
import { type PromptOptimizerOptions, promptOptimizerOptions } from './options.ts';
import { type MarkerPlan, placeMarkers } from './place-markers.ts';
import { cacheKeyOf, needsMarkers, pausesOf, planMarkers } from './plan-markers.ts';
import { recordSavings } from './savings.ts';
import { addCall } from './traffic.ts';

const name = 'prompt-optimizer';

type OptimizerKit = Kit<PromptOptimizerOptions>;

/** Makes the same request cost less: by the provider's cache, and by leaving out what carries no meaning. */
export const promptOptimizer = defineModule<PromptOptimizerOptions>({
  api: 1,
  name,
  summary: "Arranges prompts for the provider's cache, and leaves out what carries no meaning.",
  status: 'production',
  protective: false,
  order: 95,
  ifBroken: 'skip',
  touches: ['tools', 'system', 'history', 'newest-turn', 'settings'],
  options: promptOptimizerOptions,

  async handle(exchange, next, kit) {
    const isSmall = exchange.clientRequest.bytes.byteLength < requestBytesMin;
    if (isSmall || hasFormatOnlyFields(exchange)) {
      kit.note({ aside: isSmall ? 'small' : 'request-fields' });
      return next(exchange);
    }
    const atMs = kit.clock.now();
    const call = identifyCall(exchange, kit);
    const recollection = await recallCalls(call, kit.cache);
    const side = await chooseSide(call, recollection, kit);
    if (side === 'aside') return next(exchange);
    const known = { call, recollection, atMs };
    const sent = side === 'without' ? leaveAlone(exchange, call) : optimize(exchange, known, kit);
    noteBreak(exchange.with({ request: sent.content.request }), recollection, kit);
    const outgoing = sent.request === exchange.request ? exchange : exchange.with({ request: sent.request });
    const reply = await next(outgoing);
    return reply.onEnd(() => remember(exchange, { ...known, sent, isHeldOut: side === 'without' }, kit));
  },
});

interface KnownCall {
  readonly call: IdentifiedCall;
  readonly recollection: Recollection;
  /** When it arrived: lifetimes in caches count from there. */
  readonly atMs: number;
}

/** What is sent in place of the client's request. */
interface SentRequest {
  readonly request: ChatRequest;
  /** Without markers. */
  readonly content: ArrangedContent;
  /** A digest of what it shares with others: the tools, and the instructions or their first piece. */
  readonly head: string;
  readonly lifetime: CallRecord['lifetime'];
}

/** A conversation keeps its side. Values in its instructions don't matter, unlike in the name that the gateway gives it. */
async function chooseSide(
  { conversation }: IdentifiedCall,
  { last }: Recollection,
  kit: OptimizerKit,
): Promise<'with' | 'without' | 'aside'> {
  if (last === undefined && (await stepsAside(kit))) return 'aside';
  const { holdout } = kit.options;
  const isLeftAlone = last?.isHeldOut ?? isHeldOut(name, conversation, holdout);
  if (holdout > 0 || isLeftAlone) kit.recordTrial(isLeftAlone);
  if (isLeftAlone) kit.note({ aside: 'holdout' });
  return isLeftAlone ? 'without' : 'with';
}

function leaveAlone(exchange: Exchange, call: IdentifiedCall): SentRequest {
  const content = unarranged(exchange, call);
  return { request: exchange.request, content, head: call.head, lifetime: null };
}

function optimize(exchange: Exchange, known: KnownCall, kit: OptimizerKit): SentRequest {
  const { call, recollection, atMs } = known;
  const content = arrange(exchange, known, kit);
  const isShared = content.decisions.sharedChars > 0;
  const head = isShared ? digestOfSharedHead(content.request) : call.head;
  const observed = { atMs, head, last: recollection.last, isShared };
  const plan = planMarkers(exchange, recollection, observed, kit);
  const marked = plan === undefined ? content.request : placeMarkers(content.request, plan);
  const cacheKey = kit.options.markers === 'off' ? undefined : cacheKeyOf(exchange, call);
  const request = cacheKey === undefined ? marked : withCacheKey(marked, cacheKey, exchange);
  const isMarked = marked !== content.request;
  const isUnmarkedClient = isMarked && !hasMarkers(exchange.request);
  recordSavings(exchange, { ...content, isUnmarkedClient }, kit);
  noteChanges(exchange, { content, plan, marked }, kit);
  const lifetime = isMarked && plan?.newest === true ? plan.lifetime : null;
  return { request, content, head, lifetime };
}

/** A digest of the tools and of the instructions that other conversations share. */
function digestOfSharedHead(request: ChatRequest): string {
  const [shared] = typeof request.system === 'object' ? request.system : [];
  return digestOfText(`${digestOfTools(request)} ${shared?.text ?? ''}`);
}

/** The arranged content, unless it would break a prefix that the provider has cached. */
function arrange(exchange: Exchange, { call, recollection }: KnownCall, kit: OptimizerKit): ArrangedContent {
  const content = arrangeContent(exchange, call, recollection, kit);
  const { request } = exchange;
  if (kit.prefix.isPreserved(content.request) || !kit.prefix.isPreserved(request)) return content;
  kit.note({ aside: 'prefix' });
  return unarranged(exchange, call);
}

function hasMarkers(request: ChatRequest): boolean {
  const { outside, inside } = countMarkers(request);
  return outside + inside > 0;
}

function withCacheKey(
  request: ChatRequest,
  cacheKey: string,
  { target, clientRequest }: Exchange,
): ChatRequest {
  const wire = chooseWire(target, clientRequest.wire)?.name ?? '';
  const fields = { ...request.extensions?.[wire], prompt_cache_key: cacheKey };
  return { ...request, extensions: { ...request.extensions, [wire]: fields } };
}

interface Changes {
  readonly content: ArrangedContent;
  readonly plan: MarkerPlan | undefined;
  readonly marked: ChatRequest;
}

function noteChanges(exchange: Exchange, { content, plan, marked }: Changes, kit: OptimizerKit): void {
  const { isReordered, hasKeptSystem, omittedChars } = content;
  const before = countMarkers(exchange.request);
  const after = countMarkers(marked);
  const markers = after.outside + after.inside - before.outside - before.inside;
  const tokens = Math.round((omittedChars.fresh + omittedChars.earlier) / charsPerToken);
  if (markers > 0) kit.note({ markers, ttl: plan?.lifetime ?? '5m' });
  else if (needsMarkers(exchange))
    kit.note({ aside: before.outside + before.inside > 0 ? 'marked' : 'one-shot' });
  if (tokens > 0) kit.note({ minified: tokens });
  if (hasKeptSystem) kit.note({ system: 'kept' });
  if (isReordered) kit.note({ tools: 'reordered' });
}

/** Says where a conversation differs from what its last call sent, so that its provider can't read all of it from its cache. */
function noteBreak(sent: Exchange, { sent: before }: Recollection, kit: OptimizerKit): void {
  if (before === undefined) return;
  const { breakReason } = kit.prefix;
  const difference = breakReason === 'model' ? 'model' : findFirstDifference(sent, before);
  const reason = difference ?? (breakReason === 'expired' ? 'expired' : undefined);
  if (reason !== undefined) kit.note({ break: reason });
}

/** Stored once the provider has answered, before the client sees the end of it. */
async function remember(
  exchange: Exchange,
  { call, recollection, atMs, sent, isHeldOut: isLeftAlone }: KnownCall & RememberedCall,
  kit: OptimizerKit,
): Promise<void> {
  const { last, traffic, order, shared } = recollection;
  const { pauses, short, long } = pausesOf(last, atMs);
  const own: CallRecord = {
    atMs,
    calls: pauses + 1,
    short,
    long,
    isHeldOut: isLeftAlone,
    lifetime: sent.lifetime,
    ...sent.content.decisions,
  };
  const stored = {
    own,
    traffic: addCall(traffic, { atMs, head: sent.head, last }),
    sent: digestSent(exchange.with({ request: sent.content.request }), atMs),
    order,
    shared,
  };
  await storeCall(call, stored, kit.cache);
}

interface RememberedCall {
  readonly sent: SentRequest;
  readonly isHeldOut: boolean;
}
