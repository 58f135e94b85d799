import { useMemo } from 'react';
import type { DryRunResult } from '../../api/queries.ts';
import { diffLists } from '../../parts/diff.ts';
import { LineDiff } from '../../parts/diff-view.tsx';
import { count, usd } from '../../parts/format.ts';
import { Badge, sentence, type Tone } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/table.tsx';

type Module = DryRunResult['modules'][number];

const effects: Readonly<Record<Module['effect'], readonly [string, Tone]>> = {
  passed: ['no change', 'plain'],
  'changed-request': ['changes the request', 'accent'],
  answered: ['answers', 'saved'],
  'changed-reply': ['changes the answer', 'accent'],
  'changed-both': ['changes request and answer', 'accent'],
  rejected: ['rejects', 'refused'],
  broken: ['fails', 'failed'],
  'left-out': ['not run', 'plain'],
  'not-reached': ['not reached', 'plain'],
};

/** What would happen to the call, by module, with what the provider would get. */
export function DryRunOutcome({ result }: { readonly result: DryRunResult }) {
  const { modules, before, after, headers } = result;
  return (
    <section aria-label="Result of the dry run" className="flex min-w-0 flex-col gap-4">
      <p role="status" className="text-sm font-medium wrap-anywhere">
        {headlineOf(result)}
      </p>
      <Table rows={modules} rowKey={({ name }) => name} columns={moduleColumns} empty="No modules ran." />
      {after !== null && (
        <>
          <Table rows={comparisonOf(before, after)} rowKey={([name]) => name} columns={comparison} empty="" />
          <p className="text-xs text-muted">
            Tokens are estimated; a provider’s prompt cache may make them cheaper. What modules would do with
            the answer can’t be known.
          </p>
          <Changes before={before.request} after={after.request} />
        </>
      )}
      {Object.entries(headers).length > 0 && (
        <p className="text-xs text-muted">
          Response headers:{' '}
          {Object.entries(headers).map(([name, value]) => (
            <code key={name} className="mr-2 font-mono wrap-anywhere">
              {name}: {value}
            </code>
          ))}
        </p>
      )}
    </section>
  );
}

function headlineOf({ outcome, error, before, after, modules }: DryRunResult): string {
  if (outcome === 'rejected' && error !== null)
    return `Rejected with ${error.status}: ${sentence(error.message)}`;
  if (after !== null)
    return `${after.target} would get the call${after.target === before.target ? '' : `, in place of ${before.target}`}.`;
  const answering = modules.find(({ effect }) => effect === 'answered')?.name ?? 'A module';
  return `${answering} would answer. No provider would be called.`;
}

const moduleColumns: readonly Column<Module>[] = [
  { title: 'Module', cell: ({ name }) => <span className="font-mono text-xs">{name}</span> },
  {
    title: 'Effect',
    cell: ({ effect }) => {
      const [text, tone] = effects[effect];
      return <Badge tone={tone}>{text}</Badge>;
    },
  },
  { title: 'Notes', long: true, cell: (module) => <Notes {...module} /> },
  {
    title: 'Saves',
    end: true,
    cell: ({ saved_usd: saved }) => (Number(saved) === 0 ? '–' : usd(saved)),
  },
];

function Notes({ effect, notes }: Module) {
  const text =
    effect === 'left-out'
      ? 'It is not built in, so nobody knows what it does without running it.'
      : Object.entries(notes)
          .map(([name, value]) => (value === true ? name : `${name}=${value}`))
          .join(' · ');
  return (
    <span className="text-xs text-muted" title={text}>
      {text}
    </span>
  );
}

type Comparison = readonly [string, string, string];

const comparison: readonly Column<Comparison>[] = [
  { title: 'Figure', plain: true, cell: ([name]) => name },
  { title: 'Before', end: true, cell: ([, value]) => value },
  { title: 'After', end: true, cell: ([, , value]) => value },
];

function comparisonOf(before: DryRunResult['before'], after: DryRunResult['before']): readonly Comparison[] {
  return [
    ['Input tokens', `≈ ${count(before.input_tokens)}`, `≈ ${count(after.input_tokens)}`],
    ['Input cost', `≈ ${usd(before.input_usd)}`, `≈ ${usd(after.input_usd)}`],
    ['Output cost, at most', usd(before.output_usd_max), usd(after.output_usd_max)],
  ];
}

function Changes({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  const runs = useMemo(() => diffLists(linesOf(before), linesOf(after)), [before, after]);
  if (runs.every(({ kind }) => kind === 'same'))
    return <p className="text-sm">The request stays as it is.</p>;
  return <LineDiff runs={runs} label="Changes of the request" />;
}

function linesOf(request: unknown): readonly string[] {
  return JSON.stringify(request, undefined, 2).split('\n');
}
