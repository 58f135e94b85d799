import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, told } from '../api/client.ts';
import { markSignedIn, me } from '../api/queries.ts';
import type { paths } from '../api/schema.ts';
import { signWithPasskey } from '../parts/passkey.ts';
import { clearHistory } from '../parts/playground-history.ts';
import { revokeTabKeys } from '../parts/tab-key.ts';

interface SignInBody {
  readonly email: string;
  readonly password: string;
  readonly invitation?: string | undefined;
}

/** Logs out and shows the start page. */
export function useLogOut() {
  const { leave } = useSession();
  const navigate = useNavigate();
  return useMutation({ mutationFn: () => leave(() => navigate({ to: '/' })) });
}

/** Starts a session in another organization of the person, and shows its overview. */
export function useSwitch() {
  const { leaveFor } = useSession();
  const navigate = useNavigate();
  return useMutation({ mutationFn: (id: string) => leaveFor(id, () => navigate({ to: '/' })) });
}

/** The session itself is in a cookie that no script reads. */
export function useSession() {
  const client = useQueryClient();
  const headers = { 'x-weir-session': 'cookie' };
  const enter = async (how: 'login' | 'signup', { invitation, ...body }: SignInBody) => {
    const { user } = await told(
      how === 'login'
        ? api.POST('/v1/users/login', { body, headers })
        : api.POST('/v1/users/signup', {
            body: { ...body, ...(invitation !== undefined && { invitation }) },
            headers,
          }),
    );
    markSignedIn(true);
    return user;
  };
  const enterWithPasskey = async () => {
    const { challenge_id, options } = await told(api.POST('/v1/users/login/passkey/options', { body: {} }));
    const response = await signWithPasskey(options);
    await told(api.POST('/v1/users/login/passkey', { body: { challenge_id, response }, headers }));
    markSignedIn(true);
  };
  /** After a password that alone is not enough. */
  const completeLogIn = async (
    body: paths['/v1/users/login/second-factor']['post']['requestBody']['content']['application/json'],
  ) => {
    await told(api.POST('/v1/users/login/second-factor', { body, headers }));
    markSignedIn(true);
  };
  /** Shows what is there for who has entered. */
  const open = () => client.resetQueries();
  /** Ends the session, then goes where `go` leads. Where it can't be ended, the page stays. */
  const leave = async (go: () => Promise<void>) => {
    await revokeTabKeys();
    await told(api.POST('/v1/users/logout', { body: {} }));
    await left(go);
  };
  /** The keys and the history of the playground belong to the account that is left. */
  const leaveFor = async (id: string, go: () => Promise<void>) => {
    await revokeTabKeys();
    await told(
      api.POST('/v1/organizations/{id}/session', {
        params: { path: { id } },
        body: {},
        headers,
      }),
    );
    // Other tabs load anew, too.
    markSignedIn(true);
    clearHistory();
    await go();
    await client.resetQueries();
  };
  /** After the session has ended, whatever ended it. Pages of the account go first: what they would load is refused. */
  const left = async (go?: () => Promise<void>) => {
    markSignedIn(false);
    clearHistory();
    client.setQueryData(me.queryKey, null);
    // Queries tell the page of their data in the next task.
    await new Promise((resolve) => setTimeout(resolve));
    await go?.();
    await client.resetQueries();
  };
  return { enter, enterWithPasskey, completeLogIn, open, leave, leaveFor, left };
}
