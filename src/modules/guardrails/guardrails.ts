import {
  chooseWire,
  defineModule,
  type Exchange,
  type Kit,
  type Message,
  type ModuleFactory,
  type Reply,
} from '../../module-api.ts';
import { checkText } from './check-text.ts';
import type { Finding } from './finding.ts';
import { InjectionScanner } from './injection/injection-scanner.ts';
import { limits } from './limits.ts';
import { noModelFindings, scanWithModels } from './model-scan.ts';
import {
  type GuardrailsOptions,
  guardrailsConfiguration,
  guardrailsOptions,
  strictestOptions,
} from './options.ts';
import { enforceOutput } from './output/enforce-output.ts';
import { createOutputMonitor } from './output/output-monitor.ts';
import { Policy } from './policy.ts';
import { exceptOutside } from './redaction/outside-tools.ts';
import { type RedactedMessage, type RedactedText, redactRequest } from './redaction/redactor.ts';
import { createRestorer } from './redaction/restorer.ts';
import { keepValues } from './redaction/stored-turns.ts';
import { guardRelay } from './relays/guard-relay.ts';
import { allFindings, blockRequest, reportFindings } from './request-findings.ts';
import { createRuleDefinitions } from './rules/rule-definitions.ts';
import { type ScannedMessage, scanRequest } from './scan-request.ts';
import { type ScannedRequest, type ScannedText, withModelFindings } from './scanned-request.ts';
import { TextMemory } from './text-memory.ts';

/** Keeps personal data and secrets from providers, and reports or blocks what must not enter or leave. */
export const guardrails: ModuleFactory<GuardrailsOptions> = () => {
  const found = new TextMemory<readonly Finding[]>(limits.rememberedCharactersMax);
  const entities = new TextMemory<readonly Finding[]>(limits.rememberedCharactersMax);
  const injections = new InjectionScanner();
  const scannedMessages = new WeakMap<Message, ScannedMessage>();
  const redactedMessages = new WeakMap<Message, RedactedMessage>();
  const redacted = new TextMemory<RedactedText>(limits.rememberedCharactersMax);
  const policies = new WeakMap<GuardrailsOptions, Policies>();

  const policiesFor = (options: GuardrailsOptions): Policies => {
    const known = policies.get(options);
    if (known !== undefined) return known;
    const made = { input: new Policy(options, 'input'), output: new Policy(options, 'output') };
    policies.set(options, made);
    return made;
  };

  return defineModule({
    api: 1,
    name: 'guardrails',
    summary: 'Redacts personal data and secrets, and reports or blocks what must not enter or leave.',
    status: 'production',
    protective: true,
    order: 90,
    ifBroken: 'reject',
    touches: ['redaction', 'reply'],
    options: guardrailsOptions,
    configuration: guardrailsConfiguration,
    definitions: createRuleDefinitions<GuardrailsOptions>(),
    strictest: strictestOptions,
    features: ['guardrails'],

    check: checkText,

    async warmUp({ options, textModels }) {
      if (options.models !== 'off')
        await textModels.tagEntities('Hello', { deadlineMs: limits.requiredModelsMs });
    },

    async handle(exchange, next, kit) {
      const policy = policiesFor(kit.options);
      const byPatterns = await scanRequest(exchange, {
        policy: policy.input,
        memory: found,
        messages: scannedMessages,
        scope: kit.scope,
      });
      const isBlocked =
        policy.input.mayBlock && byPatterns.texts.some(({ findings }) => policy.input.blocking(findings));
      const models = isBlocked
        ? noModelFindings
        : await scanWithModels(byPatterns.texts, { kit, entities, injections });
      const scanned = models === noModelFindings ? byPatterns : withModelFindings(byPatterns, models);
      reportRequest(exchange, scanned, kit);
      blockRequest(scanned, policy.input, kit.options);
      const request = await redactRequest(exchange, scanned, {
        policy: policy.input,
        memory: redacted,
        messages: redactedMessages,
        kit,
      });
      if (!request.isStored) kit.note({ placeholders: 'not-stored' });
      const answered = await next(request.exchange);
      const packedValues = storesAnswers(exchange) ? request.packValues() : undefined;
      if (packedValues !== undefined) keepValues(answered, packedValues, kit);
      const reply = guardOutput(answered, policy.output, kit);
      if (request.values.length === 0 || !kit.options.reversible) return reply;
      const thoughts = hasUnsignedThoughts(request.exchange);
      const restorer = createRestorer(request.values, { thoughts });
      return kit.restore(reply, exceptOutside(restorer, exchange.trace.gatewayTools));
    },

    handlesRoute: ({ texts }) => texts !== undefined,

    handleRelay: (exchange, next, kit) =>
      guardRelay(exchange, next, { kit, ...policiesFor(kit.options), memory: found, entities, injections }),
  });
};

/** In these formats a request may refer to an earlier answer by its id. */
function storesAnswers({ clientRequest }: Exchange): boolean {
  return clientRequest.wire.name === 'openai-responses' || clientRequest.wire.name === 'gemini-interactions';
}

/** In this format nobody checks whether a thought comes back unchanged. */
function hasUnsignedThoughts({ target, clientRequest }: Exchange): boolean {
  return chooseWire(target, clientRequest.wire)?.name === 'openai-chat';
}

interface Policies {
  readonly input: Policy;
  readonly output: Policy;
}

/** Counts what this call adds to its conversation; earlier calls have counted the rest. */
function reportRequest(
  exchange: Exchange,
  { texts, unscanned }: ScannedRequest,
  kit: Kit<GuardrailsOptions>,
): void {
  const { messages } = exchange.request;
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  const isNew = ({ messageIndex = -1 }: ScannedText) => lastAnswer < 0 || messageIndex > lastAnswer;
  reportFindings(texts.filter(isNew).flatMap(allFindings), '', kit);
  for (const kind of new Set(unscanned.map((part) => part.kind))) kit.addNote({ unscanned: kind });
}

/** Reports, replaces or stops what the policy finds in the answer, before placeholders get their values back. */
function guardOutput(reply: Reply, policy: Policy, kit: Kit<GuardrailsOptions>): Reply {
  if (policy.isIdle) return reply;
  const reportOutput = (findings: readonly Finding[]) => {
    reportFindings(findings, 'output.', kit);
    const blocked = policy.blocking(findings);
    if (blocked !== undefined) kit.note({ blocked: blocked.kind });
  };
  return policy.mayBlock || policy.mayRedact
    ? enforceOutput(reply, policy, (finding) => reportOutput([finding]))
    : reply.tap(createOutputMonitor(policy, reportOutput));
}
