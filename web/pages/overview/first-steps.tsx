import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { capabilities, health, localSession, usage } from '../../api/queries.ts';
import { Choice, Code } from '../../parts/controls.tsx';
import { Page } from '../../parts/states.tsx';
import { claimedReceipts } from '../entrance/sandbox.ts';
import { type Client, clients, commandFor } from './commands.ts';

/** What makes an empty gateway not empty. Goes away by itself when the first call comes in. */
export function FirstSteps() {
  const { data: about } = useQuery(capabilities);
  const { data: state } = useQuery(health);
  useQuery({ ...usage(30), refetchInterval: 2000 });
  const claimed = claimedReceipts();
  const [client, setClient] = useState<Client>('curl');
  const isCloud = about?.mode === 'cloud';
  const ready = Object.entries(state?.providers ?? {}).filter(([name, is]) => is && name !== 'demo');
  const base = location.origin;
  const { data: session } = useQuery({ ...localSession, enabled: about?.mode === 'local' });
  const secret = isCloud ? 'WEIR_KEY' : session?.required === true ? 'WEIR_LOCAL_TOKEN' : undefined;
  return (
    <Page
      title="Overview"
      lead="Weir is one address in front of every AI model: it forwards your calls, keeps them under budget and shows what they cost. No calls yet; three steps to the first one."
    >
      {claimed > 0 && (
        <p role="status" className="rounded-md bg-saved-soft px-3 py-2 text-sm text-saved">
          {claimed === 1 ? 'The receipt' : `The ${claimed} receipts`} of your sandbox now belong
          {claimed === 1 && 's'} to this account:{' '}
          <Link to="/receipts" className="underline">
            Receipts
          </Link>
        </p>
      )}
      <ol className="flex max-w-3xl flex-col gap-8">
        <Step
          at={1}
          title={
            isCloud
              ? 'Bring a provider key, or start with the demonstration model'
              : 'Give it a provider key, or start without one'
          }
        >
          <p className="text-sm text-muted">
            {ready.length > 0 && !isCloud ? (
              <>Keys are there for {ready.map(([name]) => name).join(', ')}.</>
            ) : (
              <>
                The model <code className="font-mono text-xs text-ink">demo-1</code> answers without any key
                and costs nothing. For real ones, store a key under{' '}
                <Link to="/provider-keys" className="text-accent underline">
                  Provider keys
                </Link>
                {isCloud ? '.' : ', or set ANTHROPIC_API_KEY or OPENAI_API_KEY and start the gateway again.'}
              </>
            )}
          </p>
        </Step>
        {isCloud && (
          <Step at={2} title="Create an API key">
            <p className="text-sm text-muted">
              Under{' '}
              <Link to="/keys" className="text-accent underline">
                Keys
              </Link>
              . It stands for the account in the command below, as $WEIR_KEY.
            </p>
          </Step>
        )}
        <Step at={isCloud ? 3 : 2} title="Point your client here">
          <div className="overflow-x-auto">
            <Choice label="Client" value={client} options={clients} onChange={setClient} />
          </div>
          <Code label="Command" text={commandFor(client, { base, secret })} />
        </Step>
        {!isCloud && (
          <Step at={3} title="Watch it arrive">
            <p className="flex items-center gap-2 text-sm text-muted" role="status">
              <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
              Waiting for the first call…
            </p>
          </Step>
        )}
      </ol>
      {isCloud && (
        <p className="flex items-center gap-2 text-sm text-muted" role="status">
          <span aria-hidden className="size-2 animate-pulse rounded-full bg-accent" />
          Waiting for the first call…
        </p>
      )}
    </Page>
  );
}

function Step({
  at,
  title,
  children,
}: {
  readonly at: number;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li className="grid grid-cols-[2rem_1fr] gap-x-2">
      <span
        aria-hidden
        className="flex size-6 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
      >
        {at}
      </span>
      <div className="flex min-w-0 flex-col gap-3">
        <h2 className="text-base font-semibold">{title}</h2>
        {children}
      </div>
    </li>
  );
}
