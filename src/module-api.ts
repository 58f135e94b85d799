/** Everything that a module imports, built-in or from a package: `weir-gateway/module`. */

export { type Abilities, type Ability, abilitiesNeededBy } from './kernel/abilities.ts';
export { abstains, autoOption, holdoutOption, isHeldOut, stepsAside } from './kernel/abstention.ts';
export type { Attempt } from './kernel/attempt.ts';
export { cachedBytesOption, cacheScopeOption, ttlOption } from './kernel/cache-options.ts';
export {
  answererOf,
  bypassesCaches,
  type CachedAnswer,
  CachedAnswers,
  changesState,
  onCompleteAnswer,
  packAnswer,
  pricingMetadata,
  savingOf,
} from './kernel/cached-answers.ts';
export type { Caller } from './kernel/caller.ts';
export type { ClientRequest } from './kernel/client-request.ts';
export { recordAppendedCost } from './kernel/conversation/appended-cost.ts';
export {
  appendText,
  appendTexts,
  decideAppendedText,
  newestUserTextIndex,
  type PlacedText,
  recallAppendedTexts,
} from './kernel/conversation/appended-texts.ts';
export {
  cacheMarkersMax,
  canBeMarked,
  countBlockMarkers,
  countMarkers,
  type MarkerPosition,
  markerOf,
  requestMarkerOf,
  setMarker,
} from './kernel/conversation/cache-markers.ts';
export { type Conversation, providerConversationId } from './kernel/conversation/conversation.ts';
export type { DecisionLog } from './kernel/conversation/decision-log.ts';
export {
  digestOfMessage,
  digestOfSystem,
  digestOfText,
  digestOfTools,
} from './kernel/conversation/digest.ts';
export type { BreakReason, PrefixKit } from './kernel/conversation/prefix.ts';
export type { StepDecision, StepEstimate } from './kernel/conversation/prefix-step.ts';
export { defineCollection } from './kernel/define-collection.ts';
export { durationText } from './kernel/duration-text.ts';
export { endUserOf, endUserRefOf } from './kernel/end-user.ts';
export { GatewayError } from './kernel/errors.ts';
export type { Exchange } from './kernel/exchange.ts';
export { inputRatesOf } from './kernel/input-rates.ts';
export { defaultPageLimit, pageLimitSchema, textSchema } from './kernel/input-schemas.ts';
export { invalidFieldError, parseInput } from './kernel/input-validation.ts';
export { parseBody } from './kernel/json/parse-body.ts';
export { listText } from './kernel/list-text.ts';
export type * from './kernel/message.ts';
export { blocksOf, hasCompaction, isCompactionBlock, resultText } from './kernel/message-blocks.ts';
export { type MessagePassage, passagesOf } from './kernel/message-passages.ts';
export {
  type CheckedText,
  type CheckKit,
  type ConversationContext,
  defineModule,
  type Handler,
  type Kit,
  type ModelRequest,
  type Module,
  type ModuleFactory,
  type ModuleHost,
  type RunOptions,
  type StepAside,
} from './kernel/module.ts';
export type { Count, CountOptions, ModuleSlot } from './kernel/module-counters.ts';
export type { ModuleDefinitions } from './kernel/module-definitions.ts';
export type { ModulePage } from './kernel/module-page.ts';
export {
  defineModuleRoute,
  type ModuleRequest,
  type ModuleResponse,
  type ModuleRoute,
} from './kernel/module-route.ts';
export { type Bill, formatUsd, type NanoUsd, nanoOfPico, parseUsd } from './kernel/money.ts';
export { choosesOutputLimit } from './kernel/output-limit.ts';
export type {
  Archive,
  ArchivedItem,
  ArchivedItemInfo,
  ArchiveListOptions,
  ArchivePage,
  ArchiveSearchOptions,
  NewArchivedItem,
} from './kernel/ports/archive.ts';
export type {
  Budget,
  BudgetTag,
  CallBudget,
  Ceilings,
  Hold,
  HoldDecision,
  SpentByWindow,
  TagCeilings,
} from './kernel/ports/budget.ts';
export type { Candidate, ExpectedCost, FactSource } from './kernel/ports/candidates.ts';
export {
  type Collection,
  CollectionFullError,
  type Entries,
  type Entry,
  type EntryFilter,
  type EntryPage,
  type EntryQuery,
  type NewEntry,
  ValueTooLargeError,
} from './kernel/ports/collections.ts';
export type {
  EmbeddingFailureReason,
  EmbeddingResult,
  Embeddings,
  JudgeResult,
  TextPair,
  Vector,
} from './kernel/ports/embeddings.ts';
export type { EgressFetch, EgressRequest } from './kernel/ports/fetch.ts';
export type { BreakerState, TargetHealth } from './kernel/ports/health.ts';
export type {
  McpCompleteResult,
  McpInputRequiredResult,
  McpTool,
  McpToolDefinition,
  McpToolResult,
  McpTools,
} from './kernel/ports/mcp.ts';
export type { ModuleStore, StoredValue } from './kernel/ports/module-store.ts';
export type { Prices } from './kernel/ports/prices.ts';
export type { ScopedCache } from './kernel/ports/scoped-cache.ts';
export type {
  EntityLabel,
  InjectionScore,
  TaggedWord,
  TaggingResult,
  TextModels,
  UnreadReason,
} from './kernel/ports/text-models.ts';
export type { NewVector, VectorMatch, VectorSearchResult, Vectors } from './kernel/ports/vectors.ts';
export { chooseWire, type Provider, type Target, wiresOf } from './kernel/provider.ts';
export {
  type ContextEditing,
  type CostBound,
  costCeiling,
  type ModelPricing,
  type RateCard,
  type ToolSearch,
} from './kernel/rate-card.ts';
export { changeRelay, type InputList, type RelayRequest, type RelayRoute } from './kernel/relay.ts';
export { createContentReplacer } from './kernel/reply/content-replacer.ts';
export type { Ending } from './kernel/reply/ending.ts';
export { createPlaceholderReplacer } from './kernel/reply/placeholder-replacer.ts';
export { packRecording, type Recording, unpackRecording } from './kernel/reply/recording.ts';
export { readBytes, readRelayAnswer, relayAnswer, relayBytes } from './kernel/reply/relay-answer.ts';
export { Reply } from './kernel/reply/reply.ts';
export { type Source, sourceFromValue } from './kernel/reply/source.ts';
export { createTextReplacer, type TextMatch } from './kernel/reply/text-replacer.ts';
export { isRequestId } from './kernel/request-id.ts';
export { isTagName, type Tags, tagOf } from './kernel/tags.ts';
export type { GatewayTool, ToolAnswer, ToolCachePlan, ToolCallContext } from './kernel/tools/gateway-tool.ts';
export type { HiddenBlocks } from './kernel/tools/turn-history.ts';
export { hasFormatOnlyFields, withTools } from './kernel/tools/with-tools.ts';
export type { Trace } from './kernel/trace.ts';
export { removeClientBlocks, userOnlyTextOf, userTextOf } from './kernel/user-text.ts';
export { parseWeightedModel } from './kernel/weighted-model.ts';
export type { Clock } from './lib/clock.ts';
export { contentWords, isReordered, significantWords } from './lib/content-words.ts';
export { parseDuration } from './lib/duration.ts';
export { isEnglish } from './lib/english/is-english.ts';
export { canonicalJson, isJsonObject, type JsonObject, jsonObjectIn, parseExact } from './lib/json.ts';
export { Lru } from './lib/lru.ts';
export { scoreSalience } from './lib/passages/salience.ts';
export { scoreByWords } from './lib/passages/score-by-words.ts';
export { queryStemsOf } from './lib/passages/stems.ts';
export { splitIntoUnits } from './lib/passages/units.ts';
export { hashOfStem, hasWord, type WordSet, wordSetOf } from './lib/passages/word-set.ts';
export { isFreeOfSecrets, toPlainLine } from './lib/secret-shapes.ts';
export { seedOf } from './lib/seed-of.ts';
export { originalByteLength } from './lib/truncate-texts.ts';
export { Wildcard } from './lib/wildcard.ts';
export { isLostInRewrite } from './wire/foreign.ts';
export { mayHaveTwelveHourCache } from './wire/openai/prompt-cache-retention.ts';
export { changeRelayAnswer, isJsonType } from './wire/relay-format.ts';
export { SseParser } from './wire/sse.ts';
export { mapAnswerTexts } from './wire/texts/answer-texts.ts';
export { mapTexts, texts, unscannedParts } from './wire/texts/map-texts.ts';
export { mapRelayTexts, relayTexts } from './wire/texts/relay-texts.ts';
export type { MapText, RequestText, TextField, TextPlace, UnscannedPart } from './wire/texts/text-place.ts';
export { isThinkingBlock } from './wire/thinking-blocks.ts';
export { toolAnnotationsOf, withoutAnnotations } from './wire/tool-annotations.ts';
