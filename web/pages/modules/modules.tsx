import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import {
  type ApiKey,
  capabilities,
  type GatewayPipeline,
  gatewayPipeline,
  keys,
  type ModuleInfo,
  moduleRanges,
  modules,
  savings,
  summary,
  usage,
} from '../../api/queries.ts';
import { Button, Choice, Switch } from '../../parts/controls.tsx';
import { dateOf, utc } from '../../parts/format.ts';
import { modulesOfKey, withModule, withoutModule } from '../../parts/pipeline/module-places.ts';
import { Allowed } from '../../parts/rights.tsx';
import { Failure, Loaded, Page, Section, Skeleton, Waiting } from '../../parts/states.tsx';
import { GatewayPipelineSection } from './gateway-pipeline.tsx';
import { KeySwitches } from './key-switches.tsx';
import { ModuleCard } from './module-card.tsx';
import { Patterns } from './patterns.tsx';
import { PipelineSection } from './pipeline-section.tsx';
import { useStorePipeline } from './store-pipeline.ts';

const route = getRouteApi('/modules');

/** What is on, where, and what it is worth. */
export function Modules() {
  const { range = '30d' } = route.useSearch();
  const navigate = route.useNavigate();
  const known = useQuery(modules);
  const own = useQuery(gatewayPipeline);
  const { data: about } = useQuery(capabilities);
  const isLocal = about?.mode !== 'cloud';
  const { data: listed } = useQuery({ ...keys, enabled: !isLocal });
  // All figures of the cards at once, so that nothing moves.
  const pending = [
    known,
    own,
    useQuery(summary(range)),
    useQuery(usage(moduleRanges[range])),
    useQuery(savings),
  ];
  const isWaiting = pending.some(({ isPending }) => isPending) || (!isLocal && listed === undefined);
  const active = listed?.keys.filter(({ revokedAt }) => revokedAt === null);
  return (
    <Page
      title="Modules"
      actions={
        <Choice
          label="Period"
          value={range}
          options={[
            ['7d', 'Week'],
            ['30d', 'Month'],
          ]}
          onChange={(next) =>
            void navigate({ search: (before) => ({ ...before, range: next }), replace: true })
          }
        />
      }
    >
      {isWaiting ? (
        <WaitingModules />
      ) : (
        <>
          {own.error === null ? (
            <GatewayPipelineSection pipeline={own.data} isLocal={isLocal} />
          ) : (
            <Failure error={own.error} onRetry={() => void own.refetch()} />
          )}
          <Loaded of={known} loading={<WaitingModules />}>
            {(data) => (
              <Cards
                known={data.modules}
                own={own.data}
                keys={isLocal ? undefined : (active ?? [])}
                range={range}
              />
            )}
          </Loaded>
          {own.data !== undefined && <PipelineSection gateway={own.data} />}
          <div id="learned" className="scroll-mt-4">
            <Allowed right="content:read">
              <Patterns />
            </Allowed>
          </div>
        </>
      )}
    </Page>
  );
}

function WaitingModules() {
  return (
    <Waiting className="grid gap-3 lg:grid-cols-2">
      <Skeleton className="h-28 lg:col-span-2" />
      {['one', 'two', 'three', 'four', 'five', 'six'].map((name) => (
        <Skeleton key={name} className="h-52" />
      ))}
    </Waiting>
  );
}

interface CardsProps {
  readonly known: readonly ModuleInfo[];
  readonly own: GatewayPipeline | undefined;
  /** Undefined in local mode. */
  readonly keys: readonly ApiKey[] | undefined;
  readonly range: keyof typeof moduleRanges;
}

function Cards({ known, own, keys: all, range }: CardsProps) {
  const { open } = route.useSearch();
  const { data: sums } = useQuery(summary(range));
  const { data: used } = useQuery(usage(moduleRanges[range]));
  const { data: saved } = useQuery(savings);
  return (
    <Section title="All modules">
      <ul className="grid gap-3 lg:grid-cols-2">
        {known.map((module) => {
          const { name } = module;
          const place = { name, own, known };
          return (
            <ModuleCard
              key={name}
              module={module}
              isOpen={open === name}
              state={all === undefined ? <LocalState {...place} /> : undefined}
              control={all === undefined ? <LocalSwitch {...place} /> : <KeysWithIt {...place} keys={all} />}
              did={sums?.modules.find((one) => one.name === name)}
              worth={used?.modules.find((one) => one.module === name)}
              saved={saved?.modules.find((one) => one.module === name)}
            />
          );
        })}
      </ul>
    </Section>
  );
}

interface PlaceProps {
  readonly name: string;
  readonly own: GatewayPipeline | undefined;
  readonly known: readonly ModuleInfo[];
}

function LocalState({ name, own }: PlaceProps) {
  const on = own?.modules.find((module) => module.name === name);
  if (on === undefined) return <span>Off</span>;
  return on.since === null ? <span>On</span> : <span title={utc(on.since)}>On since {dateOf(on.since)}</span>;
}

function LocalSwitch({ name, own, known }: PlaceProps) {
  const storing = useStorePipeline();
  if (own === undefined) return <Skeleton className="h-5 w-9" />;
  const isOn = own.modules.some((module) => module.name === name);
  return (
    <>
      {storing.error !== null && (
        <span role="alert" className="text-failed">
          {storing.error.message}
        </span>
      )}
      <Switch
        label={`${name} in every call`}
        isOn={isOn}
        disabled={!own.can_be_stored || own.faults.length > 0 || storing.isPending}
        onChange={(on) =>
          storing.mutate(on ? withModule(own.pipeline, name, known) : withoutModule(own.pipeline, name))
        }
      />
    </>
  );
}

function KeysWithIt({ name, own, known, keys: all }: PlaceProps & { readonly keys: readonly ApiKey[] }) {
  const [isOpen, setIsOpen] = useState(false);
  if (own === undefined) return <Skeleton className="h-5 w-24" />;
  const having = all.filter(({ pipelineConfig }) => modulesOfKey(pipelineConfig, own, known).has(name));
  const isGateways = own.modules.some((module) => module.name === name);
  return (
    <>
      {isGateways && <span>Gateway ·</span>}
      <Button look="quiet" className="-mr-3" onClick={() => setIsOpen(true)} aria-label={`Keys with ${name}`}>
        {having.length} of {all.length} keys
      </Button>
      {isOpen && (
        <KeySwitches module={name} keys={all} gateway={own} known={known} onClose={() => setIsOpen(false)} />
      )}
    </>
  );
}
