import { ChevronRight } from 'lucide-react';
import type { GatewayPipeline } from '../../api/queries.ts';
import { ago, utc } from '../../parts/format.ts';
import { Section, Skeleton, sentence } from '../../parts/states.tsx';

/** What runs in calls whose request and key set nothing else, and who set it. */
export function GatewayPipelineSection({
  pipeline,
  isLocal,
}: {
  readonly pipeline: GatewayPipeline | undefined;
  readonly isLocal: boolean;
}) {
  return (
    <Section title="The gateway’s pipeline">
      <div className="flex min-h-20 flex-col gap-2.5 rounded-lg border border-line bg-surface p-4">
        {pipeline === undefined ? <Skeleton className="h-6 w-60" /> : <Modules pipeline={pipeline} />}
        {pipeline !== undefined && (
          <p className="text-sm text-muted">
            <Source {...pipeline} isLocal={isLocal} />
          </p>
        )}
        {pipeline?.faults.map((fault) => (
          <p key={fault} className="text-sm text-failed">
            Calls are rejected: {sentence(fault)}
          </p>
        ))}
      </div>
    </Section>
  );
}

function Modules({ pipeline: { modules, faults, pipeline } }: { readonly pipeline: GatewayPipeline }) {
  if (faults.length > 0) return <code className="font-mono text-sm wrap-anywhere">{pipeline}</code>;
  if (modules.length === 0) return <p className="text-sm">No modules: calls are passed through unchanged.</p>;
  return (
    <ol className="flex flex-wrap items-center gap-x-1 gap-y-1.5">
      {modules.map(({ name }, at) => (
        <li key={name} className="flex items-center gap-1">
          {at > 0 && <ChevronRight aria-hidden className="size-3.5 text-muted" />}
          <a
            href={`#${name}`}
            className="rounded-md border border-line bg-sunken px-2 py-0.5 font-mono text-sm hover:border-edge"
          >
            {name}
          </a>
        </li>
      ))}
    </ol>
  );
}

function Source({
  source,
  stored,
  isLocal,
}: Pick<GatewayPipeline, 'source' | 'stored'> & { readonly isLocal: boolean }) {
  if (source === 'environment')
    return (
      <>
        Set by <code>WEIR_PIPELINE</code>
        {isLocal && ', so it can’t be changed here'}.
        {stored !== null && (
          <>
            {' '}
            Not used: <code className="wrap-anywhere">{stored.pipeline}</code>, saved here{' '}
            <span title={utc(stored.updated_at)}>{ago(stored.updated_at)}</span>.
          </>
        )}
        {!isLocal && ' Keys can have pipelines of their own; its protective modules stay.'}
      </>
    );
  if (source === 'stored' && stored !== null)
    return (
      <>
        Saved here <span title={utc(stored.updated_at)}>{ago(stored.updated_at)}</span>. It runs in every call
        without an <code>x-weir-pipeline</code> header.
      </>
    );
  return (
    <>
      The default: it changes nothing until you{' '}
      {isLocal ? 'switch modules on' : 'give a key its own pipeline'}.
    </>
  );
}
