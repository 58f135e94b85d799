import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { api, told } from '../api/client.ts';
import { capabilities, localSession, me } from '../api/queries.ts';
import { Button, Field, Input } from '../parts/controls.tsx';
import { Failure, sentence } from '../parts/states.tsx';
import { Mark, Shell } from './shell.tsx';

const Entrance = lazy(() => import('../pages/entrance/entrance.tsx'));

/** Lets in who may: everybody locally, or who has the token; in cloud mode who is logged in. */
export function Gate() {
  const about = useQuery(capabilities);
  if (about.data === undefined)
    return about.error === null ? <Waiting /> : <Closed error={about.error} onRetry={about.refetch} />;
  return about.data.mode === 'local' ? <LocalGate /> : <CloudGate />;
}

function LocalGate() {
  const session = useQuery(localSession);
  if (session.data === undefined)
    return session.error === null ? <Waiting /> : <Closed error={session.error} onRetry={session.refetch} />;
  return session.data.open ? <Shell /> : <TokenForm />;
}

function CloudGate() {
  const who = useQuery(me);
  if (who.data === undefined)
    return who.error === null ? <Waiting /> : <Closed error={who.error} onRetry={who.refetch} />;
  if (who.data !== null) return <Shell />;
  return (
    <Suspense fallback={<Waiting />}>
      <Entrance />
    </Suspense>
  );
}

function Waiting() {
  return (
    <main className="flex min-h-dvh items-center justify-center" aria-busy>
      <h1 className="sr-only">Weir</h1>
      <span role="status" className="sr-only">
        Loading
      </span>
      <Mark />
    </main>
  );
}

function Closed({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => unknown }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-lg flex-col justify-center gap-4 p-4">
      <h1 className="flex items-center gap-2.5 text-lg font-semibold">
        <Mark /> Weir
      </h1>
      <Failure error={error} onRetry={() => void onRetry()} />
    </main>
  );
}

function TokenForm() {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await told(api.POST('/v1/local/session', { body: { token } }));
      await client.invalidateQueries();
    } catch (error) {
      setFault(error instanceof Error ? sentence(error.message) : 'That did not work.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-5 p-4">
      <title>Token · Weir</title>
      <h1 className="flex items-center gap-2.5 text-lg font-semibold">
        <Mark /> This gateway asks for its token
      </h1>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Token"
          hint="The value of WEIR_LOCAL_TOKEN. It is kept in a cookie that pages can’t read."
          error={fault}
        >
          {(field) => (
            <Input
              {...field}
              type="password"
              autoComplete="current-password"
              required
              value={token}
              onChange={(event) => setToken(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" busy={busy}>
          Open
        </Button>
      </form>
    </main>
  );
}
