import { useQueryClient } from '@tanstack/react-query';
import { api, told } from '../api/client.ts';
import { markSignedIn } from '../api/queries.ts';
import { revokeTabKeys } from '../parts/tab-key.ts';

interface SignInBody {
  readonly email: string;
  readonly password: string;
  readonly invitation?: string | undefined;
}

/** The session itself is in a cookie that no script reads. */
export function useSession() {
  const client = useQueryClient();
  const enter = async (how: 'login' | 'signup', { invitation, ...body }: SignInBody) => {
    const headers = { 'x-weir-session': 'cookie' };
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
  /** Shows what is there for who has entered. */
  const open = () => client.resetQueries();
  /** Goes where `go` leads once the session is over, so that nobody is led away from the error where it isn't. */
  const leave = async (go: () => Promise<void>) => {
    await revokeTabKeys();
    await told(api.POST('/v1/users/logout', { body: {} }));
    await go();
    await left();
  };
  /** After the session has ended, whatever ended it. */
  const left = async () => {
    markSignedIn(false);
    await client.resetQueries();
  };
  return { enter, open, leave, left };
}
