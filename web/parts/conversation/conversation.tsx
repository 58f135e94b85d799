import { useState } from 'react';
import { Button } from '../controls.tsx';
import { count } from '../format.ts';
import { Blocks } from './blocks.tsx';
import { blocksOf, callsIn, isObject, messagesOf, resultsIn, type ShownMessage, textIn } from './content.ts';

interface ConversationProps {
  /** In the shape of Anthropic Messages. */
  readonly request: unknown;
  readonly answer: unknown;
}

const messagesShown = 20;
const roles: Readonly<Record<string, string>> = { user: 'User', assistant: 'Assistant', system: 'System' };

/** System prompt, tools, messages and answer in order; results of tools stand beside their calls. */
export function Conversation({ request, answer }: ConversationProps) {
  const [all, setAll] = useState(false);
  const answered: readonly ShownMessage[] = isObject(answer)
    ? [{ role: 'answer', blocks: blocksOf(answer.content) }]
    : [];
  const messages = messagesOf(request);
  const results = resultsIn(messages);
  const calls = callsIn(messages);
  const shown = messages
    .map(({ role, blocks }) => ({
      role,
      blocks: blocks.filter(({ type, tool_use_id: id }) => type !== 'tool_result' || !calls.has(id)),
    }))
    .filter(({ blocks }) => blocks.length > 0);
  const hidden = all ? 0 : Math.max(0, shown.length - messagesShown);
  const { system, tools } = isObject(request) ? request : {};
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {blocksOf(system).length > 0 && (
        <Turn title="System">
          <Blocks blocks={blocksOf(system)} />
        </Turn>
      )}
      {Array.isArray(tools) && tools.length > 0 && <Tools tools={tools} />}
      {hidden > 0 && (
        <Button look="quiet" className="self-start" onClick={() => setAll(true)}>
          Show {count(hidden)} earlier messages
        </Button>
      )}
      {[...shown.slice(hidden), ...answered].map(({ role, blocks }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other name, and keep their order
        <Turn key={index} title={role === 'answer' ? 'Answer' : (roles[role] ?? role)}>
          <Blocks blocks={blocks} results={results} />
        </Turn>
      ))}
    </div>
  );
}

function Turn({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-1">
      <h4 className="text-xs font-medium text-muted">{title}</h4>
      {children}
    </section>
  );
}

function Tools({ tools }: { readonly tools: readonly unknown[] }) {
  return (
    <details className="min-w-0 text-sm">
      <summary className="cursor-pointer text-xs font-medium text-muted">
        {count(tools.length)} {tools.length === 1 ? 'tool' : 'tools'}
      </summary>
      <ul className="mt-1.5 flex flex-col gap-1.5 border-l-2 border-line pl-2.5">
        {tools.filter(isObject).map((tool, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing says that names differ
          <li key={index} className="min-w-0">
            <bdi className="font-mono text-xs wrap-anywhere">{textIn(tool.name) || textIn(tool.type)}</bdi>
            <p dir="auto" className="line-clamp-2 text-xs wrap-anywhere text-muted">
              {textIn(tool.description)}
            </p>
          </li>
        ))}
      </ul>
    </details>
  );
}
