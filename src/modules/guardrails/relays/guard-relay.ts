import { setImmediate } from 'node:timers/promises';
import {
  changeRelay,
  type Exchange,
  GatewayError,
  type Handler,
  type Kit,
  mapRelayTexts,
  type RelayRequest,
  type Reply,
  type RequestText,
  relayTexts,
  type TextPlace,
} from '../../../module-api.ts';
import type { Finding } from '../finding.ts';
import type { InjectionScanner } from '../injection/injection-scanner.ts';
import { limits } from '../limits.ts';
import { mergeFindings } from '../merge-findings.ts';
import { noModelFindings, scanWithModels } from '../model-scan.ts';
import type { GuardrailsOptions } from '../options.ts';
import type { Policy } from '../policy.ts';
import { KnownValueSearch } from '../redaction/known-value-search.ts';
import { foundValues, hasReplacements, replaceFindings, takenIn } from '../redaction/redactor.ts';
import { createTextRestorer } from '../redaction/restorer.ts';
import { Vault } from '../redaction/vault.ts';
import { allFindings, blockRequest, reportFindings } from '../request-findings.ts';
import { createFinder } from '../scan-request.ts';
import type { ScannedText } from '../scanned-request.ts';
import type { TextMemory } from '../text-memory.ts';
import { guardAnswer } from './guard-answer.ts';

interface RelayGuard {
  readonly kit: Kit<GuardrailsOptions>;
  readonly input: Policy;
  readonly output: Policy;
  readonly memory: TextMemory<readonly Finding[]>;
  readonly entities: TextMemory<readonly Finding[]>;
  readonly injections: InjectionScanner;
}

/** Protects a call to an endpoint without a canonical form, such as embeddings. */
export async function guardRelay(exchange: Exchange, next: Handler, guard: RelayGuard): Promise<Reply> {
  const { kit, input, output } = guard;
  const { relay } = exchange;
  if (relay === undefined) throw new Error('this call is not a relay');
  if (relay.form !== undefined) {
    // Before the files arrive.
    if (kit.options.media === 'block') throw mediaError(relay.route.texts?.files ?? 'file');
    await relay.form.complete();
  }
  const { texts, unscanned } = relayTexts(exchange, relay);
  const scanned = await scanTexts(texts, guard);
  reportFindings(scanned.flatMap(allFindings), '', kit);
  for (const kind of new Set(unscanned.map((part) => part.kind))) kit.addNote({ unscanned: kind });
  blockRequest({ texts: scanned, unscanned }, input, kit.options);
  const [part] = unscanned;
  if (kit.options.media === 'block' && part !== undefined) throw mediaError(part.kind);
  const { relay: redacted, restore } = await redactRelay(exchange, relay, scanned, input);
  const reply = await next(redacted === relay ? exchange : exchange.with({ relay: redacted }));
  return guardAnswer(reply, exchange, { policy: output, kit, ...(kit.options.reversible && { restore }) });
}

/** Other calls go on in between. */
async function scanTexts(
  texts: readonly RequestText[],
  { kit, input, memory, entities, injections }: RelayGuard,
): Promise<readonly ScannedText[]> {
  const findingsIn = createFinder({ policy: input, memory, scope: kit.scope });
  const byPatterns: ScannedText[] = [];
  let turnAtMs = performance.now();
  for (const text of texts) {
    if (performance.now() - turnAtMs > limits.turnMs) {
      await setImmediate();
      turnAtMs = performance.now();
    }
    byPatterns.push({ ...text, findings: findingsIn(text.text, text) });
  }
  const isBlocked = input.mayBlock && byPatterns.some(({ findings }) => input.blocking(findings));
  const models = isBlocked
    ? noModelFindings
    : await scanWithModels(byPatterns, { kit, entities, injections });
  if (models === noModelFindings) return byPatterns;
  return byPatterns.map((text) => ({
    ...text,
    findings: mergeFindings(text.findings, models.entitiesIn(text.text, text)),
    isInjection: models.isInjection(text),
  }));
}

interface RedactedRelay {
  readonly relay: RelayRequest;
  /** Puts values back in place of their placeholders; undefined if nothing was replaced. */
  readonly restore?: (text: string) => string;
}

/**
 * Replaces what must be redacted. Inputs that are answered one by one have placeholders of their own, so that the answer to an input does
 * not depend on the others; all other texts share theirs.
 */
async function redactRelay(
  exchange: Exchange,
  relay: RelayRequest,
  texts: readonly ScannedText[],
  policy: Policy,
): Promise<RedactedRelay> {
  const redactions = new Map<number | undefined, TextsRedaction>();
  const values: Vault['values'][number][] = [];
  for (const [inputIndex, own] of Map.groupBy(texts, (text) => text.inputIndex)) {
    const found = foundValues(own, policy, () => '');
    if (found.length === 0 && !hasReplacements({ texts: own }, policy)) continue;
    const vault = Vault.ofTexts();
    await vault.add(found, takenIn(own));
    redactions.set(inputIndex, {
      vault,
      search: new KnownValueSearch(vault.values),
      findings: new Map(own.map((text) => [keyOf(text.text, text), text.findings])),
    });
    values.push(...vault.values);
  }
  if (redactions.size === 0) return { relay };
  const changes = mapRelayTexts(exchange, relay, (text, place) => {
    const redaction = redactions.get(place.inputIndex);
    return redaction === undefined ? text : redactText({ ...place, text }, redaction, policy);
  });
  const redacted = Object.keys(changes).length === 0 ? relay : changeRelay(relay, changes);
  return values.length === 0 ? { relay: redacted } : { relay: redacted, restore: createTextRestorer(values) };
}

interface TextsRedaction {
  readonly vault: Vault;
  /** Finds the values again in texts where the models did not see them. */
  readonly search: KnownValueSearch;
  /** By text and place. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

function redactText(
  { text, ...place }: RequestText,
  { vault, search, findings }: TextsRedaction,
  policy: Policy,
): string {
  const redacted = mergeFindings(
    (findings.get(keyOf(text, place)) ?? []).filter(({ kind }) => policy.actionFor(kind) === 'redact'),
    search.find(text, () => true),
  );
  return replaceFindings(text, redacted, { policy, vault }).text;
}

/** What is found in a text depends on its place. */
function keyOf(text: string, { field, name = '' }: TextPlace): string {
  return `${field} ${name}\n${text}`;
}

function mediaError(kind: string): GatewayError {
  return new GatewayError(
    'blocked_by_module',
    `guardrails: the request has content that can't be scanned (${kind}); the option "media=report" of guardrails allows it`,
    { detail: 'media', shouldRetry: false },
  );
}
