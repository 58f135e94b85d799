import type { CheckedText, CheckKit, JsonObject, RequestText } from '../../module-api.ts';
import type { Finding } from './finding.ts';
import { InjectionScanner } from './injection/injection-scanner.ts';
import { limits } from './limits.ts';
import { noModelFindings, scanWithModels } from './model-scan.ts';
import type { Action, GuardrailsOptions } from './options.ts';
import { Policy } from './policy.ts';
import { placeholderFor } from './redaction/placeholders.ts';
import { TextMemory } from './text-memory.ts';

interface CheckedFinding extends Finding {
  readonly action: Action;
}

/** What the options do with a text, as in a message of a user or in an answer. */
export async function checkText(
  { text, direction }: CheckedText,
  kit: CheckKit<GuardrailsOptions>,
): Promise<JsonObject> {
  const { options } = kit;
  const policy = new Policy(options, direction);
  const message: RequestText = { text, field: 'message', role: 'user' };
  let models: JsonObject = { models: options.models === 'off' ? 'off' : 'on' };
  const byModels =
    direction === 'output'
      ? noModelFindings
      : await scanWithModels([message], {
          kit: {
            ...kit,
            note(facts) {
              models = facts;
            },
          },
          entities: new TextMemory<readonly Finding[]>(limits.rememberedCharactersMax),
          injections: new InjectionScanner(),
        });
  const findings = policy
    .findBeside(text, byModels.entitiesIn(text, message))
    .map((finding) => ({ ...finding, action: policy.actionFor(finding.kind) }))
    .filter(({ action }) => action !== 'off');
  const isInjection = byModels.isInjection(message);
  const isBlocked = isInjection && policy.actionFor('INJECTION') === 'block';
  return {
    findings,
    isInjection,
    redacted: redact(text, findings, policy),
    blockedBy: policy.blocking(findings)?.kind ?? (isBlocked ? 'INJECTION' : null),
    ...(direction === 'input' && models),
  };
}

function redact(text: string, findings: readonly CheckedFinding[], policy: Policy): string {
  const numbers = new Map<string, number>();
  const placeholders = new Map<string, string>();
  let redacted = '';
  let at = 0;
  for (const { start, end, kind, action } of findings) {
    if (action !== 'redact') continue;
    const value = text.slice(start, end);
    const number = numbers.get(kind) ?? 0;
    const placeholder = placeholders.get(value) ?? placeholderFor(kind, number + 1);
    if (!placeholders.has(value)) numbers.set(kind, number + 1);
    placeholders.set(value, placeholder);
    redacted += text.slice(at, start) + (policy.replacementFor(kind) ?? placeholder);
    at = end;
  }
  return redacted + text.slice(at);
}
