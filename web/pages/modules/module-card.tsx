import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ModuleInfo, ModuleSavings, ModuleWorth, Summary } from '../../api/queries.ts';
import { count, duration, exactUsd, percent, usd, utcDateOf } from '../../parts/format.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Badge } from '../../parts/states.tsx';
import { ClearCache } from './clear-cache.tsx';

/** Pages about what a module uses or keeps. */
const pages: Readonly<Record<string, { readonly to: string; readonly title: string }>> = {
  router: { to: '/aliases', title: 'Aliases' },
  guardrails: { to: '/guardrails', title: 'Rules' },
  ipc: { to: '/archive', title: 'Archive' },
  'compaction-bridge': { to: '/archive', title: 'Archive' },
  rehydrator: { to: '/archive', title: 'Archive' },
};

interface ModuleCardProps {
  readonly module: ModuleInfo;
  readonly isOpen: boolean;
  /** Where it is on, and since when. */
  readonly state: ReactNode;
  /** Switches it on and off. */
  readonly control: ReactNode;
  readonly did: Summary['modules'][number] | undefined;
  readonly worth: ModuleWorth | undefined;
  readonly saved: ModuleSavings | undefined;
}

export function ModuleCard({ module, isOpen, state, control, did, worth, saved }: ModuleCardProps) {
  const { name } = module;
  const box = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) box.current?.scrollIntoView({ block: 'center' });
  }, [isOpen]);
  return (
    <li
      ref={box}
      id={name}
      className={`flex scroll-mt-4 flex-col gap-3 rounded-lg border bg-surface p-4 ${isOpen ? 'border-accent' : 'border-line'}`}
    >
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <h3 className="font-mono text-sm font-medium">{name}</h3>
        {module.status === 'preview' && <Badge tone="accent">preview</Badge>}
        {module.protective && <Badge>protective</Badge>}
        <div className="ml-auto flex items-center gap-2 text-xs text-muted">
          {state}
          {control}
        </div>
      </div>
      <p className="text-sm text-muted lg:min-h-10">{module.purpose}</p>
      <Figures isCache={module.cache} did={did} worth={worth} saved={saved} />
      {worth?.holdout !== undefined && <HoldOut {...worth.holdout} />}
      {saved !== undefined && <Warning {...saved} />}
      {saved?.stepped_aside !== undefined && <SteppedAside {...saved.stepped_aside} />}
      <div className="mt-auto flex min-h-8 flex-wrap items-center gap-x-4 text-xs">
        <Link to="/requests" search={{ module: name }} className="text-accent underline">
          Requests
        </Link>
        {pages[name] !== undefined && (
          <Link to={pages[name].to} className="text-accent underline">
            {pages[name].title}
          </Link>
        )}
        {name === 'patterns' && (
          <a href="#learned" className="text-accent underline">
            Patterns
          </a>
        )}
        {module.cache && (
          <span className="-mr-3 ml-auto">
            <Allowed right="content:write">
              <ClearCache module={name} />
            </Allowed>
          </span>
        )}
      </div>
    </li>
  );
}

function Figures({
  isCache,
  did,
  worth,
  saved,
}: { readonly isCache: boolean } & Pick<ModuleCardProps, 'did' | 'worth' | 'saved'>) {
  const acted = did === undefined ? 0 : did.calls - (did.effects.passed ?? 0);
  const broken = did?.effects.broken ?? 0;
  const isGain = Number(worth?.saved_usd ?? 0) > 0 && saved?.verdict !== 'loses';
  return (
    <dl className="grid grid-cols-3 gap-2 text-sm sm:grid-cols-5 [&_dt]:text-xs [&_dt]:text-muted">
      <div>
        <dt>Calls</dt>
        <dd>{did === undefined ? 'none' : count(did.calls)}</dd>
      </div>
      <div>
        <dt>{isCache ? 'Hits' : 'Changed'}</dt>
        <dd>{did === undefined ? '–' : percent(isCache ? (did.effects.answered ?? 0) : acted, did.calls)}</dd>
      </div>
      <div>
        <dt>Time added</dt>
        <dd title={`The median; 95 % of calls within ${duration(did?.own_ms.p95)}`}>
          {duration(did?.own_ms.p50)}
        </dd>
      </div>
      <div>
        <dt>Errors</dt>
        <dd className={broken > 0 ? 'text-failed' : ''}>{did === undefined ? '–' : count(broken)}</dd>
      </div>
      <div>
        <dt>Saved</dt>
        <dd title={exactUsd(worth?.saved_usd ?? '0')} className={isGain ? 'text-saved' : ''}>
          {usd(worth?.saved_usd ?? '0')}
        </dd>
      </div>
    </dl>
  );
}

/** What it saved, compared with the conversations that went without it. */
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

/** Warns of a module that is not worth its place in the pipeline. */
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
