/** Everything that a module imports, one of ours or of a package of its own: `weir-gateway/module`. */
export { bytesOfText } from './kernel/abridged.ts';
export type { Attempt } from './kernel/attempt.ts';
export type { Caller } from './kernel/caller.ts';
export { isClean, plain } from './kernel/cleansed.ts';
export type { Clock } from './kernel/clock.ts';
export { contentWords, isTurned, tellingWords } from './kernel/content-words.ts';
export type { Conversation } from './kernel/conversation/conversation.ts';
export { digestOfTools } from './kernel/conversation/digest.ts';
export type { Ledger } from './kernel/conversation/ledger.ts';
export type { PrefixKit } from './kernel/conversation/prefix.ts';
export type { Expected, StepDecision } from './kernel/conversation/step.ts';
export { parseDuration } from './kernel/duration.ts';
export { GatewayError } from './kernel/errors.ts';
export type { Exchange } from './kernel/exchange.ts';
export { fingerprint } from './kernel/fingerprint.ts';
export { canonicalJson, isJsonObject, type JsonObject, parseExact } from './kernel/json.ts';
export {
  changesState,
  type KeptAnswer,
  KeptAnswers,
  packAnswer,
  priceFacts,
  refusesCaches,
  savedBy,
  whenWhole,
} from './kernel/kept-answers.ts';
export { keptBytesOption, ttlOption } from './kernel/kept-options.ts';
export { Lru } from './kernel/lru.ts';
export type * from './kernel/message.ts';
export {
  defineModule,
  type Handler,
  type Kit,
  type Module,
  type ModuleHost,
  type ModuleMaker,
  type Question,
  type Setting,
} from './kernel/module.ts';
export { type Bill, formatUsd, type NanoUsd, nanoOfPico } from './kernel/money.ts';
export { choosesOutputLimit } from './kernel/output-limit.ts';
export { accountScope, isFromWords, unnamedScope } from './kernel/pattern-scopes.ts';
export { patternsModule, vectorPartOf } from './kernel/pattern-vectors.ts';
export { personOf, personRef } from './kernel/person.ts';
export type { Archive, NewArchived } from './kernel/ports/archive.ts';
export type {
  Embedded,
  Embeddings,
  Judged,
  TextPair,
  Vector,
  WhyNoVectors,
} from './kernel/ports/embeddings.ts';
export type { ModuleStore, StoredValue } from './kernel/ports/module-store.ts';
export type {
  Forged,
  Gist,
  Pattern,
  Patterns,
  PatternTrial,
  PatternTrigger,
  Verdict,
} from './kernel/ports/patterns.ts';
export type { Prices } from './kernel/ports/prices.ts';
export type { Ceilings, Hold, HoldDecision, Purse, Spent } from './kernel/ports/purse.ts';
export type { Shelf } from './kernel/ports/shelves.ts';
export type { FoundVector, NewVector, Vectors, VectorsFound } from './kernel/ports/vectors.ts';
export { type Provider, type Target, wiresOf, wireTowards } from './kernel/provider.ts';
export {
  type ContextEditing,
  type CostBound,
  costCeiling,
  type Priced,
  type RateCard,
  type ToolSearch,
} from './kernel/rate-card.ts';
export type { Received } from './kernel/received.ts';
export type { Ending } from './kernel/reply/ending.ts';
export { packRecording, type Recording, unpackRecording } from './kernel/reply/recording.ts';
export { type Found, replacing } from './kernel/reply/replacing.ts';
export { Reply } from './kernel/reply/reply.ts';
export { isThought } from './kernel/thoughts.ts';
export type { AnsweredTool, ToolAnswer, ToolCall } from './kernel/tools/answered-tool.ts';
export { isBeyondUs, withTools } from './kernel/tools/with-tools.ts';
