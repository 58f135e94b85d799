import { useState } from 'react';
import { Button } from './controls.tsx';
import type { DiffRun } from './diff.ts';
import { count } from './format.ts';

const looks = {
  same: '',
  removed: 'bg-failed-soft text-failed',
  added: 'bg-saved-soft text-saved',
} as const;
const marks = { same: ' ', removed: '−', added: '+' } as const;
const contextLines = 3;

/** Lines that were removed and added, with a few around them. */
export function LineDiff({ runs, label }: { readonly runs: readonly DiffRun[]; readonly label: string }) {
  const [all, setAll] = useState(false);
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-[60vh] w-full overflow-y-auto rounded-md border border-line bg-sunken py-2 font-mono text-xs leading-relaxed"
      >
        {runs.map((run, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other name, and keep their order
          <Lines key={index} run={run} isFirst={index === 0} isLast={index === runs.length - 1} all={all} />
        ))}
      </section>
      {!all && runs.some(({ kind, items }) => kind === 'same' && items.length > 2 * contextLines) && (
        <Button look="quiet" className="-ml-3" onClick={() => setAll(true)}>
          Show unchanged lines
        </Button>
      )}
    </div>
  );
}

interface LinesProps {
  readonly run: DiffRun;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly all: boolean;
}

function Lines({ run: { kind, items }, isFirst, isLast, all }: LinesProps) {
  if (kind !== 'same' || all || items.length <= 2 * contextLines) return <Block kind={kind} items={items} />;
  const head = isFirst ? [] : items.slice(0, contextLines);
  const tail = isLast ? [] : items.slice(-contextLines);
  return (
    <>
      <Block kind="same" items={head} />
      <p className="px-3 text-muted">… {count(items.length - head.length - tail.length)} unchanged lines</p>
      <Block kind="same" items={tail} />
    </>
  );
}

function Block({ kind, items }: DiffRun) {
  if (items.length === 0) return null;
  const Element = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
  return (
    <Element className={`block px-3 wrap-anywhere whitespace-pre-wrap no-underline ${looks[kind]}`}>
      {items.map((line) => `${marks[kind]} ${line}`).join('\n')}
    </Element>
  );
}
/** A text with what was removed and added in it. */
export function WordDiff({ runs }: { readonly runs: readonly DiffRun[] }) {
  return (
    <p dir="auto" className="text-sm leading-relaxed wrap-anywhere whitespace-pre-wrap">
      {runs.map(({ kind, items }, index) => {
        const Element = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'span';
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: runs have no other name, and keep their order
          <Element key={index} className={kind === 'added' ? `${looks.added} no-underline` : looks[kind]}>
            {items.join('')}
          </Element>
        );
      })}
    </p>
  );
}
