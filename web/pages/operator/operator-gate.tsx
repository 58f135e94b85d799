import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, told } from '../../api/client.ts';
import { operatorSession } from '../../api/queries.ts';
import { TokenForm } from '../../app/token-form.tsx';
import { Button } from '../../parts/controls.tsx';
import { Mark } from '../../parts/mark.tsx';
import { Loaded, Rows } from '../../parts/states.tsx';
import { Operator } from './operator.tsx';

/** In cloud mode the operator needs no account, but the token of the gateway. */
export default function OperatorGate() {
  const client = useQueryClient();
  const session = useQuery(operatorSession);
  const leave = async () => {
    await told(api.DELETE('/v1/operator/session'));
    await client.resetQueries();
  };
  if (session.data?.configured === true && !session.data.open)
    return (
      <TokenForm
        title="Operator"
        hint="The value of WEIR_ADMIN_TOKEN. It is kept in a cookie that pages can’t read."
        send={(token) => told(api.POST('/v1/operator/session', { body: { token } }))}
      />
    );
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="mx-auto flex w-full max-w-7xl items-center gap-3 px-4 pt-4 sm:px-6 lg:px-8">
        <a href="/" className="flex items-center gap-2.5 text-base font-semibold tracking-tight">
          <Mark /> Weir
        </a>
        {session.data?.open === true && (
          <Button className="ml-auto" onClick={() => void leave()}>
            Log out
          </Button>
        )}
      </header>
      <main className="grow">
        <Loaded of={session} loading={<Rows count={6} />}>
          {({ open }) =>
            open ? (
              <Operator />
            ) : (
              <div className="mx-auto max-w-lg px-4 py-14">
                <h1 className="text-lg font-semibold">No operator token</h1>
                <p className="mt-2 text-sm text-muted">
                  Set WEIR_ADMIN_TOKEN and restart the gateway to see its status and accounts here.
                </p>
              </div>
            )
          }
        </Loaded>
      </main>
    </div>
  );
}
