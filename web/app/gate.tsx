import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { api, told } from '../api/client.ts';
import { capabilities, isMarkedSignedIn, localSession, me, organization } from '../api/queries.ts';
import { Mark } from '../parts/mark.tsx';
import { Failure } from '../parts/states.tsx';
import { Shell } from './shell.tsx';
import { TokenForm } from './token-form.tsx';

const Entrance = lazy(() => import('../pages/entrance/entrance.tsx'));
const Join = lazy(() => import('../pages/organization/join.tsx'));
const OperatorGate = lazy(() => import('../pages/operator/operator-gate.tsx'));

/** Lets in who may: everybody locally, or who has the token; in cloud mode who is logged in. */
export function Gate() {
  const about = useQuery(capabilities);
  const { pathname } = useLocation();
  if (about.data === undefined)
    return about.error === null ? <Waiting /> : <Closed error={about.error} onRetry={about.refetch} />;
  if (about.data.mode === 'local') return <LocalGate />;
  if (pathname === '/join')
    return (
      <Suspense fallback={<Waiting />}>
        <Join />
      </Suspense>
    );
  if (pathname !== '/operator') return <CloudGate />;
  return (
    <Suspense fallback={<Waiting />}>
      <OperatorGate />
    </Suspense>
  );
}

function LocalGate() {
  const session = useQuery(localSession);
  if (session.data === undefined)
    return session.error === null ? <Waiting /> : <Closed error={session.error} onRetry={session.refetch} />;
  if (session.data.open) return <Shell />;
  return (
    <TokenForm
      title="This gateway asks for its token"
      hint="The value of WEIR_LOCAL_TOKEN. It is kept in a cookie that pages can’t read."
      send={(token) => told(api.POST('/v1/local/session', { body: { token } }))}
    />
  );
}

function CloudGate() {
  const who = useQuery(me);
  // At the same time: with the rights, pages offer from the first moment on what the person may do.
  const own = useQuery({ ...organization, enabled: isMarkedSignedIn() });
  if (who.data === null)
    return (
      <Suspense fallback={<Waiting />}>
        <Entrance />
      </Suspense>
    );
  if (who.data !== undefined && own.data !== undefined) return <Shell />;
  const failed = [who, own].find(({ error }) => error !== null);
  return failed === undefined ? <Waiting /> : <Closed error={failed.error} onRetry={failed.refetch} />;
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
