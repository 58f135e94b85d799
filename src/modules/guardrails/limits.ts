import { patternCharactersMax } from './recognizers/partial-patterns.ts';

/** Limits of guardrails. Each name has its unit. */
export const limits = {
  /** Custom rules in one pipeline. */
  rulesMax: 50,
  /** Texts shorter than this are scanned again rather than remembered. */
  rememberedCharactersMin: 32,
  /** Characters of texts whose findings, and whose redacted forms, a process remembers. */
  rememberedCharactersMax: 16 * 1024 * 1024,
  /** How long a scan works before it lets other calls go on. */
  turnMs: 5,
  /** How long a call waits for the local models, and how long if it needs them: their process takes half a second to start. */
  modelsMs: 1000,
  requiredModelsMs: 15_000,
  /** Values of a conversation that have placeholders; further ones are redacted, but can't be restored. */
  valuesMax: 5000,
  /** How long an answer that the provider stores can be referred to. */
  storedTurnSeconds: 30 * 86_400,
  /** Values stored together. */
  valuesAtOnce: 200,
  /** Longer values are redacted, but can't be restored. */
  valueCharactersMax: 16_384,
  /** Shorter values are found again only in the same context. */
  plainValueCharactersMin: 4,
  contextCharacters: 16,
  /** Characters of an answer scanned at once. */
  scannedAtOnce: 16_384,
  /** Characters of a streamed transcription, which is held until it ends. */
  heldStreamCharactersMax: 16 * 1024 * 1024,
  /** Characters of a stream held back at most, while they may become a finding. */
  heldCharactersMax: patternCharactersMax,
} as const;
