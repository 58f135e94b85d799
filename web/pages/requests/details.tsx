import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { keys, type LoggedCall, localSession, request, type WholeCall } from '../../api/queries.ts';
import { CopyButton, IconButton } from '../../parts/controls.tsx';
import { costOf, duration, exactUsd, timeOf, usd, utc } from '../../parts/format.ts';
import { Badge, Loaded, Rows, sentence } from '../../parts/states.tsx';
import { curlFor } from './curl.ts';
import { shownSteps } from './module-steps.ts';
import { RecordedPart } from './recorded/recorded-part.tsx';
import { isRouted, Route } from './route.tsx';
import { tagTexts } from './tag-texts.ts';
import { Tokens } from './tokens.tsx';
import { changesIn, reasonOf, verdictOf } from './verdict.ts';
import { Waterfall } from './waterfall.tsx';

interface DetailsProps {
  readonly id: string;
  /** The call, where the list has it already. */
  readonly known: LoggedCall | undefined;
  readonly onClose: () => void;
}

/** One call: what happened when, what it cost, what was changed and why. */
export function Details({ id, known, onClose }: DetailsProps) {
  const asked = useQuery({
    ...request(id),
    // The list has all but what each part cost.
    ...(known !== undefined && { placeholderData: { ...known, cost_parts: null } }),
  });
  return (
    <aside
      aria-label="Request"
      className="flex min-w-0 flex-col gap-6 rounded-lg border border-line bg-surface p-4 xl:sticky xl:top-5 xl:max-h-[calc(100dvh-2.5rem)] xl:overflow-y-auto"
    >
      <div className="flex items-center gap-1">
        <h2 className="min-w-0 grow truncate font-mono text-xs" title={id}>
          {id}
        </h2>
        <CopyButton text={id} label="Copy the id" />
        <IconButton label="Close (esc)" onClick={onClose}>
          <X aria-hidden />
        </IconButton>
      </div>
      <Loaded of={asked} loading={<Rows count={6} />}>
        {(call) => <Call call={call} />}
      </Loaded>
    </aside>
  );
}

function Call({ call }: { readonly call: WholeCall }) {
  const { tone, text } = verdictOf(call);
  const { data: session } = useQuery({ ...localSession, enabled: call.account_id === 'local' });
  const command = curlFor(call, session?.required === true);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{text}</Badge>
        <span className="text-sm" title={utc(call.created_at)}>
          {timeOf(call.created_at)}
        </span>
        <span className="ml-auto text-base font-semibold" title={exactUsd(call.cost_usd)}>
          {costOf(call)}
        </span>
      </div>
      {(call.status >= 400 || call.ending === 'failed') && <WhyFailed call={call} />}
      <Part title="Timing">
        <Waterfall call={call} />
      </Part>
      {isRouted(call) && (
        <Part title="Where it went">
          <Route call={call} />
        </Part>
      )}
      <Part title="Tokens">
        <Tokens call={call} />
      </Part>
      <Part title="What Weir did">
        <ul className="flex flex-col gap-1.5 text-sm">
          {call.modules.length === 0 && <li className="text-muted">No module acted on this call.</li>}
          {shownSteps(call.modules).map(({ names, sentence, ms, savedUsd, facts }) => (
            <li key={names.join()}>
              {sentence} <span className="text-xs text-muted">{duration(ms)}</span>
              {Number(savedUsd) !== 0 && <Saved amount={savedUsd} />}
              {facts.length > 0 && (
                <span className="mt-0.5 flex flex-wrap gap-1">
                  {facts.map(([name, value]) => (
                    <code
                      key={name}
                      className="rounded-sm bg-sunken px-1.5 py-0.5 font-mono text-[11px] text-muted"
                    >
                      {value === true ? name : `${name}=${value}`}
                    </code>
                  ))}
                </span>
              )}
            </li>
          ))}
          {changesIn(call).map((change) => (
            <li key={change}>{change}</li>
          ))}
        </ul>
      </Part>
      <Part title="Details">
        <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-y-1 text-sm [&>dd]:wrap-anywhere [&>dt]:text-muted">
          <Fact name="Model" value={call.model} mono />
          {call.model_used !== null && call.model_used !== call.model && (
            <Fact name="Model used" value={call.model_used} mono />
          )}
          <Fact name="Provider" value={isSent(call) ? (call.provider ?? '–') : 'Not sent'} />
          <Fact name="Format" value={`${call.wire_format}${call.streamed ? ', streamed' : ''}`} />
          <Fact name="Pipeline" value={call.pipeline === '' ? 'None' : call.pipeline} mono />
          <Fact name="Ended" value={call.ending} />
          {call.stop_reason !== null && <Fact name="Stop reason" value={call.stop_reason} mono />}
          {call.error_code !== null && <Fact name="Error" value={call.error_code} mono />}
          {call.provider_error !== null && <Fact name="Provider’s error" value={call.provider_error} mono />}
          {call.provider_request_id !== null && (
            <Fact name="Provider’s id" value={call.provider_request_id} mono />
          )}
          {call.conversation !== null && (
            <>
              <FilterFact name="Conversation" search={{ conversation: call.conversation }} />
              <dt>Session</dt>
              <dd>
                <Link
                  to="/sessions/$id"
                  params={{ id: call.parent_conversation ?? call.conversation }}
                  className="text-accent hover:underline"
                >
                  Show the timeline
                </Link>
              </dd>
            </>
          )}
          {call.tool_calls.length > 0 && (
            <Fact name="Tools called" value={call.tool_calls.map(({ name }) => name).join(', ')} mono />
          )}
          {call.end_user !== null && <FilterFact name="End user" search={{ end_user: call.end_user }} />}
          {tagTexts(call.tags).map((tag) => (
            <FilterFact key={tag} name="Tag" search={{ tag }} />
          ))}
          {call.client !== null && <FilterFact name="Client" search={{ client: call.client }} />}
          {call.key_id !== null && <KeyFact id={call.key_id} />}
          {call.agent !== null && <Fact name="Agent" value={call.agent} mono />}
          {call.asked_by !== null && <Fact name="Made by" value={`the module ${call.asked_by}`} />}
        </dl>
      </Part>
      {command !== undefined && <CopyButton wide text={command} label="Copy as curl" />}
      <RecordedPart call={call} />
    </>
  );
}

/** Whether a provider got the call; one that answers inside the gateway needs no connection. */
function isSent({ left_ms, status }: WholeCall): boolean {
  return left_ms !== null || status < 400;
}

function WhyFailed({ call }: { readonly call: WholeCall }) {
  const reason = reasonOf(call);
  return (
    <p className="rounded-md bg-sunken px-3 py-2 text-sm wrap-anywhere">
      {sentence(call.error_message ?? reason)}
    </p>
  );
}

function Saved({ amount }: { readonly amount: string }) {
  const isLoss = Number(amount) < 0;
  return (
    <span className={`text-xs ${isLoss ? 'text-muted' : 'text-saved'}`} title={exactUsd(amount)}>
      {' '}
      {isLoss ? `cost ${usd(-Number(amount))}` : `saved ${usd(amount)}`}
    </span>
  );
}

interface FilterFactProps {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
}

/** A fact that leads to all calls that have it. */
function FilterFact({ name, search }: FilterFactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="font-mono text-xs leading-5">
        <Link to="/requests" search={search} className="text-accent hover:underline">
          <bdi>{Object.values(search)[0]}</bdi>
        </Link>
      </dd>
    </>
  );
}

/** By the name that it has, if it has one. */
function KeyFact({ id }: { readonly id: string }) {
  const { data } = useQuery(keys);
  const key = data?.keys.find((one) => one.id === id);
  if (key === undefined) return <Fact name="Key" value={id} mono />;
  return (
    <>
      <dt>Key</dt>
      <dd title={id} className="wrap-anywhere">
        <Link to="/keys" search={{ open: id }} className="text-accent hover:underline">
          <bdi>{key.name === '' ? key.prefix : key.name}</bdi>
        </Link>
        {key.revokedAt !== null && <span className="text-muted"> (revoked)</span>}
      </dd>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {children}
    </section>
  );
}

function Fact({
  name,
  value,
  mono = false,
}: {
  readonly name: string;
  readonly value: string;
  readonly mono?: boolean;
}) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={mono ? 'font-mono text-xs leading-5' : ''}>{value}</dd>
    </>
  );
}
