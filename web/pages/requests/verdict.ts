import type { LoggedCall } from '../../api/queries.ts';
import type { Tone } from '../../parts/states.tsx';

interface Verdict {
  readonly tone: Tone;
  readonly text: string;
}

/** How a call went, in a word or two. */
export function verdictOf(call: LoggedCall): Verdict {
  const { status, ending, error_code: code, modules } = call;
  const by = modules.find(({ effect }) => effect === 'answered');
  if (status >= 500) return { tone: 'failed', text: `${status} ${wordsOf(code)}`.trim() };
  if (status >= 400) return { tone: 'refused', text: `${status} ${wordsOf(code)}`.trim() };
  if (ending === 'failed') return { tone: 'failed', text: `broke off ${wordsOf(code)}`.trim() };
  if (ending === 'aborted') return { tone: 'plain', text: 'client left' };
  if (by !== undefined) return { tone: 'saved', text: `hit ${by.name}` };
  return { tone: 'plain', text: String(status) };
}

function wordsOf(code: string | null): string {
  return (code ?? '').replaceAll('_', ' ').slice(0, 22);
}

/** What a module did, as a sentence. */
export function sentenceOf({ name, effect, facts }: LoggedCall['modules'][number]): string {
  switch (effect) {
    case 'passed':
      return Object.keys(facts).length === 0
        ? `${name} let it pass.`
        : `${name} looked at it and let it pass.`;
    case 'changed-request':
      return `${name} changed the request before it went out.`;
    case 'changed-reply':
      return `${name} changed the answer on its way back.`;
    case 'changed-both':
      return `${name} changed the request before it went out, and the answer on its way back.`;
    case 'answered':
      return `${name} answered from memory; no provider was asked.`;
    case 'rejected':
      return `${name} refused the call.`;
    case 'broken':
      return `${name} broke, and the call went on as it is set up to.`;
    default:
      return `${name}: ${effect}.`;
  }
}

/** What the gateway itself did to a call, and why. */
export function changesIn(call: LoggedCall): readonly string[] {
  const { wire_format: wire, provider_wire_format: asked, model, model_used: used, changes } = call;
  const named = (kind: string) => changes.filter(({ what }) => what === kind).map(({ name }) => name);
  const [leftOut, added] = [named('left-out'), named('header')];
  const said: string[] = [];
  if (used !== null && used !== model) said.push(`Asked for as ${model}, which is ${used} here.`);
  if (asked !== null && asked !== wire)
    said.push(`Translated from ${wire} to ${asked} and back, since the provider speaks no ${wire}.`);
  if (leftOut.length > 0)
    said.push(`Left out, as ${asked ?? 'the provider'} has no place for it: ${leftOut.join(', ')}.`);
  if (asked !== null)
    said.push(
      'Headers towards the provider: the credential for it, via and accept-encoding; credentials for the gateway and x-weir-* stayed here.',
    );
  said.push(
    `Headers of the answer: x-request-id, x-weir-modules, x-weir-cache, x-weir-overhead-ms${call.streamed ? '' : ', x-weir-cost-usd'}${added.map((name) => `, ${name}`).join('')}.`,
  );
  return said;
}
