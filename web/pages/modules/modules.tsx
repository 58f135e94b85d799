import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import {
  type ModuleInfo,
  type ModuleSavings,
  type ModuleWorth,
  modules,
  type Summary,
  savings,
  summary,
  usage,
} from '../../api/queries.ts';
import { CopyButton } from '../../parts/controls.tsx';
import { count, duration, exactUsd, percent, usd, utcDateOf } from '../../parts/format.ts';
import { PipelineEditor } from '../../parts/pipeline/pipeline-editor.tsx';
import { Badge, Loaded, Page, Section, Skeleton, Waiting } from '../../parts/states.tsx';
import { ClearCache } from './clear-cache.tsx';
import { Patterns } from './patterns.tsx';

const route = getRouteApi('/modules');

/** What each does, and what it did to the calls of the last month. */
export function Modules() {
  const known = useQuery(modules);
  const { data: sums } = useQuery(summary('30d'));
  const { data: used } = useQuery(usage(30));
  const { data: saved } = useQuery(savings);
  return (
    <Page title="Modules" lead="Modules that can process calls. Figures cover the last 30 days.">
      <Loaded of={known} loading={<WaitingModules />}>
        {(data) => (
          <ul className="grid gap-3 lg:grid-cols-2">
            {data.modules.map((module) => (
              <Module
                key={module.name}
                module={module}
                did={sums?.modules.find(({ name }) => name === module.name)}
                worth={used?.modules.find(({ module: name }) => name === module.name)}
                saved={saved?.modules.find(({ module: name }) => name === module.name)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      <Builder />
      <Patterns />
    </Page>
  );
}

function WaitingModules() {
  return (
    <Waiting className="grid gap-3 lg:grid-cols-2">
      {['one', 'two', 'three', 'four', 'five', 'six'].map((name) => (
        <Skeleton key={name} className="h-[10.4rem]" />
      ))}
    </Waiting>
  );
}

function Module({
  module,
  did,
  worth,
  saved,
}: {
  readonly module: ModuleInfo;
  readonly did: Summary['modules'][number] | undefined;
  readonly worth: ModuleWorth | undefined;
  readonly saved: ModuleSavings | undefined;
}) {
  const { open } = route.useSearch();
  const box = useRef<HTMLLIElement>(null);
  const isOpen = open === module.name;
  useEffect(() => {
    if (isOpen) box.current?.scrollIntoView({ block: 'center' });
  }, [isOpen]);
  const acted = did === undefined ? 0 : did.calls - (did.effects.passed ?? 0);
  return (
    <li
      ref={box}
      id={module.name}
      className={`flex flex-col gap-3 rounded-lg border bg-surface p-4 ${isOpen ? 'border-accent' : 'border-line'}`}
    >
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <h2 className="font-mono text-sm font-medium">{module.name}</h2>
        {module.status === 'preview' && <Badge tone="accent">preview</Badge>}
        {module.protective && <Badge>protective</Badge>}
        {module.cache && (
          <span className="-mr-3 ml-auto">
            <ClearCache module={module.name} />
          </span>
        )}
      </div>
      <p className="text-sm text-muted lg:min-h-10">{module.purpose}</p>
      <dl className="grid grid-cols-4 gap-2 text-sm [&_dt]:text-xs [&_dt]:text-muted">
        <div>
          <dt>Calls</dt>
          <dd>{did === undefined ? 'none' : count(did.calls)}</dd>
        </div>
        <div>
          <dt>{module.cache ? 'Hits' : 'Changed'}</dt>
          <dd>
            {did === undefined ? '–' : percent(module.cache ? (did.effects.answered ?? 0) : acted, did.calls)}
          </dd>
        </div>
        <div>
          <dt>Mean time</dt>
          <dd>{duration(did?.ms)}</dd>
        </div>
        <div>
          <dt>Saved</dt>
          <dd
            title={exactUsd(worth?.saved_usd ?? '0')}
            className={Number(worth?.saved_usd ?? 0) > 0 && saved?.verdict !== 'loses' ? 'text-saved' : ''}
          >
            {usd(worth?.saved_usd ?? '0')}
          </dd>
        </div>
      </dl>
      {worth?.holdout !== undefined && <HoldOut {...worth.holdout} />}
      {saved !== undefined && <Warning {...saved} />}
      {saved?.stepped_aside !== undefined && <SteppedAside {...saved.stepped_aside} />}
    </li>
  );
}

/** What it saved by those conversations that went without it. */
function HoldOut({
  conversations,
  held_out,
  saved_usd,
  low_usd,
  high_usd,
}: NonNullable<ModuleWorth['holdout']>) {
  const isKnown = saved_usd !== null && low_usd !== null && high_usd !== null;
  return (
    <p className="text-xs text-muted">
      {isKnown
        ? `Saved by comparison with ${count(held_out)} conversations without it: ${usd(saved_usd)}, with 90 % confidence ${usd(low_usd)} to ${usd(high_usd)}.`
        : `Held out so far: ${count(held_out)} of ${count(conversations + held_out)} conversations, too few for a result.`}
    </p>
  );
}

/** A module that is not worth its place in the pipeline says so. */
function Warning({ verdict, calls, since }: ModuleSavings) {
  if (verdict !== 'loses' && verdict !== 'nothing_shown') return undefined;
  return (
    <p className="text-xs text-refused">
      {verdict === 'loses' ? 'It has cost more than it saved' : 'No saving can be shown'} in {count(calls)}{' '}
      calls since {utcDateOf(since)}.
    </p>
  );
}

/** Pipelines without `auto=on` still run it. */
function SteppedAside({ since, until }: NonNullable<ModuleSavings['stepped_aside']>) {
  return (
    <p className="text-xs text-refused">
      Where <code>auto=on</code>: stepped aside since {utcDateOf(since)}, tried again on {utcDateOf(until)}.
    </p>
  );
}

/** Puts a list together to be used elsewhere. */
function Builder() {
  const [text, setText] = useState('exact-cache,cost-guard?day=5');
  const list = text === '' ? 'none' : text;
  return (
    <Section title="Build a pipeline" aside="Nothing changes until you copy it into a key or WEIR_PIPELINE">
      <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4">
        <PipelineEditor text={text} onChange={setText} />
        <div className="flex flex-wrap gap-2">
          <CopyButton wide text={`x-weir-pipeline: ${list}`} label="Copy as header" />
          <CopyButton wide text={`WEIR_PIPELINE='${list}'`} label="Copy as setting" />
        </div>
      </div>
    </Section>
  );
}
