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
